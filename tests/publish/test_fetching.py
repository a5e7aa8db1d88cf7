"""`gamut fetch`: a version comes back byte for byte, or one clear line says why and nothing here is changed."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from stages.errors import UserError
from stages.publish import downloads, fetching, troubles
from stages.publish.files import File, in_memory
from tests.hub.faults import Fault
from tests.hub.server import Hub
from tests.publish.bare_version import REPO, served, version

SHARDS = {"a-00000": b"rows of a", "b-00000": b"rows of b"}
TABLE = b'{"rows": 6, "statuses": {}, "shards": []}\n'
RELEASE = Path("datasets/release")
WHOLE = {"a-00000.parquet": b"rows of a", "b-00000.parquet": b"rows of b", "manifest.json": TABLE}


@pytest.fixture
def hub(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A Hub with one version, in an empty project."""
    monkeypatch.setattr(troubles, "WAITS", (0.0,) * 5)
    with served(project) as (hub, _):
        put(hub, laid_out(project))
        hub.log.clear()
        yield hub


def laid_out(folder: Path, number: str = "0.1.0", shards: Mapping[str, bytes] = SHARDS) -> dict[str, bytes]:
    """All files of a version by their paths."""
    table = in_memory("data/manifest.json", TABLE, "manifest.json")
    files = version(folder / "made", number, shards, more=[table])
    return {file.path: file.read() for file in files}


def put(hub: Hub, files: Mapping[str, bytes], tag: str = "v0.1.0") -> None:
    hub.repo(REPO).tags[tag] = hub.commit(REPO, files) if files else ""


def fetch(tag: str = "v0.1.0") -> list[str]:
    said: list[str] = []
    fetching.fetch(f"{REPO}@{tag}", said.append)
    return said


def here() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(RELEASE.iterdir())} if RELEASE.exists() else {}


def refused(line: str, tag: str = "v0.1.0") -> None:
    before = here()
    with pytest.raises(UserError, match=line) as error:
        fetch(tag)
    assert "\n" not in str(error.value)
    assert here() == before, "nothing half done"


def test_the_files_lie_where_the_build_would_have_put_them(hub: Hub) -> None:
    said = fetch()
    assert here() == WHOLE
    assert said[-1] == f"{RELEASE}: 6 rows of {REPO}@v0.1.0, every file verified"
    assert list(Path("datasets").iterdir()) == [RELEASE] and [
        path.name for path in Path(".store/fetched").iterdir()
    ] == ["release"]


def test_again_nothing_is_downloaded(hub: Hub) -> None:
    fetch()
    hub.log.clear()
    assert fetch() == [f"{RELEASE} has the files of {REPO}@v0.1.0 already, verified: nothing to do"]
    assert not hub.asked("GET", r"\.parquet")


def test_a_release_that_was_fetched_gives_way_to_another_version(hub: Hub, project: Path) -> None:
    put(hub, laid_out(project, "0.2.0", {"a-00000": b"new rows"}), "v0.2.0")
    fetch()
    (RELEASE / "a-00000.parquet").write_bytes(b"rotten   ")
    fetch("v0.2.0")
    assert here() == {"a-00000.parquet": b"new rows", "manifest.json": TABLE}
    fetch()
    assert here() == WHOLE


def test_a_release_that_was_built_gives_way_only_when_dvc_knows_it(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    RELEASE.mkdir(parents=True)
    (RELEASE / "manifest.json").write_bytes(b"{}")
    refused(r"^datasets/release holds a release that dvc\.lock does not record, and that was not fetched: move it away")
    Path("dvc.yaml").touch()
    monkeypatch.setattr(fetching.pipeline, "is_recorded", lambda stage: stage == "release")
    fetch()
    assert here() == WHOLE


def test_what_is_not_an_address() -> None:
    for text in ("org", "org/name", "org/name@", "@v1", "a/b/c@v1"):
        with pytest.raises(UserError, match=r"org/name@v0\.1\.0 is wanted$"):
            fetching.fetch(text, print)


def test_what_is_not_there(hub: Hub) -> None:
    refused(rf"^{REPO}: there is no tag 'v0\.1\.1'; did you mean 'v0\.1\.0'\?$", "v0.1.1")
    refused(rf"^{REPO}: there is no tag 'main'", "main")
    with pytest.raises(UserError, match=r"^some/thing: no such dataset on the Hub, or a private one"):
        fetching.fetch("some/thing@v1", print)
    hub.commit("some/model", {"config.json": b"{}"}, kind="models")
    with pytest.raises(UserError, match=r"^some/model is a model on the Hub, not a dataset"):
        fetching.fetch("some/model@v1", print)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (b"{", b"", r"its manifest\.json is damaged \(it: Invalid JSON"),
        (b'"dataset"', b'"model"', r"it holds 'model'.*fetch it with a newer gamut"),
        (b"0.1.0", b"0.2.0", r"it holds version 0\.2\.0: the tag was moved or altered"),
        (b"data/a", b"../a", r"its manifest\.json is damaged \(files\.0\.path: Value error, a path inside"),
        (b'"a-00', b'"/etc/a', r"its manifest\.json is damaged \(files\.0\.name: String should match"),
        (b'"rows": 6', b'"rows": -6', r"its manifest\.json is damaged \(rows: Input should be greater"),
    ],
)
def test_a_manifest_that_was_altered(hub: Hub, project: Path, old: bytes, new: bytes, line: str) -> None:
    files = laid_out(project)
    assert old in files["manifest.json"]
    put(hub, files | {"manifest.json": files["manifest.json"].replace(old, new, 1)})
    refused(rf"^{REPO}@v0\.1\.0: {line}")
    assert not hub.asked("GET", r"\.parquet")


def test_a_manifest_that_is_missing(hub: Hub, project: Path) -> None:
    files = laid_out(project)
    del files["manifest.json"]
    put(hub, files)
    refused(rf"^{REPO}@v0\.1\.0: it has no manifest\.json: gamut did not publish it, or it was altered$")


def test_a_shard_that_was_altered_on_the_hub(hub: Hub, project: Path) -> None:
    files = laid_out(project)
    path = next(path for path in files if path.startswith("data/b"))
    put(hub, files | {path: b"other rows"})
    refused(rf"^{REPO}: {path} came with sha256 [0-9a-f]{{8}}…, its manifest says [0-9a-f]{{8}}…: run it again; if it")


def test_a_shard_that_was_taken_away_on_the_hub(hub: Hub, project: Path) -> None:
    files = laid_out(project)
    del files[path := next(path for path in files if path.startswith("data/b"))]
    put(hub, files)
    refused(rf"^{REPO}: {path} is not there, though its manifest lists it: the version was altered on the Hub$")


def test_other_bytes_on_the_way_are_brought_again_by_the_next_run(hub: Hub) -> None:
    hub.script.append(Fault("GET", r"data/b.*parquet", "other_bytes"))
    refused(r"data/b-00000-.* came with sha256 .*: run it again")
    fetch()
    assert here() == WHOLE
    assert len(hub.asked("GET", r"data/a.*parquet")) == 1, "what was right was kept"


def test_another_revision_in_the_place_of_the_one_asked_for(hub: Hub) -> None:
    hub.script.append(Fault("HEAD", "manifest.json", "other_commit"))
    refused(
        rf"^{REPO}: the Hub gives manifest\.json of 00000000 for [0-9a-f]{{8}}: another revision was put in its place$"
    )


def test_a_receipt_tells_that_the_tag_was_moved(hub: Hub, project: Path) -> None:
    receipt = Path("datasets/published/dataset/v0.1.0.json")
    receipt.parent.mkdir(parents=True)
    receipt.write_text(
        json.dumps(
            {"product": "dataset", "repo": REPO, "url": "", "tag": "v0.1.0", "commit": "1" * 40, "git_revision": ""}
            | {"manifest_sha256": "2" * 64, "files": 1, "bytes": 1, "rows": 1, "dvc_hash": None}
        )
    )
    refused(
        rf"^{REPO}@v0\.1\.0: the tag names [0-9a-f]{{8}}, {receipt} says 11111111: the version was moved on the Hub$"
    )
    text = receipt.read_text().replace("1" * 40, hub.repo(REPO).tags["v0.1.0"])
    receipt.write_text(text)
    refused(rf"^{REPO}@v0\.1\.0: its manifest\.json is not the one of {receipt}: it was altered$")
    receipt.write_text("{}")
    refused(rf"^{receipt}: this is no receipt: restore it from git")


def test_a_network_that_goes_away_and_comes_back(hub: Hub) -> None:
    with hub.unreachable():
        refused(rf"^{REPO}: the Hub cannot be reached \(.+\): check the network")
    hub.script.append(Fault("GET", r"data/b.*parquet", "drop_before", times=99))
    refused(rf"^{REPO}: ")
    hub.script.clear()
    fetch()
    assert here() == WHOLE
    assert len(hub.asked("GET", r"data/a.*parquet")) == 1, "what came before was kept"


def test_a_disk_that_is_too_small_is_told_before_anything_comes(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    small = shutil.disk_usage("/")._replace(free=10)
    monkeypatch.setattr(downloads.shutil, "disk_usage", lambda path: small)
    refused(r"^.*fetched.*: \d+ B are to come, 10 B are free: make room, or set GAMUT_STORE$")
    assert not hub.asked("GET", r"\.parquet")


def test_a_disk_that_fills_up_on_the_way(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> Path:
        raise OSError(28, os.strerror(28))

    with monkeypatch.context() as patch:
        patch.setattr(downloads, "fetch", full)
        refused(rf"^{REPO}: the disk is full: make room and run it again, what came is kept$")


def test_an_edition_is_never_overwritten(hub: Hub, project: Path) -> None:
    items = b'{"id": "a/0", "prompt": "a cat"}\n'
    data = in_memory(f"data/v1-{in_memory('', items).sha256[:8]}.jsonl", items, "v1.jsonl")
    bench = served_edition(project, data)
    put(hub, {file.path: file.read() for file in bench}, "v0.1.0")
    fetch()
    path = Path("datasets/editions/prism/v1.jsonl")
    assert path.read_bytes() == items
    path.write_bytes(b'{"id": "a/0", "prompt": "a dog"}\n')
    with pytest.raises(UserError, match=rf"^{path} is frozen, with other items: move it away first$"):
        fetch()
    assert b"dog" in path.read_bytes()


def served_edition(folder: Path, data: File) -> list[File]:
    from stages.publish.content import manifest

    return [data, manifest("prism", "0.1.0", 1, [data])]
