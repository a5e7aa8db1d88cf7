"""The board of PRISM-Bench with the real `dvc`: who is touched by what, killed judges, prompts for a new edition."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest

from gamut.project.pipeline import EDITIONS
from gamut.project.staleness import staleness
from gamut.project.validation import read_yaml
from stages.prism.shared.items import TRACKS
from tests.end_to_end.project import PER_TRACK, Project
from tests.guard.declared import require_declared, with_tracing

ITEMS = PER_TRACK * len(TRACKS)
PICTURES = ITEMS * 2  # languages


CONTESTANTS = ("careful", "hasty")


def running(output: str) -> set[str]:
    """The stages that dvc ran."""
    return set(re.findall(r"Running stage '(?:stages/)?(.*?)'", output))


def test_the_board_recovers_the_known_order(original: Project) -> None:
    found = original.metrics("leaderboard")
    for language in ("en", "zh"):
        start = f"prism.small.{language}.world."
        assert found[f"{start}careful.overall"] > found[f"{start}hasty.overall"]
        assert found[f"{start}careful.rank_best"] == 1
        assert found[f"{start}control_blank.overall"] == 0 and found[f"{start}validation.passed"] == 1
        assert found[f"{start}control_mismatched.alignment"] < 30 < found[f"{start}careful.alignment"]
        for name in CONTESTANTS:
            assert found[f"{start}{name}.coverage"] == 1 and found[f"{start}{name}.overall_n"] == ITEMS
    assert all(math.isfinite(value) for value in found.values())
    asked = {stage: count for stage, count in original.asked().items() if stage.startswith("prism.")}
    assert asked == {
        **{f"prism.answer@{name}": PICTURES for name in CONTESTANTS},
        **{f"prism.judge@{name}-world": PICTURES * 2 for name in CONTESTANTS},
        "prism.judge_controls@careful-world": PICTURES * 2 * 3,  # blank, mismatched, praise
    }


def test_the_same_verdicts_give_the_same_board(built: Project) -> None:
    """What asks nobody is run again: DVC records the same bytes."""
    before = read_yaml(built.folder / "stages/prism/dvc.lock")
    cell = "stages/prism/dvc.yaml:board"
    ran = running(built.run("dvc", "repro", "--force", "--single-item", cell).stdout)
    assert ran == {cell.removeprefix("stages/")}
    assert read_yaml(built.folder / "stages/prism/dvc.lock") == before


def test_another_contestant_runs_only_its_cells(built: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def add(params: Any) -> None:
        faults = {"wrong_count": 0.1, "blur": 0.1}
        model = {"kind": "sandbox", "faults": faults}
        params["contestants"]["sloppy"] = {"class": "generation", "variant_of": "careful", "model": model}
        params["prism"]["contestants"].append("sloppy")

    before = built.asked()
    monkeypatch.chdir(built.folder)
    shown = [["release"], ["statistics"], ["prism.board"], ["report"]]
    assert [staleness(stages) for stages in shown] == [None] * 4
    built.edit(add)
    changed = "contestants.sloppy, prism.contestants changed since"
    assert staleness(["prism.board"]) == (
        f"not built with these parameters ({changed}): `dvc repro stages/prism/dvc.yaml:board` builds it again"
    )
    assert staleness(["release"]) is staleness(["prism.judge@careful-world"]) is None
    built.edit(lambda params: params["admit"].update(clarity=9))  # of the dataset: it touches no contestant
    ran = running(built.run("dvc", "repro", "leaderboard").stdout)
    assert staleness(["prism.board"]) is None
    folder = {"answer@sloppy", "judge@sloppy-world", "board"}
    assert ran == {f"prism/dvc.yaml:{stage}" for stage in folder} | {"players", "leaderboard"}
    asked = {stage: count for stage, count in built.asked().items() if count != before.get(stage)}
    assert asked == {"prism.answer@sloppy": PICTURES, "prism.judge@sloppy-world": PICTURES * 2}
    difference = built.run("dvc", "metrics", "diff").stdout
    assert re.search(r"^metrics/prism/small.json +sloppy +- +[\d.]+", difference, re.MULTILINE)
    assert set(re.findall(r"^\S+/\S+", difference, re.MULTILINE)) == {"metrics/prism/small.json"}
    compared = built.run("gamut", "compare", "careful", "sloppy", "--json").stdout
    assert '"overall"' in compared
    unlike = built.run("gamut", "compare", "careful", "nobody", check=False)
    assert unlike.returncode == 1 and "nobody" in unlike.stderr and "Traceback" not in unlike.stderr


def test_prompts_for_a_new_edition(built: Project, tmp_path: Path) -> None:
    built.edit(lambda editions: editions["prism"].update(editions=["v1"]), EDITIONS)
    with_tracing(built, tmp_path / "reads").run("dvc", "repro", "stages/editions/dvc.yaml:prism_propose@v1")
    require_declared(built.folder, tmp_path / "reads", EDITIONS.parent.name)
    refused = built.run("gamut", "freeze", "prism", "v1", check=False)
    assert refused.returncode == 1 and "review" in refused.stderr
    proposed = built.rows("prism/proposal/v1")
    assert {row["track"] for row in proposed} == set(TRACKS)
    built.run("gamut", "freeze", "prism", "v1", "--allow-unreviewed")
    assert (built.folder / "datasets/editions/prism/v1.jsonl").exists()
