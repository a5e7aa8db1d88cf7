"""Five lines of own items, from the file to the board and its page, and through the commands, without `dvc`."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from typer.testing import CliRunner

from gamut.command.cli import app
from gamut.command.left_out import leave_out
from gamut.evaluation.bodies.leaderboard import leaderboard
from gamut.evaluation.defining.editions import read_editions
from gamut.project.parameters import Shared, load
from gamut.publish.card import card_text
from gamut.publish.edition_card import about_edition
from gamut.publish.parameters import load_everything
from gamut.publish.products import find_product
from gamut.tables.reading import read_rows
from tests.end_to_end.project import SIZES, Project
from tests.guard.declared import require_declared, with_tracing
from tests.paths import ROOT

LINES: list[dict[str, Any]] = [
    {
        "id": "cars",
        "prompt": "two red cars to the left of a blue house",
        "checklist": ["Are there exactly two red cars in the picture?", "Does the picture show a blue house?"],
        "groups": ["places"],
    },
    {"id": "birds", "prompt": "three yellow birds", "rubric": "The picture shows three yellow birds."},
    {
        "id": "cat",
        "prompt": "a black cat to the right of three yellow birds",
        "rubric": "The picture shows a black cat to the right of three yellow birds.",
        "scale": 2,
        "groups": ["places"],
    },
    {"id": "chair", "prompt": "a green chair", "aesthetics": True, "references": ["a chair that is green"]},
    {"id": "shop", "prompt": "a cosy coffee shop at dusk, in the rain"},
]
FAULTS = {"wrong_count": 1.0, "swapped_relation": 1.0}


def configure(params: Any) -> None:
    for name in ("prism", "aegis", "gir", "gapeval", "genius"):
        del params[name], params["publish"][name]
    params["contestants"] = {
        name: {"class": "unified", "model": {"kind": "sandbox", "faults": faults}}
        for name, faults in (("careful", {}), ("hasty", FAULTS))
    }
    params["roles"]["judge"] = "world"
    params["publish"]["own"] = {"repo": "somebody/mine", "version": "0.1.0", "title": "Mine", "license": "cc0-1.0"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the benchmark alone, whose contestants were put to these lines. Not to be changed."""
    folder = tmp_path_factory.mktemp("own")
    for name in ("stages/own/dvc.yaml", ".dvcignore", "dvc.yaml", "params.yaml"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    for name in ("answers", "judgments"):
        (folder / "datasets/own" / name).mkdir(parents=True)
    yaml, path = YAML(), folder / "params.yaml"
    params = yaml.load(path.read_text())
    configure(params)
    with path.open("w") as file:
        yaml.dump(params, file)
    (folder / "run.toml").write_text("[models.world]\nconcurrency = 1\n")  # workers take long to start
    (folder / "items.jsonl").write_text("".join(json.dumps(line) + "\n" for line in LINES))
    origin = {"source": "us", "revision": "1", "licence": "cc0-1.0", "redistributable": True}
    (folder / "items.origin.json").write_text(json.dumps(origin))
    here = Path.cwd()
    os.chdir(folder)
    try:
        run = CliRunner().invoke(app, ["import", "own", "items.jsonl", "mine"])
        assert run.exit_code == 0, run.output
        params = yaml.load(path.read_text())
        params["own"]["answer"] |= {"width": 256, "height": 256}
        with path.open("w") as file:
            yaml.dump(params, file)
    finally:
        os.chdir(here)
    alone = (sys.executable, "-m", "tests.end_to_end.without_dvc", "dvc.yaml:world", "stages/own/dvc.yaml:board")
    with_tracing(Project(folder, os.environ | SIZES | {"PYTHONPATH": str(ROOT)}), reads_of(folder)).run(*alone)
    return folder


def reads_of(folder: Path) -> Path:
    """Where what its stages read stands."""
    return folder.with_name(f"{folder.name}_reads")


def test_stages_read_what_they_declare(built: Path) -> None:
    require_declared(built, reads_of(built), "own")


@pytest.fixture
def there(built: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(built)
    return built


def test_the_board_tells_who_does_better_and_what_nobody_could(there: Path) -> None:
    """Careful does all that the world can: four of five items, whose looks have 9 of 10 points: (3 · 100 + 95) / 5."""
    found = json.loads(Path("metrics/own/mine/board.json").read_text())
    start = "as_is.world."
    assert found[f"{start}careful.overall"] == 79 > found[f"{start}hasty.overall"]
    assert found[f"{start}control_blank.overall"] == 0
    own = json.loads(Path("metrics/own/mine/contestants/careful.json").read_text())
    assert own[f"{start}places"] == 100 and (own[f"{start}overall_n"], own[f"{start}places_n"]) == (5, 2)
    assert own[f"{start}answered.unsupported"] == 1 and own[f"{start}coverage"] < 1
    assert {row["status"] for row in read_rows(Path("datasets/own/judgments/careful/world/answers"))} == {"ok"}


def test_pages_and_the_leaderboard_have_it(there: Path) -> None:
    shown = Path("report/benchmarks/own/index.html").read_text()
    assert "Own benchmark" in shown and "careful" in shown
    items = " ".join(path.read_text() for path in Path("report/benchmarks/own/items").rglob("*.html"))
    assert "Does the picture show a blue house?" in items and "three yellow birds" in items
    leaderboard(load(Shared))
    ranked = json.loads(Path("metrics/leaderboard.json").read_text())
    assert ranked["own.mine.as_is.world.careful.overall"] == 79


def test_it_is_compared_shown_and_labelled_like_any_other(there: Path) -> None:
    def run(*words: str) -> str:
        done = CliRunner().invoke(app, [*words])
        assert done.exit_code == 0, done.output
        return done.output

    [compared] = json.loads(run("compare", "careful", "hasty", "--of", "own", "--json"))["compared"]
    assert compared["benchmark"] == "own"
    assert "The picture shows a black cat" in run("show", "own", "cat")
    assert "tasks for Label Studio" in run("label", "own", "--answers", "4", "--label-studio", "studio")
    assert list(leave_out()) == []


def test_what_is_public_is_held_out_and_its_card_says_what_it_is(there: Path) -> None:
    held = {text for edition, item in read_editions() for text in item.held_out if edition == "own/mine"}
    assert held == {*(line["prompt"] for line in LINES), "a chair that is green"}
    everything = load_everything()
    made = find_product("own", everything)
    whole = card_text(made, about_edition(made, everything))
    assert "frozen edition `mine`: 5 items in English" in whole and "| picture | 5 |" in whole
    assert all(f"| `{key}` |" in whole for key in ("answer", "checklist", "rubric", "groups", "references"))
