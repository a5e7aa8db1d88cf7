"""Suggested thresholds go into params.yaml, and nothing but them changes there."""

from __future__ import annotations

import difflib
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from gamut.command import thresholds
from gamut.dataset.calibration.calibrate import METRICS
from gamut.dataset.calibration.filters import FILTERS
from gamut.dataset.calibration.sampling import SAMPLE
from tests import fakes
from tests.fakes import UNASKED
from tests.in_command import gamut_lines

PARAMS = Path("params.yaml")
NOW = {filter_.name: filter_.threshold(fakes.params()) for filter_ in FILTERS}
DECIDING = ("legible", "admit", "categorize", "select", "originals")
BLOCKS = {name: "".join(f"\n  {key}: {value}" for key, value in fakes.values()[name].items()) for name in DECIDING}
OTHERS = [f"{key}: {json.dumps(value)}" for key, value in fakes.values().items() if key not in DECIDING]
TEXT = "\n".join(
    [
        "# Every value that can change a result.",
        *OTHERS,
        "",
        *(f"{name}:  # lowest that pass{block}" for name, block in BLOCKS.items()),
        "",
    ]
).replace("  alignment: 8", "  alignment: 8         # the published rule")
"""params.yaml with thresholds in blocks and comments."""


def calibrated(**changes: dict[str, Any]) -> None:
    """Metrics as calibrate writes them: every threshold is as suggested, but for what is said of some filters."""
    measures = {"labels": 20, "unscored": 0, "positives": 5} | KNOWN
    report = {}
    for name, threshold in NOW.items():
        values = measures | {"threshold": threshold, "suggested": threshold} | changes.get(name, {})
        report[name] = {"candidate": values["suggested"]} | values
    METRICS.parent.mkdir(exist_ok=True)
    METRICS.write_text(json.dumps(report))


KNOWN = {
    "candidate_precision": 1.0,
    "candidate_precision_low": 0.96,
    "candidate_recall": 0.75,
    "candidate_recall_low": 0.61,
}


def without() -> dict[str, None]:
    return dict.fromkeys((*KNOWN, "candidate", "suggested"))


@pytest.fixture(autouse=True)
def written(project: Path) -> Path:
    PARAMS.write_text(TEXT)
    return project


call = partial(gamut_lines, "calibrate")


def test_suggestions_are_shown_and_nothing_is_written() -> None:
    badly = {"suggested": None, "candidate": 5, "candidate_precision_low": 0.62}
    calibrated(
        clarity={"suggested": NOW["clarity"] - 2},
        text=badly | {"enough_labels": 2_300, "disputed": 3, "blank": 5},
        abstract=badly,
        letterforms=without() | {"labels": 0},
        sense=without() | {"positives": 0},
        contrast=without() | {"enough_labels": 130},
        structure={"positives": 18, "disputed": 2} | without(),
        entity={"suggested": 9, "candidate_recall_low": 0.4},  # measured when less was wanted
        style={"threshold": 3},  # edited to 7, as suggested
    )
    never = "needed: 0.95 and 0.5; at these rates, no number of labels would be enough"
    code, lines = call()
    assert code == 0 and lines == [
        "legible.legibility: 7 stays",
        "admit.clarity: 7 -> 5 with precision 1.000 (at least 0.960), recall 0.750 (at least 0.610)",
        "admit.structure: 6 stays (all labels are the same)",
        "categorize.composition: 7 stays",
        "categorize.entity: 7 stays (9 was suggested for lower minimums: run `dvc repro calibrate` again)",
        "categorize.text: 7 stays (not applied: 5, precision 1.000 (at least 0.620), recall 0.750 (at least 0.610); "
        "needed: 0.95 and 0.5; 3 are disputed: another person can settle them; 5 were drawn but have no label: "
        "`gamut label filters` asks about them; at these rates, about 2,300 labels would be enough)",
        "categorize.imaginative: 7 stays",
        "categorize.style: 7 stays; it was 3 when it was measured",
        "categorize.abstract: 7 stays (not applied: 5, precision 1.000 (at least 0.620), recall 0.750 "
        f"(at least 0.610); {never})",
        *(f"select.{name}: 0 stays" for name in UNASKED),
        "select.contrast: 6 stays (too few labels to choose by; at these rates, about 130 labels would be enough)",
        "select.letterforms: 6 stays (no labels)",
        "select.sense: 6 stays (all labels are the same)",
        "select.follows: 5 stays",
        "originals.alignment: 8 stays",
        "1 of 19 would change; `gamut calibrate --apply` writes them into params.yaml",
    ]
    told = json.loads("\n".join(call("--json")[1]))
    assert told == {"suggested": {"admit.clarity": 5}, "thresholds": lines[:-1]}
    assert PARAMS.read_text() == TEXT


def test_only_the_thresholds_change() -> None:
    calibrated(clarity={"suggested": 10}, text={"suggested": 5}, alignment={"suggested": 9}, sense=without())
    code, lines = call("--apply")
    assert code == 0
    assert lines[-1] == "params.yaml: 3 of 19 thresholds changed; `dvc repro` builds with them"
    before, after = TEXT.splitlines(), PARAMS.read_text().splitlines()
    assert [line for line in difflib.ndiff(before, after) if line[0] in "+-"] == [
        *("-   clarity: 7", "+   clarity: 10"),
        *("-   text: 7", "+   text: 5"),
        "-   alignment: 8         # the published rule",
        "+   alignment: 9         # the published rule",
    ]
    assert call("--apply")[1][-1] == "no threshold changes"


def test_nothing_is_applied_by_labels_that_nobody_drew() -> None:
    unsure = {"suggested": None, "unsure": 20}
    calibrated(clarity={"suggested": 10}, text=unsure, sense=unsure)
    code, lines = call()
    why = "may not belong to the present rows that `gamut calibrate --sample` drew"
    assert code == 0 and f"categorize.text: 7 stays (20 labels {why})" in lines
    code, lines = call("--apply")
    assert code == 1 and PARAMS.read_text() == TEXT
    assert lines[-1] == (
        f"nothing was written: labels of text, sense {why}: label such rows, name their file at calibrate.labels, "
        "and run `dvc repro calibrate`; or set thresholds in params.yaml by hand"
    )


def test_any_layout_is_kept() -> None:
    text = "\r\n".join(
        [
            "# schwellen für 图片",
            *OTHERS,
            "select:   {contrast: 6,sense:  6  ,   letterforms: 6}  # 好",
            'admit: {"clarity": 7, structure: 6}',
            "categorize:",
            "     'text' :   7",
            "",
        ]
    )
    PARAMS.write_bytes(text.encode("utf-8-sig"))
    thresholds.write_thresholds({"select.sense": 10, "admit.clarity": 0, "categorize.text": 3})
    expected = text.replace("sense:  6", "sense:  10").replace('"clarity": 7', '"clarity": 0')
    expected = expected.replace("'text' :   7", "'text' :   3")
    assert PARAMS.read_bytes() == expected.encode("utf-8-sig") != text.encode("utf-8-sig")


@pytest.mark.parametrize("content", ["{", '{"clarity": {"labels": "many"}}'])
def test_damaged_metrics(content: str) -> None:
    calibrated()
    METRICS.write_text(content)
    code, lines = call("--apply")
    assert code == 1 and lines == [
        "metrics/calibration.json is not what calibrate writes: run `dvc repro --force --single-item calibrate`"
    ]


def test_sample_command(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(
        "gamut.dataset.calibration.sampling.write_sample",
        lambda count, params: seen.append((count, params.seed)) or {"clarity": 12},
    )
    code, lines = call("--sample", "12")
    assert code == 0 and seen == [(12, 3)] and lines[0] == f"{SAMPLE}: 12 clarity" and len(lines) == 3
    assert call("--sample", "1")[0] == 2  # fewer than there are settings
    assert call("--sample", "12", "--apply")[0] == 1 and len(seen) == 1
