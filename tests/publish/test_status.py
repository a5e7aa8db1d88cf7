"""`gamut publish --status` shows what there is, whatever is missing or wrong: every cell says why it cannot tell."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stages.project.errors import UserError
from stages.project.files import write_json
from stages.publish import products, publishing, receipts, status, troubles
from stages.publish.parameters import load_everything
from tests import fakes
from tests.hub.answers import Response
from tests.hub.client import client_here
from tests.hub.faults import Fault
from tests.hub.server import Hub, hub_server
from tests.publish import small_version
from tests.publish.edition_project import REPO, prepare, put_params

SAME = f"{REPO}: v0.1.0; v0.1.0 is what lies here"


@pytest.fixture(autouse=True)
def folder(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A committed project with an edition, a wide terminal, a clock without waits."""
    monkeypatch.setattr(troubles, "WAITS", (0.0,) * 5)
    monkeypatch.setenv("COLUMNS", "400")
    prepare()
    return project


@pytest.fixture
def hub(folder: Path) -> Iterator[Hub]:
    """A Hub with v0.1.0, as it lies here."""
    with hub_server() as hub, client_here(hub, folder / "home"):
        publishing.publish("prism", False, False, False, lambda line: None)
        hub.log.clear()
        yield hub


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str]) -> Callable[[], tuple[str, str, str]]:
    """The three cells of the edition, as they are printed."""

    def show() -> tuple[str, str, str]:
        capsys.readouterr()
        status.show()
        row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("│ prism"))
        here, last, there = (cell.strip() for cell in row.strip("│").split("│")[1:])
        return here, last, there

    return show


Shown = Callable[[], tuple[str, str, str]]


def test_a_version_that_was_published_from_here(hub: Hub, shown: Shown) -> None:
    commit = hub.repo(REPO).tags["v0.1.0"]
    assert shown() == ("v0.1.0, 3 rows", f"v0.1.0, 3 rows, commit {commit[:8]} of {REPO}", SAME)
    assert {call.method for call in hub.log} == {"GET"}


def test_what_is_to_be_done_stands_below(hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    values = json.loads(Path("params.yaml").read_text())
    values["publish"]["dataset"]["repo"] = None
    Path("params.yaml").write_text(json.dumps(values))
    status.show()
    assert capsys.readouterr().out.endswith("nothing waits: name a repository, or another version, in params.yaml\n")
    put_params(version="0.2.0")
    status.show()
    last = "`gamut publish prism --dry-run` says what would go up\n"
    assert capsys.readouterr().out.endswith(last)


def test_a_product_that_nobody_publishes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is asked for it, and nothing of it has to be there."""
    values = fakes.values()
    nobody = {name: of | {"repo": None} for name, of in values["publish"].items()}
    Path("params.yaml").write_text(json.dumps(values | {"publish": nobody}))
    status.show()
    out = capsys.readouterr().out
    assert "no repository named: publish.dataset.repo in params.yaml" in out
    assert "no repository named: publish.prism.repo in params.yaml" in out
    assert "datasets/release: there is no finished table here" in out and "none" in out


def test_a_version_that_is_not_there_yet(hub: Hub, shown: Shown) -> None:
    put_params(version="0.2.0")
    here, last, there = shown()
    assert here == "v0.2.0, 3 rows" and last.startswith("v0.1.0, ") and there == f"{REPO}: v0.1.0"


def test_a_version_that_is_taken(hub: Hub, shown: Shown) -> None:
    put_params(title="Another title")
    assert shown()[2] == f"{REPO}: v0.1.0; v0.1.0 is taken by other content: bump the version"


def test_tags_are_listed_in_the_order_of_their_versions_and_no_others(hub: Hub, shown: Shown) -> None:
    tags = hub.repo(REPO).tags
    for tag in ("v1.0.0", "v1.0.0-rc.10", "v1.0.0-rc.2", "v1.0.0-alpha", "latest", "v1", "v1.0.0-01", "[/red]"):
        tags[tag] = tags["v0.1.0"]
    assert shown()[2] == (f"{REPO}: v0.1.0, v1.0.0-alpha, v1.0.0-rc.2, v1.0.0-rc.10, v1.0.0; v0.1.0 is what lies here")


def test_a_repository_without_versions_or_none_at_all(hub: Hub, shown: Shown) -> None:
    hub.repo(REPO).tags.clear()
    assert shown()[2] == f"{REPO}: no version"
    hub.state.repos.clear()
    assert shown()[2] == f"{REPO}: not there, or private"


def test_a_private_repository_without_a_token(hub: Hub, folder: Path, shown: Shown) -> None:
    with client_here(hub, folder / "home", token=None):
        assert shown()[2] == SAME
        hub.repo(REPO).private = True
        assert shown()[2] == f"{REPO}: not there, or private"


def test_a_name_that_no_repository_can_have(hub: Hub, shown: Shown) -> None:
    put_params(repo="somebody/b--ad")
    assert shown()[2].startswith("'somebody/b--ad' cannot name a repository on the Hub: ")


def test_nothing_built_here(hub: Hub, shown: Shown) -> None:
    shutil.rmtree("datasets/editions")
    here, last, there = shown()
    assert here.startswith("v0.1.0; datasets/editions/prism/small.jsonl: ") and last.startswith("v0.1.0, ")
    assert there.startswith(f"{REPO}: v0.1.0; v0.1.0 cannot be compared: datasets/editions/prism/small.jsonl: ")


def test_no_licence(hub: Hub, shown: Shown) -> None:
    put_params(license=None)
    assert shown()[2].startswith(
        f"{REPO}: v0.1.0; v0.1.0 cannot be compared: params.yaml: publish.prism.license is null: decide under which"
    )


def test_no_network(hub: Hub, shown: Shown) -> None:
    with hub.unreachable():
        here, _, there = shown()
    assert here == "v0.1.0, 3 rows" and there.startswith(f"{REPO}: the Hub cannot be reached (")


@pytest.mark.parametrize("part", ["/api/datasets", "/refs"])
def test_a_hub_that_is_busy_from_the_start(hub: Hub, shown: Shown, part: str) -> None:
    with hub.failing(part, 503):
        assert shown()[2] == f"{REPO}: the Hub is busy or broken (503): run it again later, it goes on where it was"


def test_a_hub_that_becomes_busy_has_not_taken_the_version(hub: Hub, shown: Shown) -> None:
    hub.script.append(Fault("GET", "/tree/", 503, times=99))
    assert shown()[2] == (
        f"{REPO}: v0.1.0; v0.1.0 cannot be compared: {REPO}: the Hub is busy or broken (503): "
        "run it again later, it goes on where it was"
    )


@pytest.mark.parametrize("body", [b"<html>", {}, []])
def test_what_is_not_the_hub(hub: Hub, shown: Shown, body: object) -> None:
    hub.faults["/api/datasets"] = Response(200, body)
    assert "mend HF_ENDPOINT" in shown()[2]


def test_a_version_that_goes_while_it_is_looked_at(hub: Hub, shown: Shown) -> None:
    tags = hub.repo(REPO).tags
    hub.script.append(Fault("GET", "/refs", then=lambda hub: tags.clear()))
    assert shown()[2] == f"{REPO}: v0.1.0; v0.1.0 is gone again"


def test_words_of_the_hub_are_no_markup(hub: Hub, shown: Shown) -> None:
    hub.faults["/refs"] = Response(400, {"error": "bad [/path] of a :smile: [red]thing[/red]"})
    assert shown()[2] == f"{REPO}: the Hub refuses (400): bad [/path] of a :smile: [red]thing[/red]"


@pytest.mark.parametrize("changes", [{"tag": "latest"}, {"commit": "main"}, {"rows": None}])
def test_a_wrong_receipt(hub: Hub, shown: Shown, changes: dict[str, object]) -> None:
    path = receipts.path_of(REPO, "v0.1.0")
    write_json(path, json.loads(path.read_text()) | changes)
    here, last, there = shown()
    assert last == f"{path}: this is no receipt: restore it from git (`git checkout {path}`)"
    assert (here, there) == ("v0.1.0, 3 rows", SAME)


def test_the_last_receipt_is_that_of_the_last_version(hub: Hub, shown: Shown) -> None:
    known = receipts.read(receipts.path_of(REPO, "v0.1.0"))
    assert known is not None
    for tag in ("v1.0.0-rc.10", "v1.0.0-rc.2"):
        receipts.write(known.model_copy(update={"tag": tag}))
    assert shown()[1].startswith("v1.0.0-rc.10, 3 rows")


def test_the_dataset_without_its_card(hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    """What `content` lacks is told where the version is compared."""
    small_version.build()
    values = json.loads(Path("params.yaml").read_text())
    values["publish"]["dataset"] |= {"repo": "somebody/data", "license": "cc0-1.0"}
    Path("params.yaml").write_text(json.dumps(values))
    hub.commit("somebody/data", {"a.txt": b"a"})
    hub.repo("somebody/data").tags["v0.1.0"] = hub.repo("somebody/data").at("main").oid
    params = load_everything()
    assert status.here("dataset", params) == "v0.1.0, 2 rows"
    assert status.there("dataset", params) == (
        "somebody/data: v0.1.0; v0.1.0 is taken by other content: bump the version",
        False,
    )
    Path("datasets/card.md").unlink()
    assert "v0.1.0 cannot be compared: datasets/card.md: there is no data card" in status.there("dataset", params)[0]


def test_parameters_that_are_wrong_are_the_only_thing_told(folder: Path) -> None:
    put_params(version="1.0.0-01")
    with pytest.raises(UserError, match=r"^params\.yaml: publish\.prism\.version: '1\.0\.0-01': major\.minor\.patch"):
        status.show()


def test_a_mistake_of_ours_is_not_shown_as_a_cell(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    def bug(name: str, params: object) -> None:
        raise ValueError("a bug")

    monkeypatch.setattr(products, "product", bug)
    with pytest.raises(ValueError, match=r"^a bug$"):
        status.show()


def test_a_product_that_params_yaml_does_not_name_is_left_out(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = fakes.values()
    (project / "params.yaml").write_text(
        json.dumps(values | {"publish": {"prism": values["publish"]["prism"] | {"repo": None}}})
    )
    status.show()
    said = capsys.readouterr().out
    assert "no repository named" in " ".join(said.split()) and "dataset" not in said.split()
