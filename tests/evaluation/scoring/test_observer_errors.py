"""How observers err, by hand: shares, weights, and what was left blank."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.evaluation.boards.agree import Verdict, labels_by_place, majority_verdict, observer_rates
from gamut.evaluation.scoring.agreement import Rating
from gamut.evaluation.scoring.statistics.coefficients import wilson_interval


def verdicts(
    said: Sequence[float], truth: Sequence[float | None], stratum: str = "quantity", blank: bool = False
) -> list[Verdict]:
    return [Verdict(stratum, *pair, blank and pair[1] is None) for pair in zip(said, truth, strict=True)]


def test_precision_and_recall_of_five_labels() -> None:
    """Said right: 3, of which 2 are; right: 3, of which 2 were said."""
    found = observer_rates(verdicts([1, 1, 1, 0, 0], [1, 1, 0, 1, 0]))
    low, high = wilson_interval(2, 3)
    rate = {"": 66.667, "_lo": round(100 * low, 3), "_hi": round(100 * high, 3)}
    assert found == {"labels": 5} | {
        f"{name}{end}": one for name in ("precision", "recall") for end, one in rate.items()
    }


def test_labels_stand_for_all_answers_of_their_stratum() -> None:
    """Of 4 said right in one stratum 1 of 1 labels is; of 2 in the other 0 of 2 are: (4·1 + 2·0) / 6."""
    mixed = verdicts([1] * 4, [1, None, None, None]) + verdicts([1] * 2, [0, 0], "text")
    assert observer_rates(mixed)["precision"] == 66.667
    unlabelled = verdicts([1] * 9, [None] * 9, "spatial")
    assert observer_rates(mixed + unlabelled) == observer_rates(mixed)


def test_a_rate_of_nothing_is_not_told() -> None:
    assert observer_rates(verdicts([0, 0], [1, 1])).keys() == {"labels", "recall", "recall_lo", "recall_hi"}
    assert observer_rates(verdicts([0], [None])) == observer_rates([]) == {}


def test_verdicts_left_blank_are_errors_at_one_end_and_right_at_the_other() -> None:
    """Said right: one is, one is not, one is blank; right: one was said, one was not, one that was not is blank. At
    the worst 1 of 3, at the best 2 of 3."""
    found = observer_rates(verdicts([1, 1, 1, 0, 0], [1, 0, None, 1, None], blank=True))
    ends = {"": 50, "_lo": round(100 * wilson_interval(1, 3)[0], 3), "_hi": round(100 * wilson_interval(2, 3)[1], 3)}
    assert found == {"labels": 3, "blank": 2} | {
        f"{name}{end}": one for name in ("precision", "recall") for end, one in ends.items()
    }


@pytest.mark.parametrize(
    ("said", "truth"), [([1, 1, 0], 1), ([1, 0, 0], 0), ([1, 0], None), ([], None), ([1], 1), ([0, 0], 0)]
)
def test_people_who_disagree_are_outvoted_or_undecided(said: Sequence[float], truth: float | None) -> None:
    assert majority_verdict(said) == truth


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


@given(st.lists(st.tuples(VERDICT, st.none() | VERDICT, st.booleans()), max_size=30))
def test_every_rate_lies_in_its_interval(rows: Sequence[tuple[float, float | None, bool]]) -> None:
    found = observer_rates(
        [Verdict("ab"[n % 2], said, truth, blank and truth is None) for n, (said, truth, blank) in enumerate(rows)]
    )
    for name in {"precision", "recall"} & found.keys():
        assert 0 <= found[f"{name}_lo"] <= found[name] <= found[f"{name}_hi"] <= 100
