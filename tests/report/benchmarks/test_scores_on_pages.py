"""Scores of items and the orders in which one walks, by hand; tables of agreement.json, of which no key is lost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gamut.evaluation.defining.measures import Column, Linear, Metric, OfSums, Scale
from gamut.report.benchmarks.item_scores import (
    Score,
    Summary,
    judge_distance,
    orders,
    scores_of,
    share,
    summarise,
    weights,
)
from gamut.report.benchmarks.judges import agreement_tables

MEASURES = {"fit": Scale(0, 10), "true": Scale(0, 1), "beside": Scale(-1, 1)}
COLUMNS = [Column("all", "en", "fit"), Column("all", "en", "true"), Column("few", "en", "true")]
METRIC = Metric("en", ("en",), COLUMNS, {"overall": Linear(np.array([5.0, 20.0, 10.0]))}, ("overall",))


def row(measure: str, low: float | None, value: float | None = None, **others: Any) -> dict[str, Any]:
    names = {"item": "a", "setting": "en", "judge": "j", "groups": ["all"]}
    return names | {"measure": measure, "low": low, "value": low if value is None else value} | others


def test_weights_are_those_of_what_ranks() -> None:
    # factor times the width of the scale: 5 x 10, 20 x 1; in the group "few" 10 x 1 more
    assert weights([METRIC], MEASURES, "en", ["all"]) == {"fit": 50, "true": 20}
    assert weights([METRIC], MEASURES, "en", ["all", "few"]) == {"fit": 50, "true": 30}
    assert weights([METRIC], MEASURES, "en", ["none"]) == {} == weights([METRIC], MEASURES, "zh", ["all"])
    sums = METRIC._replace(reported={"overall": OfSums(lambda scores: scores, lambda sums: sums[..., 0])})
    assert weights([sums], MEASURES, "en", ["all"]) == {}


def test_a_setting_without_a_metric_of_its_own_weighs_as_in_one_across_settings() -> None:
    columns = [*COLUMNS, Column("all", "zh", "fit"), Column("all", "zh", "true")]
    across = Metric("across", ("en", "zh"), columns, {"both": Linear(np.array([1.0, 1, 1, 2, 30]))}, ("both",))
    # 2 x 10, 30 x 1; those of "en" count in no other setting
    assert weights([across, METRIC], MEASURES, "zh", ["all", "few"]) == {"fit": 20, "true": 30}
    assert weights([across, METRIC], MEASURES, "en", ["all"]) == {"fit": 50, "true": 20}, "its own metric goes before"


def test_a_share_is_of_scales() -> None:
    rows = [row("fit", 5), row("true", 1), row("beside", 0)]
    # (50 x 5/10 + 20 x 1) / 70; alike: (0.5 + 1 + (0 - -1) / 2) / 3
    assert share(rows, "low", MEASURES, {"fit": 50, "true": 20}) == pytest.approx(100 * 45 / 70)
    assert share(rows, "low", MEASURES, {}) == pytest.approx(100 * 2 / 3)
    assert share([row("beside", 0)], "low", MEASURES, {"fit": 50}) == 50, "what counts nowhere has its own share"
    assert share([row("fit", None)], "low", MEASURES, {}) is None
    assert share([row("gone", 3)], "low", MEASURES, {}) is None, "a measure that the record has no more"


def test_scores_are_of_items_settings_and_judges() -> None:
    rows = [row("fit", 0, 8), row("true", 1), row("fit", 10, judge="k"), row("fit", 4, item="b", groups=["none"])]
    assert [*scores_of("c", rows, [METRIC], MEASURES)] == [
        # what was scored alone: (50 x 0.8 + 20) / 70
        ("a", Score("en", "j", "c", pytest.approx(100 * 20 / 70), pytest.approx(100 * 60 / 70))),
        ("a", Score("en", "k", "c", 100, 100)),
        ("b", Score("en", "j", "c", 40, 40)),
    ]


def test_a_summary_is_over_contestants() -> None:
    scores = [
        *(Score("en", "j", "one", 40, 60), Score("en", "j", "two", 100, 100)),
        *(Score("en", "k", "one", 90, 90), Score("en", "k", "two", None, None)),
    ]
    # of one contestant alone there are two judges: 90 - 60
    assert summarise(scores, 3) == Summary(40, pytest.approx(230 / 3), 30, 3)
    assert summarise([], 0) == Summary(None, None, None, 0)


def test_judges_are_apart_by_the_mean_over_pairs() -> None:
    of_one = [Score("en", judge, "one", value, value) for judge, value in (("j", 0), ("k", 10), ("l", 40))]
    of_two = [Score("zh", judge, "two", 50, 50) for judge in ("j", "k")]
    # 10, 40 and 30 about one, 0 about two
    assert judge_distance([*of_one, *of_two]) == 20
    assert judge_distance(of_one[:1]) is None


def test_orders() -> None:
    def item(mean: float | None, apart: float | None, missing: int) -> Summary:
        return Summary(None, mean, apart, missing)

    found = orders([item(50, 1, 0), item(20, None, 2), item(None, None, 5), item(20, 9, 0), item(90, 1, 2)])
    assert found == {"edition": [0, 1, 2, 3, 4], "lowest": [1, 3, 0, 4], "disagree": [3, 0, 4], "failed": [2, 1, 4]}
    assert orders([item(0.1 + 0.2, None, 0), item(0.3, None, 0)])["lowest"] == [0, 1], "a tie"
    assert orders([item(None, None, 0)]) == {"edition": [0]}, "no order without items"


RATED = ("met", "style")


def test_keys_are_told_apart_by_where_the_measure_stands() -> None:
    found = agreement_tables(
        {
            "en.met.judges.n": 9,
            "en.met.judges.alpha": 0.5,
            "en.met.judges.alpha_lo": 0.25,
            "en.met.judges.alpha_hi": 0.75,
            "en.met.judges.a.b.n": 7,
            "en.words.met.repeats.a.identical": 1.0,
            "en.style.style.people.a.mae": 2.0,
            "en.met.people.n": 3,
        },
        RATED,
    )
    assert [(one.measure, one.raters, one.n) for one in found.overall] == [
        ("met", "all judges", 9),
        ("met", "a and b", 7),
        ("met", "people with each other", 3),
    ]
    assert found.overall[0].values["alpha"] == ("en.met.judges.alpha", 0.5, 0.25, 0.75, None)
    assert [(one.group, one.measure, one.raters) for one in found.by_group] == [
        ("words", "met", "a with itself"),
        ("style", "style", "a with people"),
    ]
    assert found.statistics == ["alpha", "identical", "mae"] and not found.others


def test_what_is_not_understood_is_handed_on() -> None:
    odd = {
        "judges.n": 1,
        "en.other.judges.n": 2,
        "en.met.jury.n": 3,
        "en.met.judges": 4,
        "en.met.variance.items.share": 5,
        "en.met.to_halve.items": 6,
        "en.met.judges.alpha": "none",
    }
    found = agreement_tables(odd, RATED)
    assert found.others == odd and not (found.overall or found.by_group)
