"""From judgments to scores of items: means of what there is, bounds of what should be, and counts by status."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.evaluation.defining.measures import Column, Metric, Place, Scale, averages
from gamut.evaluation.scoring.scores import (
    SCHEMA,
    by_metric_and_judge,
    by_setting_and_judge,
    coverage,
    item_scores,
    judged_share,
    left_out_counts,
    score_matrix,
    unjudged_in_words,
)
from gamut.tables.columns import Row

PLACES = {"a": Place("style", ("style",)), "b": Place("style", ("style",)), "c": Place("entity", ("entity", "hard"))}
MEASURES = ("alignment", "aesthetic")


def answer(item: str, status: str = "ok", setting: str = "en", replies: int = 1, sample: int = 0) -> Row:
    return {"item": item, "setting": setting, "sample": sample, "status": status, "replies": [{}] * replies}


def said(
    item: str, question: str, value: float | None, status: str = "ok", setting: str = "en", sample: int = 0
) -> Row:
    return {"item": item, "setting": setting, "sample": sample, "question": question, "value": value, "status": status}


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


def scored(
    answers: Iterable[Row],
    judgments: Mapping[str, Iterable[Row]],
    measures: Iterable[str] = MEASURES,
    repeats: int = 1,
) -> list[Row]:
    """Scores on 1..9, every measure expected `repeats` times of an answer."""
    scales = {measure: Scale(1, 9) for measure in measures}
    return item_scores(answers, judgments, PLACES, lambda item, setting: dict.fromkeys(scales, repeats), scales)


def test_repeats_are_averaged_and_failures_are_no_scores_but_bounded() -> None:
    """On a scale of 1..9: what was not answered is 1 in both bounds, what was not judged 1 or 9."""
    rows = scored(ANSWERS, {"gpt": OBSERVED}, repeats=2)
    names = ("value", "low", "high", "scored", "left_out")
    assert {(row["item"], row["measure"]): tuple(row[name] for name in names) for row in rows} == {
        ("a", "alignment"): (8.5, 8.5, 8.5, 2, []),
        ("a", "aesthetic"): (7, 7, 7, 2, []),
        ("b", "alignment"): (None, 1, 1, 0, ["answered.refused_generation"] * 2),
        ("b", "aesthetic"): (None, 1, 1, 0, ["answered.refused_generation"] * 2),
        ("c", "alignment"): (4, (4 + 1) / 2, (4 + 9) / 2, 1, ["judged.parse_error"]),
        ("c", "aesthetic"): (None, 1, 9, 0, ["judged.refused_judge", "judged.parse_error"]),
    }
    assert judged_share(rows) == 5 / 8  # of a four of four, of c one of four


def test_the_contestants_refusals_and_the_judges_are_counted_apart() -> None:
    rows = scored(ANSWERS, {"gpt": OBSERVED}, repeats=2)
    assert coverage(rows) == 5 / 12  # of a four, of c one
    assert left_out_counts(rows) == {
        "answered.refused_generation": 4,
        "judged.parse_error": 2,
        "judged.refused_judge": 1,
    }


def test_every_row_but_its_spec_is_there() -> None:
    [row, *_] = scored(ANSWERS, {"gpt": OBSERVED}, repeats=2)
    assert {*row} == {*SCHEMA.names} - {"spec"}
    assert pa.Table.from_pylist([row], schema=SCHEMA).to_pylist() == [row | {"spec": None}]


def test_judges_and_settings_stay_apart() -> None:
    answers = [answer("a"), answer("a", setting="zh")]
    by_judge = {"gpt": [said("a", "alignment", 1.0)], "qwen": [said("a", "alignment", 2.0, setting="zh")]}
    found = by_setting_and_judge(scored(answers, by_judge, ("alignment",)))
    values = {key: [row["value"] for row in rows] for key, rows in found.items()}
    assert values == {("en", "gpt"): [1], ("zh", "gpt"): [None], ("en", "qwen"): [None], ("zh", "qwen"): [2]}


def test_a_sample_that_failed_is_left_out_once_a_repeat() -> None:
    answers = [answer("a", "transport_error", sample=1), answer("a")]
    observed = [said("a", "alignment", 3.0), said("a", "alignment", 4.0), said("a", "alignment", 5.0)]
    rows = scored(answers, {"gpt": observed}, ("alignment",), repeats=3)
    assert [(row["value"], row["scored"], row["left_out"]) for row in rows] == [
        (4, 3, ["answered.transport_error"] * 3)
    ]
    assert coverage(rows) == 0.5


def test_what_nobody_was_asked_about_is_left_out_too() -> None:
    [row] = scored([answer("a")], {"gpt": [said("a", "alignment", 3.0)]}, ("alignment",), repeats=3)
    assert (row["value"], row["scored"], row["left_out"]) == (3, 1, ["judged.not_asked"] * 2)


def test_what_could_not_be_put_to_a_contestant_is_not_expected() -> None:
    """The edition's own picture is missing: nobody was asked. What a server rejects was asked, and has a reply."""
    answers = [answer("a"), answer("b", "invalid_input", replies=0), answer("c", "invalid_input")]
    rows = scored(answers, {"gpt": [said("a", "alignment", 5.0)]}, ("alignment",))
    assert [(row["low"], row["high"]) for row in rows] == [(5, 5), (None, None), (1, 1)]
    assert left_out_counts(rows) == {"answered.invalid_input": 1, "not_asked.invalid_input": 1}
    assert coverage(rows) == 1 / 2 and judged_share(rows) == 1


def test_the_benchmark_says_how_many_judgments_an_answer_should_have() -> None:
    """A checklist of two statements about a and of three about b; only c is asked about its looks."""
    wanted = {"a": {"holds": 2}, "b": {"holds": 3}, "c": {"holds": 1, "looks": 1}}
    observed = [said("a", "holds", 1.0), said("a", "holds", 0.0), said("b", "holds", 1.0), said("c", "holds", 1.0)]
    scales = {"holds": Scale(0, 1), "looks": Scale(1, 5)}
    answers = [answer("a"), answer("b"), answer("b", "truncated", sample=1), answer("c")]
    rows = item_scores(answers, {"gpt": observed}, PLACES, lambda item, setting: wanted[item], scales)
    found = {(row["item"], row["measure"]): (row["low"], row["high"], row["left_out"]) for row in rows}
    assert found == {
        ("a", "holds"): (0.5, 0.5, []),
        ("b", "holds"): (1 / 6, 3 / 6, ["answered.truncated"] * 3 + ["judged.not_asked"] * 2),
        ("c", "holds"): (1, 1, []),
        ("c", "looks"): (1, 5, ["judged.not_asked"]),
    }


def test_of_an_answer_in_part_what_could_be_judged_counts_and_the_rest_is_the_contestants() -> None:
    """Of three statements one is about the text, which is there, in one sample; the other sample is whole. The judge
    failed at one of each."""
    answers = [answer("a", "missing_output"), answer("a", sample=1), answer("b", "missing_output")]
    observed = [said("a", "holds", 1.0), said("a", "holds", 1.0, sample=1), said("a", "holds", 0.0, sample=1)]
    observed += [said("a", "holds", None, "parse_error", sample=1), said("b", "holds", None, "parse_error")]
    rows = item_scores(answers, {"gpt": observed}, PLACES, lambda item, setting: {"holds": 3}, {"holds": Scale(0, 1)})
    assert [(row["value"], row["low"], row["high"], row["left_out"]) for row in rows] == [
        (2 / 3, 2 / 6, 3 / 6, ["answered.missing_output"] * 2 + ["judged.parse_error"]),
        (None, 0, 1 / 3, ["answered.missing_output"] * 2 + ["judged.parse_error"]),
    ]


def test_a_metric_has_its_settings_and_measures_and_only_who_is_on_all_of_them() -> None:
    metrics = [averages(setting, ["style"], {"alignment": Scale(0, 10)}) for setting in ("en", "zh")]
    across = metrics[0]._replace(
        name="across", settings=("en", "zh"), columns=[*metrics[0].columns, *metrics[1].columns]
    )
    rows = scored([answer("a"), answer("c")], {"gpt": []})
    found = by_metric_and_judge(rows, [*metrics, across])
    # c is of no group that counts
    assert {key: [row["item"] for row in own] for key, own in found.items()} == {("en", "gpt"): ["a"]}
    both = by_metric_and_judge([*rows, *scored([answer("a", setting="zh")], {"gpt": []})], [*metrics, across])
    assert {key: len(own) for key, own in both.items()} == {("en", "gpt"): 1, ("zh", "gpt"): 1, ("across", "gpt"): 2}


def test_another_setting_may_stand_for_the_first() -> None:
    metric = averages("en", ["style"], {"alignment": Scale(0, 10)})._replace(name="main", instead=("zh", "fr"))
    en, zh, fr = (scored([answer("a", setting=setting)], {"gpt": []}) for setting in ("en", "zh", "fr"))
    assert [metric.settings_counted(there) for there in ({"en", "zh"}, {"fr", "zh"}, {"fr"}, {"de"})] == [
        ("en",), ("zh",), ("fr",), None,
    ]  # fmt: skip
    [row] = by_metric_and_judge([*fr, *zh], [metric])["main", "gpt"]
    assert row == zh[0] | {"setting": "en"}
    assert by_metric_and_judge([*en, *zh], [metric]) == {("main", "gpt"): en[:1]}


FATES = ("ok", "missing_output", "parse_error", "unjudged", "one repeat", "not asked")


@given(
    samples=st.lists(st.lists(st.floats(1, 9), min_size=2, max_size=2), min_size=1, max_size=4),
    fates=st.lists(st.sampled_from(FATES), min_size=4),
)
def test_no_sample_is_worth_hiding(samples: list[list[float]], fates: list[str]) -> None:
    """Samples of one item, each judged twice: whichever of them are hidden, and in whatever way, none is worth it."""
    shown, hidden = list[Row](), list[Row]()
    for number, (values, fate) in enumerate(zip(samples, fates, strict=False)):
        shown += [said("a", "alignment", value, sample=number) for value in values]
        failing = {"unjudged": 2, "one repeat": 1}.get(fate, 0)
        if fate in ("ok", "unjudged", "one repeat"):
            hidden += [said("a", "alignment", None, "unsupported", sample=number)] * failing
            hidden += [said("a", "alignment", value, sample=number) for value in values[failing:]]
    answers = [answer("a", sample=number) for number in range(len(samples))]
    statuses = [fate if fate in ("missing_output", "parse_error") else "ok" for fate in fates]
    given_less = [row | {"status": status} for row, status in zip(answers, statuses, strict=False)]
    [before] = scored(answers, {"gpt": shown}, ["alignment"], 2)
    [after] = scored(given_less, {"gpt": hidden}, ["alignment"], 2)
    assert after["low"] <= before["low"] + 1e-12
    assert after["scored"] + len(after["left_out"]) == before["scored"] == 2 * len(samples)


@pytest.mark.parametrize(("most", "words"), [(0.05, None), (0.04, "5.0 % unjudged: 3 unsupported, 2 refused_judge")])
def test_what_a_judge_leaves_unjudged_has_a_budget(most: float, words: str | None) -> None:
    # 5 of 100 that were the judge's to give; what the contestant refused is none of them
    missing = ["judged.refused_judge"] * 2 + ["judged.unsupported"] * 3 + ["answered.refused_generation"] * 50
    assert unjudged_in_words([{"scored": 95, "left_out": missing}], most) == words
    assert unjudged_in_words([], 0) is None and unjudged_in_words([{"scored": 0, "left_out": missing[5:]}], 0) is None


def metric_of(*columns: str) -> Metric:
    """A metric of these columns that reports nothing."""
    return Metric("some", ("en", "zh"), [Column(*names.split()) for names in columns], {}, ())


def test_a_paired_metric_has_the_items_that_have_scores_on_all_its_settings() -> None:
    metric = metric_of("style en alignment", "style zh alignment", "entity en alignment")
    rows = [
        {"item": item, "groups": ["style", "entity"], "setting": setting, "measure": "alignment", "value": value}
        for item, setting, value in (("a", "en", 1), ("a", "zh", 2), ("b", "en", 3))
    ]
    nan = np.nan
    assert np.array_equal(score_matrix(rows, ["a", "b"], metric, "value"), [[1, 2, 1], [3, nan, 3]], equal_nan=True)
    paired = metric._replace(paired=True)  # of the group entity the metric has one setting alone
    assert np.array_equal(score_matrix(rows, ["a", "b"], paired, "value"), [[1, 2, 1], [nan, nan, 3]], equal_nan=True)


def test_scores_as_a_matrix() -> None:
    rows = scored(ANSWERS, {"gpt": OBSERVED}, repeats=2)
    metric = metric_of("style en alignment", "style en aesthetic", "entity en alignment")
    nan = np.nan
    expected = [[8.5, 7, nan], [nan, nan, nan], [nan, nan, 4]]
    assert np.array_equal(score_matrix(rows, ["a", "b", "c"], metric, "value"), expected, equal_nan=True)
    least = [[8.5, 7, nan], [1, 1, nan], [nan, nan, 2.5]]
    assert np.array_equal(score_matrix(rows, ["a", "b", "c"], metric, "low"), least, equal_nan=True)
