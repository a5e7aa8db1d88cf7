"""From answers to scores: copies are worth nothing without asking, controls are put to the judge, settings are
apart.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gamut.asking.models.weights import digest
from gamut.evaluation.boards import agree, rank, score
from gamut.evaluation.bodies import answer, judge
from gamut.evaluation.curating.freeze import import_items
from gamut.project.validation import check_values
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows
from stages.gapeval.curation import CURATION
from stages.gapeval.shared.benchmark import GAPEVAL, Params
from tests import fakes
from tests.gapeval.gap_folders import ROOT as PUBLISHED
from tests.gapeval.gap_folders import SCENES, TEXTS, write_item
from tests.gapeval.small_items import painted

ITEMS = ("data_1", "data_2")
ENTRY = TEXTS | {"category": "counting", "subcategory": "objects"}
COPIED, MADE = painted(SCENES[1], 1), painted("four green stars", 5)


def values() -> dict[str, Any]:
    roles = ("painter", "judge", "captioner", "translator", "seed_writer", "writer")
    folders = {name: {"kind": "folder", "path": name, "revision": digest(Path(name))} for name in ("mine", "said")}
    return {
        "seed": 3,
        "models": {"world": {"kind": "sandbox"}, "said": folders["said"]},
        "roles": dict.fromkeys(roles, "world"),
        "contestants": {"mine": {"class": "unified", "model": folders["mine"]}},
        "gapeval": {
            "edition": "v1",
            "judges": ["said"],
            "repeats": 1,
            "controls_of": ["mine"],
            "answer": {"width": 128, "height": 128, "samples": 1, "max_failures": 0},
            "judge": {"max_failures": 50, "max_unjudged": 0.9},
        },
    }


def params() -> Params:
    return check_values(Params, fakes.measuring(values()), Path("params.yaml"))


def say(name: str, score: int) -> None:
    path = Path("said", f"{name}.txt")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"reason": "seen", "score": score}))


@pytest.fixture
def answered(project: Path) -> None:
    for item in ITEMS:
        write_item(item, ENTRY, {"image/1.jpg": 0, "ref/1.jpg": 1})
        for setting, end, content in (("und", "txt", b"3 cars"), ("gen", "jpg", COPIED if item == "data_1" else MADE)):
            path = Path("mine", setting, f"{item}.{end}")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            say(f"numerical_{setting}/mine/{setting}/{item}", 1)
            say(f"numerical_{setting}/reference/mine/{setting}/{item}", 1)
    list(import_items(CURATION, PUBLISHED, "v1"))
    answer.answer(GAPEVAL, params(), "mine")


def rows(table: str) -> list[Row]:
    return [*read_rows(Path("datasets/gapeval/judgments/mine/said", table))]


def test_a_copy_scores_nothing_and_the_rest_what_the_judge_says(answered: None) -> None:
    judge.judge(GAPEVAL, params(), "mine", "said")
    found = {(row["setting"], row["item"]): (row["value"], row["model"] == "rules") for row in rows("answers")}
    assert found == {
        ("und", "data_1"): (1, False),
        ("und", "data_2"): (1, False),
        ("gen", "data_1"): (0, True),
        ("gen", "data_2"): (1, False),
    }
    score.score(GAPEVAL, params(), "mine")
    told = [*read_rows(Path("datasets/gapeval/scores/mine"))]
    scores = {(row["setting"], row["item"]): row["low"] for row in told if row["measure"] == "right"}
    assert scores["gen", "data_1"] == 0 and scores["gen", "data_2"] == scores["und", "data_1"] == 1
    metrics = json.loads(Path("metrics/gapeval/v1/contestants/mine.json").read_text())
    assert (metrics["und.said.numerical"], metrics["gen.said.numerical"]) == (100, 50)
    # one sample right in both settings, one in words alone
    assert [metrics[f"both_settings.said.numerical.{name}"] for name in ("succ", "und", "gen", "fail")] == [
        50,
        100,
        50,
        0,
    ]


def test_controls_are_known_or_judged_and_stand_on_the_board(answered: None) -> None:
    """The reference as an answer is put to the judge, whatever the rule says of copies: else no judge could pass."""
    judge.judge(GAPEVAL, params(), "mine", "said")
    judge.judge_controls(GAPEVAL, params(), "mine", "said")
    found = {(row["control"], row["setting"], row["item"]): row for row in rows("controls")}
    assert {control for control, *_ in found} == {"blank", "mismatched", "input_copied", "praise", "reference"}
    for item in ITEMS:
        assert found["input_copied", "gen", item]["value"] == 0 and found["input_copied", "gen", item]["replies"] == []
        assert found["reference", "gen", item]["value"] == found["reference", "und", item]["value"] == 1
    assert found["mismatched", "gen", "data_2"]["note"] == "a copy of reference_1"
    # with praise across it a copy is worth as little as without; about the other picture a judge is asked
    assert found["praise", "gen", "data_1"]["note"] == found["mismatched", "gen", "data_2"]["note"]
    assert found["praise", "gen", "data_2"]["model"] != "rules"
    assert found["blank", "gen", "data_1"]["model"] != "rules"
    score.score(GAPEVAL, params(), "mine")
    agree.agree(GAPEVAL, params())
    rank.rank(GAPEVAL, params())
    metrics = json.loads(Path("metrics/gapeval/v1/board.json").read_text())
    assert metrics["gen.said.control_reference.coverage"] == metrics["gen.said.control_input_copied.coverage"] == 1
    assert metrics["gen.said.validation.input_copied.drop"] == 100  # of right answers, 100 - 0
