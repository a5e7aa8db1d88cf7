"""From observations to scores of items: means of what there is, and statuses of what there is not."""

from __future__ import annotations

import numpy as np

from stages.evaluation.scores import by_side_and_judge, coverage, item_scores, left_out, score_matrix
from stages.tables import Row

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
    said("c", "alignment", None, "parse_error"),
    said("c", "alignment", 4.0),  # of two repeats one could be parsed
    said("c", "aesthetic", None, "refused_judge"),
]


def test_repeats_are_averaged_and_failures_are_no_scores() -> None:
    found = {(row["item"], row["measure"]): row for row in item_scores(ANSWERS, {"gpt": OBSERVED}, STRATA, MEASURES)}
    assert len(found) == 3 * 2
    assert found["a", "alignment"]["value"] == 8.5 and found["a", "aesthetic"]["value"] == 7
    assert found["c", "alignment"]["value"] == 4 and found["c", "alignment"]["judged"] == "ok"
    refused = found["b", "alignment"]
    assert (refused["value"], refused["answered"], refused["judged"]) == (None, "refused_generation", None)
    unjudged = found["c", "aesthetic"]
    assert (unjudged["value"], unjudged["answered"], unjudged["judged"]) == (None, "ok", "refused_judge")


def test_the_contestants_refusals_and_the_judges_are_counted_apart() -> None:
    rows = item_scores(ANSWERS, {"gpt": OBSERVED}, STRATA, MEASURES)
    assert coverage(rows) == 3 / 6  # of a both, of c one
    assert left_out(rows) == {"answered.refused_generation": 2, "judged.refused_judge": 1}


def test_judges_and_sides_stay_apart() -> None:
    answers = [answer("a"), answer("a", side="zh")]
    by_judge = {"gpt": [said("a", "alignment", 1.0)], "qwen": [said("a", "alignment", 2.0, side="zh")]}
    found = by_side_and_judge(item_scores(answers, by_judge, STRATA, ("alignment",)))
    values = {key: [row["value"] for row in rows] for key, rows in found.items()}
    assert values == {("en", "gpt"): [1], ("zh", "gpt"): [None], ("en", "qwen"): [None], ("zh", "qwen"): [2]}


def test_a_sample_that_answers_is_enough() -> None:
    answers = [answer("a", "transport_error"), answer("a")]
    [row] = item_scores(answers, {"gpt": [said("a", "alignment", 3.0)]}, STRATA, ("alignment",))
    assert (row["answered"], row["value"]) == ("ok", 3.0)


def test_nothing_answered_is_no_coverage() -> None:
    assert coverage([]) == 0 and left_out([]) == {}


def test_scores_as_a_matrix() -> None:
    rows = item_scores(ANSWERS, {"gpt": OBSERVED}, STRATA, MEASURES)
    columns = [("style", "alignment"), ("style", "aesthetic"), ("entity", "alignment")]
    rows = [row for row in rows if (row["stratum"], row["measure"]) in columns]
    nan = np.nan
    expected = [[8.5, 7, nan], [nan, nan, nan], [nan, nan, 4]]
    assert np.array_equal(score_matrix(rows, ["a", "b", "c"], columns), expected, equal_nan=True)
