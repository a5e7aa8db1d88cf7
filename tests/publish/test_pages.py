"""`gamut publish pages`: the report on a static Space, whole or not at all; what may not be shown stays here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import SpaceCard

from gamut.project.errors import UserError
from gamut.publish import pages, readiness, troubles
from gamut.publish.files import REPORT_MARK
from gamut.publish.parameters import load_everything
from gamut.report.site import folder as report_folder
from tests import fakes
from tests.hub.client import client_here
from tests.hub.faults import Fault
from tests.hub.server import Hub, hub_server
from tests.publish.edition_project import commit_all, git, prepare

SPACE = "somebody/small-pages"
PAGES = {
    ".gamut-report": b"Written by gamut report\n",
    "index.html": b"<h1>What was built</h1>",
    "assets/page.js": b"0",
    "benchmarks/prism/index.html": b"<h1>PRISM-Bench</h1>",
    "benchmarks/prism/thumbnails/a.webp": b"RIFF\0a",
    "benchmarks/knowledge/index.html": b"<h1>Knowledge studies</h1>",
}


def put(files: dict[str, bytes]) -> None:
    for name, data in files.items():
        path = Path("report", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def put_publication(**publication: object) -> None:
    values = fakes.values()
    Path("params.yaml").write_text(
        json.dumps(values | {"publish": {"pages": {"repo": SPACE, "license": "cc-by-4.0"} | publication}})
    )
    commit_all()


@pytest.fixture(autouse=True)
def folder(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A committed project with pages, whose build DVC calls up to date."""
    monkeypatch.setattr(troubles, "WAITS", (0.0,) * 5)
    monkeypatch.setattr(readiness, "dvc_status", lambda stages: {})
    prepare()
    Path("dvc.lock").write_text("stages: {}\n")
    with Path(".gitignore").open("a") as ignored:
        ignored.write("report\n")
    put(PAGES | {".gitignore": b"/index.html\n", "benchmarks/.gitkeep": b"", "dataset/.gamut-report": b"x"})
    put_publication(title="A small world: pages")
    return project


@pytest.fixture
def hub(folder: Path) -> Iterator[Hub]:
    with hub_server() as hub, client_here(hub, folder / "home"):
        yield hub


def publish(dry_run: bool = False, private: bool = False) -> list[str]:
    said: list[str] = []
    pages.publish_pages(dry_run, private, said.append)
    return said


def shown(hub: Hub) -> dict[str, bytes]:
    return {path: data for path, data in hub.files(SPACE, kind="spaces").items() if path != ".gitattributes"}


def commits(hub: Hub) -> int:
    repo = hub.repo(SPACE, "spaces")
    return len(list(repo.history(repo.at("main")))) - 1


def test_a_space_shows_the_pages_and_says_where_they_come_from(hub: Hub) -> None:
    said = publish()
    found = shown(hub)
    card = SpaceCard(found.pop("README.md").decode())
    assert found == PAGES and commits(hub) == 1
    assert card.data.to_dict() == {"title": "A small world: pages", "sdk": "static", "license": "cc-by-4.0"}
    assert f"git revision {git('rev-parse', 'HEAD').strip()}" in hub.repo(SPACE, "spaces").at("main").message
    assert said[0].startswith(f"pages → {SPACE} (a new repository): 3 pages, 7 files, ")
    assert said[-2].startswith("the pages show all prompts, answers, replies and pictures")
    assert said[-1] == f"{hub.url}/spaces/{SPACE} shows them"
    assert not hub.repo(SPACE, "spaces").tags and not Path("datasets/published").exists()
    hub.log.clear()
    assert publish() == [f"{SPACE} shows these pages already: nothing to do"]
    assert {call.method for call in hub.log} == {"GET"}


def test_nothing_goes_up_that_no_build_wrote(hub: Hub) -> None:
    strays = ("notes.txt", "drafts/a.html", ".hidden/a.html", "dataset/.hidden/a.html", "benchmarks/gone/index.html")
    put(dict.fromkeys(strays, b"of one person"))
    publish()
    assert shown(hub).keys() == {*PAGES, "README.md"}


def test_a_link_is_followed_into_the_cache_of_dvc_alone(hub: Hub) -> None:
    cached, secret = Path("cache/files/md5/ab", "c" * 30), Path("secret.html")
    cached.parent.mkdir(parents=True)
    cached.write_bytes(PAGES["index.html"])
    secret.write_bytes(b"of one person")
    commit_all()
    for page, target in (("report/index.html", cached), ("report/benchmarks/prism/index.html", secret)):
        Path(page).unlink()
        Path(page).symlink_to(target.absolute())
    with pytest.raises(UserError, match=r"^the link report/benchmarks/prism/index.html leads out of report: delete"):
        publish()
    Path("report/benchmarks/prism/index.html").unlink()
    Path("report/dataset/theirs").symlink_to(Path.cwd() / "datasets")
    with pytest.raises(UserError, match=r"^the link report/dataset/theirs/.* leads out of report: "):
        publish()
    Path("report/dataset/theirs").unlink()
    publish()
    assert shown(hub)["index.html"] == PAGES["index.html"]


def test_only_what_changed_goes_up_and_what_is_gone_goes(hub: Hub) -> None:
    publish()
    hub.commit(SPACE, shown(hub) | {"LICENSE": b"theirs"}, kind="spaces")
    hub.log.clear()
    put({"index.html": b"<h1>What was built since</h1>"})
    Path("report/benchmarks/prism/thumbnails/a.webp").rename("report/benchmarks/prism/thumbnails/b.webp")
    assert "2 files, 35 B to upload, 1 to delete" in publish()[0]  # 29 + 6 bytes
    assert not hub.asked("PUT", "/lfs/")  # the bytes of the thumbnail are there
    found = shown(hub)
    assert found["LICENSE"] == b"theirs" and found["index.html"] == b"<h1>What was built since</h1>"
    assert "benchmarks/prism/thumbnails/b.webp" in found and "benchmarks/prism/thumbnails/a.webp" not in found


@pytest.mark.parametrize("what", ["drop_after", "drop_before", 503, "stale_parent"])
def test_a_cut_off_commit_is_there_once(hub: Hub, what: str | int) -> None:
    hub.script.append(Fault("POST", "/commit/", what))
    publish()
    assert commits(hub) == 1 and len(shown(hub)) == 7


def test_a_space_of_others_is_left_alone(hub: Hub) -> None:
    hub.commit(SPACE, {"README.md": b"---\nsdk: static\n---\n", "index.html": b"theirs"}, kind="spaces")
    with pytest.raises(
        UserError, match=r"^somebody/small-pages holds files that gamut did not publish \('index.html'\)"
    ):
        publish()
    assert shown(hub)["index.html"] == b"theirs"


def test_a_dry_run_writes_nothing(hub: Hub) -> None:
    said = publish(dry_run=True, private=True)[-1]
    assert said == "nothing was written: `gamut publish pages --private` publishes them"
    assert not hub.state.repos


def test_what_may_not_be_passed_on_is_shown_to_nobody_else(hub: Hub) -> None:
    origin = {"source": "theirs", "revision": "1", "licence": "CC BY-NC-ND 4.0", "redistributable": False}
    path = Path("datasets/editions/prism/small.origin.json")
    path.write_text(json.dumps(origin))
    commit_all()
    with pytest.raises(UserError, match=r"may not be redistributed, but the pages show it: use `--private` for a "):
        publish()
    publish(private=True)
    assert hub.repo(SPACE, "spaces").private
    path.unlink()
    commit_all()
    assert publish() and hub.repo(SPACE, "spaces").private


def test_sources_that_may_not_be_passed_on_count_too(folder: Path) -> None:
    source = {
        "wave": "theirs",
        "kind": "file",
        "path": "datasets/sources/a.tsv",
        "columns": {"caption": "Prompt"},
        "route": "as_is",
    }
    sources = [*fakes.values()["sources"], source | {"redistributable": False}]
    assert [*pages.kept_back(fakes.everything(sources=sources))] == ["sources: theirs: `redistributable: false`"]
    assert [*pages.kept_back(fakes.everything(safety={"ask": True}))] == ["what `safety` left out may not be published"]


@pytest.mark.parametrize("missing", ["index.html", ".gamut-report"])
def test_without_pages_there_is_nothing_to_publish(missing: str) -> None:
    Path("report", missing).unlink()
    with pytest.raises(UserError, match=r"^report: there are no pages: `dvc repro report` writes them, `dvc pull` "):
        publish()


def test_pages_of_another_build_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "dvc_status", lambda stages: {one: ["changed deps"] for one in stages})
    with pytest.raises(UserError, match=r"^the build is not up to date \(report\): run `dvc repro` and commit what it"):
        publish()
    Path("params.yaml").write_text(json.dumps(json.loads(Path("params.yaml").read_text()) | {"seed": 1}))
    with pytest.raises(UserError, match=r"^not committed: params.yaml: "):
        publish()


def test_a_space_has_no_version() -> None:
    put_publication(version="0.2.0")
    with pytest.raises(
        UserError, match=r"publish.pages: leave `version` out: a Space has no versions, only the latest pages"
    ):
        load_everything()


def test_pages_are_known_by_the_same_mark_here_and_there() -> None:
    assert (REPORT_MARK, pages.REPORT) == (report_folder.MARK, report_folder.REPORT)
