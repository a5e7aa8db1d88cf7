"""What is reported across both sides: shares of samples, the gap beside them, and who ranks first."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from stages.evaluation.defining.measures import OfSums, ends_of
from stages.evaluation.scoring.board import Layout, ranked
from stages.evaluation.scoring.estimates import Estimate, estimates
from stages.evaluation.scoring.scores import Bounds
from stages.evaluation.scoring.values import value_of
from stages.gapeval.shared.items import CATEGORIES
from stages.gapeval.shared.views import ACROSS, MEASURES, across, items_by_category, shares
from stages.tables.columns import Row

Side = int | None
"""Of a sample: right (1), wrong (0), or not there."""
Sample = tuple[Side, Side]
VIEW = across()


def laid(items: list[list[Sample]]) -> NDArray[np.float64]:
    """Scores at their lowest of items that stand in the categories in turn."""
    low = np.full((len(items), len(ACROSS) * len(CATEGORIES)), np.nan)
    for number, samples in enumerate(items):
        own = slice(len(ACROSS) * (number % 4), len(ACROSS) * (number % 4 + 1))
        text, image = (np.array([sample[side] or 0 for sample in samples]) for side in range(2))
        low[number, own] = text.mean(), image.mean(), (text * image).mean()
    return low


def reported(items: list[list[Sample]]) -> dict[str, Estimate]:
    low = laid(items)
    strata = np.arange(len(items)) % 4
    return estimates(Bounds(low, low), strata, VIEW.reported, ends_of(VIEW, MEASURES))


def test_shares_of_samples_and_what_is_missing_is_right_on_neither_side() -> None:
    low = laid([[(1, 1), (1, None)], [(1, 0), (0, 1)], [(0, 0), (None, None)], [(1, 1), (0, 1)]])
    found = {name: value_of(low, one) for name, one in shares(CATEGORIES).items()}
    # succ .5, 0, 0, .5; und 1, .5, 0, .5; gen .5, .5, 0, 1; neither side right 0, 0, 1, 0
    assert found == pytest.approx({"succ": 25, "und": 50, "gen": 50, "fail": 25})
    assert value_of(low, shares(("reasoning",))["fail"]) == 0
    cells = [rows[0].tolist() for rows, _ in items_by_category(low)]
    assert cells == [[0.5, 0.5, 0, 0], [0, 0.5, 0.5, 0], [0, 0, 0, 1], [0.5, 0, 0.5, 0]]


def test_a_gap_is_of_the_items_of_its_category_and_says_which_side_is_ahead() -> None:
    found = reported([[(1, 0)], [(1, 1)], [(0, 0)], [(0, 1)], [(1, 0)]] * 4)
    assert found["world_knowledge.gap"].n == 5 and found["gap"].n == 20, "20 items in the four categories in turn"
    one_sided = reported([[(1, 0)]] * 40)
    assert one_sided["delta_theta"].low is not None and one_sided["delta_theta"].low > 2
    turned = reported([[(0, 1)]] * 40)
    assert turned["delta_theta"].value == pytest.approx(-one_sided["delta_theta"].value, abs=0.3)
    assert turned["gap"].value == pytest.approx(one_sided["gap"].value, abs=1) and turned["gap"].low > 70  # type: ignore[operator]


def test_a_category_without_items_has_no_gap_and_no_mean_stands_for_all() -> None:
    found = reported([[(1, 0)], [(1, 1)], [(0, 0)]])  # nothing of the fourth
    assert "gap" not in found and "delta_theta" not in found and "reasoning.gap" not in found
    assert {f"{category}.gap" for category in CATEGORIES[:3]} <= found.keys()


def test_more_apart_is_a_larger_gap() -> None:
    alike, apart = (reported([samples] * 24) for samples in ([(1, 1), (0, 0)], [(1, 0), (1, 0)]))
    assert all(apart[name].value > alike[name].value + 20 for name in apart if name.endswith("gap"))


def test_what_is_wrong_on_both_moves_with_means_as_its_slopes_say() -> None:
    """Scores of all items a tenth higher in one column after the other."""
    scores = np.random.default_rng(5).random((64, len(ACROSS) * len(CATEGORIES))) / 2
    for one in (shares(CATEGORIES)["fail"], shares(CATEGORIES[1:2])["fail"]):
        assert isinstance(one, OfSums) and one.slopes is not None
        for column, slope in enumerate(one.slopes):
            after = scores + 0.1 * (np.arange(scores.shape[1]) == column)
            assert value_of(after, one) - value_of(scores, one) == pytest.approx(0.1 * slope, abs=1e-9)


LAYOUT = Layout([f"i{n}" for n in range(80)], np.arange(80) % 4, VIEW, ends_of(VIEW, MEASURES), seed=0)


def rows_of(items: list[list[Sample]]) -> list[Row]:
    """Scores as the stage `score` has them."""
    rows: list[Row] = []
    for number, scores in enumerate(laid(items)):
        for place in range(3 * (number % 4), 3 * (number % 4) + 3):
            group, side, measure = VIEW.columns[place]
            value = float(scores[place])
            rows.append(
                {"item": f"i{number}", "stratum": group, "groups": [group], "side": side, "measure": measure}
                | {"judge": "j", "value": value, "low": value, "high": value, "scored": 1, "left_out": []}
            )
    return rows


def test_nobody_gains_by_answering_the_better_side_wrongly() -> None:
    """The best of all, honest and with its texts spoilt until both sides are alike: its gap falls, and its rank too."""
    chance = np.random.default_rng(4)
    best: list[list[Sample]] = [[(int(chance.random() < 0.95), int(chance.random() < 0.6))] for _ in range(80)]
    other: list[list[Sample]] = [[(int(chance.random() < 0.7), int(chance.random() < 0.4))] for _ in range(80)]
    spoilt: list[list[Sample]] = [[(text and int(chance.random() < 0.65), image)] for [(text, image)] in best]
    perfect: list[list[Sample]] = [[(1, 1)]] * 80
    board = ranked({"best": rows_of(best), "other": rows_of(other), "perfect": rows_of(perfect)}, LAYOUT)
    assert [row.name for row in board] == ["perfect", "best", "other"] and board[0].estimates["gap"].value < 0.001
    after = ranked({"best": rows_of(spoilt), "other": rows_of(other), "perfect": rows_of(perfect)}, LAYOUT)
    honest, made = (next(row for row in rows if row.name == "best") for rows in (board, after))
    assert made.estimates["gap"].value < honest.estimates["gap"].value - 20
    assert honest.rank is not None and made.rank is not None
    assert made.rank.best >= honest.rank.best and made.rank.worst >= honest.rank.worst
