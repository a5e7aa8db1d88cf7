"""How observers err, by hand: shares, weights, who is left out, and when a score is corrected."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.evaluation.scoring.agreement import Rating
from stages.evaluation.scoring.observer_errors import (
    LEAST,
    Answer,
    at_all_ends,
    graded_errors,
    labels_by_place,
    score,
    scores,
    truth_of,
    verdict_errors,
)
from stages.evaluation.scoring.statistics.wilson import wilson_interval


def answers(said: Sequence[float | None], truth: Sequence[float | None], stratum: str = "quantity") -> list[Answer]:
    pairs = zip(said, truth, strict=True)
    return [Answer("good", f"{stratum}/{n}", stratum, *pair) for n, pair in enumerate(pairs)]


def test_precision_and_recall_of_five_labels() -> None:
    """Said right: 3, of which 2 are; right: 3, of which 2 were said. One more was said nothing of."""
    found = verdict_errors(answers([1, 1, 1, 0, 0, None], [1, 1, 0, 1, 0, 1]))
    low, high = wilson_interval(2, 3)
    rate = {"": 66.667, "_lo": round(100 * low, 3), "_hi": round(100 * high, 3)}
    assert found == {"labels": 5} | {
        f"{name}{end}": one for name in ("precision", "recall") for end, one in rate.items()
    }


def test_labels_stand_for_all_answers_of_their_stratum() -> None:
    """Of 4 said right in one stratum 1 of 1 labels is; of 2 in the other 0 of 2 are: (4·1 + 2·0) / 6."""
    mixed = answers([1] * 4, [1, None, None, None]) + answers([1] * 2, [0, 0], "text")
    assert verdict_errors(mixed)["precision"] == 66.667
    unlabelled = answers([1] * 9, [None] * 9, "spatial")
    assert verdict_errors(mixed + unlabelled) == verdict_errors(mixed)


def test_a_rate_of_nothing_is_not_told() -> None:
    assert verdict_errors(answers([0, 0], [1, 1])).keys() == {"labels", "recall", "recall_lo", "recall_hi"}
    assert verdict_errors(answers([0], [None])) == verdict_errors([]) == graded_errors([]) == {}


def test_graded_errors_have_a_sign_and_a_size() -> None:
    """Errors of .25, -.25 and 0: none on average, a sixth in size."""
    found = graded_errors(answers([0.75, 0.25, 1, None, 0.5], [0.5, 0.5, 1, 1, None]))
    assert (found["labels"], found["error"], found["absolute_error"]) == (3, 0, 16.667)
    assert found["error_lo"] < 0 < found["error_hi"] and found["absolute_error_hi"] > 16.667


def test_no_interval_is_without_width_and_answers_to_one_item_are_not_independent() -> None:
    """Three labels on which both agree leave room for errors; of six on two items no more is known than of two."""
    agreeing = graded_errors(answers([0.5] * 3, [0.5] * 3))
    assert agreeing["error"] == 0 and agreeing["error_lo"] < -10 and agreeing["absolute_error_hi"] > 10
    pair = answers([0.75, 0.5], [0.5, 0.5])
    assert graded_errors(pair * 3) == graded_errors(pair) | {"labels": 6}


def test_a_score_is_corrected_by_labels_of_its_own() -> None:
    """Of 10 answers 6 are said right; all have labels, 5 are right: the mean of the truth, whatever was said."""
    said, truth = [1.0] * 6 + [0] * 4, [1.0] * 5 + [0] * 5
    found = score(answers(said, truth))
    assert (found["raw"], found["labels"]) == (60, 10) and found["corrected"] == pytest.approx(50)
    assert found["corrected_lo"] < 50 < found["corrected_hi"]


def test_too_few_labels_correct_nothing() -> None:
    assert score(answers([1] * 20, [1.0] * (LEAST - 1) + [None] * 11)) == {"raw": 100, "labels": LEAST - 1}


def test_what_is_not_there_is_known_to_be_worth_nothing() -> None:
    """10 answers of 20, all right and all said so: the score is half, as on the board, and no label was needed."""
    lost = [Answer("good", f"x{n}", "quantity", None, None, there=False) for n in range(10)]
    found = score(answers([1] * 10, [1] * 10) + lost)
    assert (found["raw"], found["labels"]) == (50, 10) and found["corrected"] == pytest.approx(50)


def test_an_observer_that_says_nothing_costs_the_raw_score_alone() -> None:
    found = score(answers([1] * 5 + [None] * 5, [1] * 10))
    assert found["raw"] == 50 and found["corrected"] == pytest.approx(100)


def left_blank(said: Sequence[float | None], truth: Sequence[float | None]) -> list[Answer]:
    return [one._replace(blank=one.truth is None) for one in answers(said, truth)]


def test_verdicts_left_blank_are_errors_at_one_end_and_right_at_the_other() -> None:
    """Said right: one is, one is not, one is blank; right: one was said, one was not, one that was not is blank. At
    the worst 1 of 3, at the best 2 of 3."""
    found = at_all_ends(verdict_errors, left_blank([1, 1, 1, 0, 0], [1, 0, None, 1, None]))
    ends = {"": 50, "_lo": round(100 * wilson_interval(1, 3)[0], 3), "_hi": round(100 * wilson_interval(2, 3)[1], 3)}
    assert found == {"labels": 3, "blank": 2} | {
        f"{name}{end}": one for name in ("precision", "recall") for end, one in ends.items()
    }


def test_graded_labels_left_blank_may_lie_at_either_end() -> None:
    said, known = [*[0.5] * 20, 0.25], [0.375, 0.625, 0.5, 0.5] * 5
    found = at_all_ends(graded_errors, left_blank(said, [*known, None]))
    sides = [graded_errors(answers(said, [*known, one])) for one in (None, 0.0, 0.25, 1.0)]
    assert found == sides[0] | {"blank": 1} | {
        f"{name}{end}": furthest(side[f"{name}{end}"] for side in sides)
        for name in ("error", "absolute_error")
        for end, furthest in (("_lo", min), ("_hi", max))
    }
    assert found["error_lo"] < sides[0]["error_lo"] - 100 * 0.75 / 21 and found["error_hi"] > sides[0]["error_hi"]


def test_a_score_is_as_sure_as_what_was_drawn_for_it() -> None:
    said, truth = [1.0] * 20, [1.0] * 10 + [None] * 10
    [found] = scores(left_blank(said, truth)).values()
    worst = score(answers(said, [1.0] * 10 + [0] * 10))
    assert (found["corrected"], found["labels"], found["blank"]) == (100, 10, 10)
    assert found["corrected_lo"] == worst["corrected_lo"] < 40 and found["corrected_hi"] == 100


def test_only_contestants_with_labels_are_told_of_and_none_lends_another_its_own() -> None:
    other = [one._replace(contestant="poor", truth=None) for one in answers([0] * 10, [0] * 10)]
    both = scores([*answers([1] * 10, [1] * 10), *other])
    assert both.keys() == {"good.quantity"} and both["good.quantity"]["raw"] == 100


@pytest.mark.parametrize(
    ("said", "truth"), [([1, 1, 0], 1), ([1, 0, 0], 0), ([1, 0], None), ([], None), ([1], 1), ([0, 0], 0)]
)
def test_people_who_disagree_are_outvoted_or_undecided(said: Sequence[float], truth: float | None) -> None:
    assert truth_of(said, graded=False) == truth


def test_of_graded_labels_the_mean_is_true() -> None:
    assert truth_of([0.5, 0.25], graded=True) == 0.375


def rating(value: float, *answer: object) -> Rating:
    return Rating("t2i", "counts", "ann", answer, value)


def test_a_label_without_sample_is_of_the_only_one() -> None:
    labels = [rating(1, "good", "q0"), rating(0, "good", "q0", 0, 0), rating(1, "good", "q1"), rating(1, "x", "q9")]
    found = labels_by_place(labels, {("t2i", "good", "q0"): 1, ("t2i", "good", "q1"): 2})
    assert found == {
        ("t2i", "counts", "good", "q0", 0): [1, 0],
        ("t2i", "counts", "good", "q1", -1): [1],
        ("t2i", "counts", "x", "q9", -1): [1],
    }


VERDICT = st.sampled_from([0.0, 1.0])


@given(st.lists(st.tuples(st.none() | VERDICT, st.none() | VERDICT, st.booleans()), max_size=30))
def test_nothing_is_ever_no_number_and_every_value_lies_in_its_interval(rows: Sequence[tuple]) -> None:
    made = [
        Answer("good", str(n), "ab"[n % 2], said, truth if there else None, there)
        for n, (said, truth, there) in enumerate(rows)
    ]
    for found in (verdict_errors(made), graded_errors(made), *scores(made).values()):
        for name in ("precision", "recall", "error", "absolute_error", "corrected"):
            if f"{name}_lo" in found:
                assert -100 <= found[f"{name}_lo"] <= found[name] <= found[f"{name}_hi"] <= 100
        assert all(value == value for value in found.values())
