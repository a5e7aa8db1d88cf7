"""From observations to scores of items: means of what there is, and counts of what there is not, by status."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from stages.evaluation.scoring.scores import SCHEMA, by_side_and_judge, coverage, item_scores, left_out, score_matrix
from stages.tables.columns import Row

STRATA = {"a": "style", "b": "style", "c": "entity"}
MEASURES = ("alignment", "aesthetic")


def answer(item: str, status: str = "ok", side: str = "en") -> Row:
    return {"item": item, "side": side, "status": status}


def said(item: str, question: str, value: float | None, status: str = "ok", side: str = "en") -> Row:
    return {"item": item, "side": side, "question": question, "value": value, "status": status}


ANSWERS = [answer("a"), answer("b", "refused_generation"), answer("c")]
OBSERVED = [
    said("a", "alignment", 8.0),
    said("a", "alignment", 9.0),  # a second repeat
    said("a", "aesthetic", 7.0),
    said("a", "aesthetic", 7.0),
    said("c", "alignment", None, "parse_error"),
    said("c", "alignment", 4.0),  # of two repeats one could be parsed
    said("c", "aesthetic", None, "refused_judge"),
    said("c", "aesthetic", None, "parse_error"),
]


def test_repeats_are_averaged_and_failures_are_no_scores() -> None:
    rows = item_scores(ANSWERS, {"gpt": OBSERVED}, STRATA, MEASURES, repeats=2)
    found = {(row["item"], row["measure"]): (row["value"], row["scored"], row["left_out"]) for row in rows}
    assert found == {
        ("a", "alignment"): (8.5, 2, []),
        ("a", "aesthetic"): (7, 2, []),
        ("b", "alignment"): (None, 0, ["answered.refused_generation"] * 2),
        ("b", "aesthetic"): (None, 0, ["answered.refused_generation"] * 2),
        ("c", "alignment"): (4, 1, ["judged.parse_error"]),
        ("c", "aesthetic"): (None, 0, ["judged.refused_judge", "judged.parse_error"]),
    }


def test_the_contestants_refusals_and_the_judges_are_counted_apart() -> None:
    rows = item_scores(ANSWERS, {"gpt": OBSERVED}, STRATA, MEASURES, repeats=2)
    assert coverage(rows) == 5 / 12  # of a four, of c one
    assert left_out(rows) == {"answered.refused_generation": 4, "judged.parse_error": 2, "judged.refused_judge": 1}


def test_every_row_but_its_spec_is_there() -> None:
    [row, *_] = item_scores(ANSWERS, {"gpt": OBSERVED}, STRATA, MEASURES, repeats=2)
    assert {*row} == {*SCHEMA.names} - {"spec"}
    assert pa.Table.from_pylist([row], schema=SCHEMA).to_pylist() == [row | {"spec": None}]


def test_judges_and_sides_stay_apart() -> None:
    answers = [answer("a"), answer("a", side="zh")]
    by_judge = {"gpt": [said("a", "alignment", 1.0)], "qwen": [said("a", "alignment", 2.0, side="zh")]}
    found = by_side_and_judge(item_scores(answers, by_judge, STRATA, ("alignment",), repeats=1))
    values = {key: [row["value"] for row in rows] for key, rows in found.items()}
    assert values == {("en", "gpt"): [1], ("zh", "gpt"): [None], ("en", "qwen"): [None], ("zh", "qwen"): [2]}


def test_a_sample_that_failed_is_left_out_once_a_repeat() -> None:
    answers = [answer("a", "transport_error"), answer("a")]
    observed = [said("a", "alignment", 3.0), said("a", "alignment", 4.0), said("a", "alignment", 5.0)]
    rows = item_scores(answers, {"gpt": observed}, STRATA, ("alignment",), repeats=3)
    assert [(row["value"], row["scored"], row["left_out"]) for row in rows] == [
        (4, 3, ["answered.transport_error"] * 3)
    ]
    assert coverage(rows) == 0.5


def test_what_nobody_was_asked_about_is_left_out_too() -> None:
    [row] = item_scores([answer("a")], {"gpt": [said("a", "alignment", 3.0)]}, STRATA, ("alignment",), repeats=3)
    assert (row["value"], row["scored"], row["left_out"]) == (3, 1, ["judged.not_asked"] * 2)


def test_each_part_of_an_answer_counts() -> None:
    observed = [said("a", "alignment", 3.0), said("a", "alignment", 5.0), said("a", "alignment", None, "parse_error")]
    [row] = item_scores([answer("a")], {"gpt": observed}, STRATA, ("alignment",), repeats=1)
    assert (row["value"], row["scored"], row["left_out"]) == (4, 2, ["judged.parse_error"])


def test_nothing_answered_is_no_coverage() -> None:
    assert coverage([]) == 0 and left_out([]) == {}


def test_scores_as_a_matrix() -> None:
    rows = item_scores(ANSWERS, {"gpt": OBSERVED}, STRATA, MEASURES, repeats=2)
    columns = [("style", "alignment"), ("style", "aesthetic"), ("entity", "alignment")]
    rows = [row for row in rows if (row["stratum"], row["measure"]) in columns]
    nan = np.nan
    expected = [[8.5, 7, nan], [nan, nan, nan], [nan, nan, 4]]
    assert np.array_equal(score_matrix(rows, ["a", "b", "c"], columns), expected, equal_nan=True)
