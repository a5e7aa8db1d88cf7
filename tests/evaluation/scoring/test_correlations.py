"""Correlation over contestants: who counts, what is undefined, and what the interval is of."""

from __future__ import annotations

import pytest

from gamut.evaluation.boards.rank import correlations, order_correlation
from gamut.evaluation.defining.measures import Metric
from gamut.evaluation.scoring.board import Standing
from gamut.evaluation.scoring.estimates import Estimate
from gamut.evaluation.scoring.statistics.coefficients import fisher_interval

METRIC = Metric("raw", ("raw",), (), {}, (), correlated=(("says", "paints"), ("says", "edits")))
PAIR = ("says", "paints")


def standing(name: str, too_little: str | None = None, **values: float) -> Standing:
    found = {key: Estimate(value, None, None, 9) for key, value in values.items()}
    return Standing(name, found, 1.0, too_little=too_little)


FOUR = [standing(name, says=x, paints=y) for name, x, y in (("a", 0, 0), ("b", 1, 0), ("c", 1, 2), ("d", 2, 2))]
R = 2 / 8**0.5
"""Deviations -1 0 0 1 and -1 -1 1 1: products add up to 2, squares to 2 and 4."""


def test_it_is_pearsons_over_those_who_have_both() -> None:
    rows = [*FOUR, standing("writer", says=90), standing("painter", paints=90)]
    low, high = fisher_interval(R, 4)
    assert correlations(METRIC, rows, {row.name for row in rows}) == {PAIR: pytest.approx((R, low, high, 4))}
    # atanh(0.7071) = 0.8814, less 1.96 and more: tanh(-1.0786) and tanh(2.8414)
    assert (low, high) == pytest.approx((-0.79, 0.99), abs=0.01)


def test_controls_variants_and_who_was_judged_too_little_do_not_count() -> None:
    others = [standing("control_blank", says=0, paints=90), standing("a_thinking", says=90, paints=0)]
    others.append(standing("hidden", too_little="6.0 % unjudged: 6 unsupported", says=0, paints=90))
    assert correlations(METRIC, [*FOUR, *others], set("abcd") | {"hidden"})[PAIR].value == pytest.approx(R)


def test_of_three_there_is_no_interval_and_of_two_or_equal_ones_nothing() -> None:
    three = correlations(METRIC, FOUR[:3], set("abc"))[PAIR]
    assert three == (pytest.approx(0.5), None, None, 3)
    assert correlations(METRIC, FOUR[:2], set("ab")) == {} == correlations(METRIC, [], set())
    alike = [standing(name, says=5, paints=number) for number, name in enumerate("abcd")]
    assert correlations(METRIC, alike, set("abcd")) == {}
    line = [standing(name, says=number, paints=number) for number, name in enumerate("abcd")]
    assert correlations(METRIC, line, set("abcd")) == {PAIR: (pytest.approx(1), None, None, 4)}


def test_another_judge_may_put_them_in_another_order() -> None:
    """Of a, b, c, d two of six pairs stand the other way round; who is a variant, or judged too little by one of the
    two, does not count.
    """
    metric = METRIC._replace(shown=("says",))
    ours = [standing(name, says=x) for name, x in zip("abcde", (1, 2, 3, 4, 9), strict=True)]
    theirs = [standing(name, says=x) for name, x in zip("abcd", (5, 4, 7, 6), strict=True)]
    theirs.append(standing("e", too_little="6.0 % unjudged", says=0))
    assert order_correlation(metric, ours, theirs, set("abcde")) == (pytest.approx(1 / 3), None, None, 4)
    assert order_correlation(metric, ours, theirs, set("ab")) is None
