"""A board of two contestants and four items corrected by people, by hand; and what holds of any board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamut.evaluation.defining.measures import Metric, Scale, averages, ends_of
from gamut.evaluation.scoring import corrected
from gamut.evaluation.scoring.board import Layout
from gamut.evaluation.scoring.corrected import CorrectedRanks, correct_metric, flat_corrected, rank_corrected
from gamut.evaluation.scoring.prediction_powered import blanks_at_both_ends, correct_scores
from gamut.evaluation.scoring.statistics.inference import Inferred, StandardError, interval
from gamut.tables.columns import Row

SCALES = {"fit": Scale(0, 10)}
BOTH = SCALES | {"looks": Scale(0, 5)}
METRIC = averages("en", ("x",), SCALES)


def answer(contestant: str, item: str, said: float | None, truth: float | None = None, **other: object) -> Row:
    """An answer and what the judge says of it; None where there is no answer."""
    row: Row = {"contestant": contestant, "item": item, "sample": 0, "stratum": "x", "pool": "x", "groups": ["x"]}
    row |= {"setting": "en", "judge": "j", "measure": "fit", "value": said, "low": said or 0.0, "high": said or 0.0}
    row |= {"scored": int(said is not None), "left_out": [] if said is not None else ["answered.refused"]}
    return row | {"truth": truth} | other


def layout_of(rows: Sequence[Row], metric: Metric = METRIC, scales: Mapping[str, Scale] = SCALES) -> Layout:
    items = sorted({row["item"] for row in rows})
    return Layout(items, np.zeros(len(items), np.int64), metric, ends_of(metric, scales), 0)


BOARD = [
    *(answer("ann", f"i{n}", *one) for n, one in enumerate([(8, 6), (6, 6), (4, None), (2, None)])),
    *(answer("bob", f"i{n}", *one) for n, one in enumerate([(5, 6), (5, None), (3, 5), (None, None)])),
]


def test_two_contestants_and_four_items_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corrected, "LEAST", 2)
    # The slope of both: words of ann 8 6 have truths 6 6, of bob 5 3 truths 6 5: (0 + 1) / (2 + 2) = .25.
    # ann: rests 6 - 2 and 6 - 1.5, on average 4.25; each stands for 2 answers: 2 + 4.25 + 2 · -.25, 1.5 + 4.25 +
    # 2 · .25, 1 + 4.25, .5 + 4.25, on average 5.5. bob: rests 4.75 and 4.25, on average 4.5; each stands for 1.5 of 3
    # answers: 1.25 + 4.5 + 1.5 · .25, 1.25 + 4.5, .75 + 4.5 - 1.5 · .25, and 0 of what is not there, on average 4.1875.
    rows, layout = correct_scores(BOARD, SCALES), layout_of(BOARD)
    assert [row["right"] for row in rows["ann"]] == pytest.approx([5.75, 6.25, 5.25, 4.75])
    assert [row["right"] for row in rows["bob"]] == pytest.approx([6.125, 5.75, 4.875, 0])
    found = {name: correct_metric(own, layout) for name, own in rows.items()}
    ann, bob = (found[name].values["overall"] for name in ("ann", "bob"))
    assert (ann.raw.value, ann.labels, bob.raw.value, bob.labels) == (50, 2, 32.5, 2)
    assert ann.value is not None and ann.value.value == pytest.approx(55) and ann.to_halve is None
    assert bob.value is not None and bob.value.value == pytest.approx(41.875)
    # In percent labels add 10 / 4 · (-.5, .5) to ann, squares 3.125, by 1 degree of freedom, half of the answers
    # labelled; 10 / 4 · (.375, -.375) to bob, squares 1.7578, of whom two thirds are.
    assert (ann.doubt**2, bob.doubt**2) == pytest.approx((3.125 / 2, 1.7578125 / 3))
    # ann less bob: -.375 .5 .375 4.75, around 1.3125 squares 16.20313, · 4/3 / 4²: 1.35026, in percent squared 135.026.
    order = rank_corrected(found, layout)
    error = StandardError((135.026 + 3.125 / 2 + 1.7578 / 3) ** 0.5, 3)
    [apart] = order.gaps
    assert (apart.first, apart.second, apart.value) == ("ann", "bob", pytest.approx(13.125))
    assert apart.interval == pytest.approx(interval(Inferred(13.125, error, 4, Scale(-100, 100))), abs=1e-3)
    assert order.ranks == {"ann": (1, 2), "bob": (1, 2)} and order.tie_groups == {"ann": 1, "bob": 1}
    flat = flat_corrected("en.j.", found, order)
    assert (flat["en.j.ann.overall.raw"], flat["en.j.ann.overall.corrected"]) == (50, 55)
    assert flat["en.j.ann.over_bob"] == 13.125 and flat["en.j.bob.overall.labels"] == flat["en.j.bob.rank_worst"] == 2
    assert not any("to_halve" in key for key in flat)


def test_too_few_labels_correct_nothing_and_say_so() -> None:
    rows = [answer("ann", f"i{n:02}", n % 10, 5.0 if n < 9 else None) for n in range(20)]
    rows += [answer("bob", f"i{n:02}", n % 10, 5.0 if n < 10 else None) for n in range(20)]
    rows += [answer("eve", f"i{n:02}", n % 10) for n in range(20)]
    layout = layout_of(rows)
    found = {name: correct_metric(own, layout) for name, own in correct_scores(rows, SCALES).items()}
    assert [found[name].values["overall"].lacking for name in ("ann", "eve")] == [
        "fewer than 10 labels of fit (en)"
    ] * 2
    assert found["bob"].values["overall"].value is not None
    order = rank_corrected(found, layout)
    assert order.ranks == {"bob": (1, 1)} and not order.gaps
    flat = flat_corrected("", found, order)
    assert {key for key in flat if key.startswith("ann.fit.")} == {
        f"ann.fit.{n}" for n in ("raw", "raw_lo", "raw_hi", "not_corrected", "labels")
    }
    assert flat["eve.fit.labels"] == 0 and flat["eve.fit.not_corrected"] == "fewer than 10 labels of fit (en)"
    only = correct_metric(correct_scores(rows, SCALES)["bob"], layout, {"fit"}).values["overall"]
    assert only.value is None and only.lacking == "people are not asked about fit"


def test_a_stratum_without_labels_is_not_guessed() -> None:
    rows = [answer("ann", f"i{n:02}", n % 10, n % 7 if n < 12 else None, pool="ab"[n > 14]) for n in range(20)]
    [one] = (correct_metric(own, layout_of(rows)) for own in correct_scores(rows, SCALES).values())
    assert one.values["overall"].lacking == "a stratum has no labels" and one.values["overall"].labels == 12


def test_who_is_judged_too_little_is_not_corrected() -> None:
    lost = {"scored": 0, "left_out": ["judged.refused_judge"], "value": None, "low": 0.0, "high": 10.0}
    rows = [answer("ann", f"i{n:02}", n % 10, 5.0, **(lost if n < 4 else {})) for n in range(20)]
    [one] = (correct_metric(own, layout_of(rows)) for own in correct_scores(rows, SCALES).values())
    assert one.values["overall"].value is None and "20.0 % unjudged" in one.values["overall"].lacking


def test_what_the_judge_left_out_is_put_right_and_what_is_not_there_is_not() -> None:
    # 20 answers, all worth 6: of one the judge says nothing, one is not there: 19 · 6 / 20.
    rows = [answer("ann", f"i{n:02}", 4, 6.0) for n in range(18)]
    lost = {"scored": 0, "left_out": ["judged.refused_judge"], "value": None, "low": 0.0, "high": 10.0}
    rows += [answer("ann", "i18", 4, 6.0, **lost), answer("ann", "i19", None, 6.0)]
    layout = layout_of(rows)
    layout = Layout(layout.items, layout.strata, METRIC, layout.ends, 0, max_unjudged=0.1)
    [one] = (correct_metric(own, layout) for own in correct_scores(rows, SCALES).values())
    assert one.values["overall"].value is not None and one.values["overall"].value.value == pytest.approx(57)
    assert one.values["overall"].labels == 19


def test_a_sum_of_measures_is_put_right_as_one() -> None:
    """Two measures that err alike in each answer but to the other setting leave a sum that is sure."""
    random = np.random.default_rng(0)
    off, level = random.normal(0, 0.5, 40), random.uniform(1, 9, 40)
    rows = []
    for n in range(40):
        has = n % 2 == 0
        rows.append(answer("ann", f"i{n:02}", level[n] + off[n], level[n] if has else None))
        rows.append(answer("ann", f"i{n:02}", (level[n] - off[n]) / 2, level[n] / 2 if has else None, measure="looks"))
    metric = averages("en", ("x",), BOTH)
    [own] = correct_scores(rows, BOTH).values()
    found = correct_metric(own, layout_of(rows, metric, BOTH)).values
    both, fit = found["overall"], found["fit"]
    assert both.value is not None and fit.value is not None and both.labels == fit.labels == 20
    parts = [found[name].value for name in ("fit", "looks")]
    assert both.value.value == pytest.approx(np.mean([part.value for part in parts if part is not None]))
    assert both.doubt < fit.doubt / 2


def with_blank(rows: Sequence[Row]) -> tuple[dict[str, float], ...]:
    """What is told by labels, with what is blank, and with all of it at its least and at its most."""
    settings, layout = blanks_at_both_ends(rows), layout_of(rows)
    by_labels, least, most = (correct_scores(one, SCALES) for one in settings)
    found = {name: correct_metric(own, layout, (), (least[name], most[name])) for name, own in by_labels.items()}
    return (
        told(rows, True),
        flat_corrected("", found, rank_corrected(found, layout)),
        *(told(one, True) for one in settings[1:]),
    )


def test_what_is_left_blank_is_worst_at_one_end_and_best_at_the_other() -> None:
    # The judge says 5 of all. Of ann's 30 answers 24 were drawn: 12 are worth 6, 8 are 7, 4 blank. By labels that is
    # (72 + 56) / 20 = 6.4, at least 128 / 24 = 5.333, at most 168 / 24 = 7. Bob's are all worth 4, or 5.
    def board(blank: float | None) -> list[Row]:
        truths = [*[6.0] * 12, *[7.0] * 8, *[blank] * 4, *[None] * 6]
        rows = [answer("ann", f"i{n:02}", 5, one) for n, one in enumerate(truths)]
        rows = [row | ({"blank": Scale(0, 10)} if blank is None and 20 <= n < 24 else {}) for n, row in enumerate(rows)]
        return rows + [answer("bob", f"i{n:02}", 5, 4.0 + n % 2 if n < 24 else None) for n in range(30)]

    by_labels, found, least, most = with_blank(board(None))
    assert (least, most) == (told(board(0.0), True), told(board(10.0), True))
    corrected = "ann.overall.corrected"
    assert [one[corrected] for one in (found, by_labels, least, most)] == pytest.approx([64, 64, 53.333, 70], abs=1e-3)
    assert found[f"{corrected}_lo"] == least[f"{corrected}_lo"] < 50 < 60 < by_labels[f"{corrected}_lo"]
    assert found[f"{corrected}_hi"] == most[f"{corrected}_hi"] > 75
    assert (found["ann.overall.labels"], found["ann.overall.blank"], found["bob.overall.labels"]) == (20, 4, 24)
    assert "ann.overall.labels_to_halve" not in found and "bob.overall.blank" not in found
    # By labels ann is surely better; if all that is blank is worth nothing she may not be.
    assert (by_labels["ann.rank_worst"], least["ann.rank_worst"], found["ann.rank_worst"]) == (1, 2, 2)
    assert found["ann.over_bob"] == by_labels["ann.over_bob"]
    assert found["ann.over_bob_lo"] == least["ann.over_bob_lo"] and found["ann.over_bob_hi"] == most["ann.over_bob_hi"]


def test_what_is_blank_of_one_moves_nothing_of_another() -> None:
    # Half of each stratum was drawn. Of ann a label stands for two answers in both, whatever bob's labels in b are.
    rows = [answer("ann", f"i{n:02}", 5, 2.0 + n % 7 if n % 2 else None, pool="ab"[n % 4 > 1]) for n in range(60)]
    rows += [row | {"contestant": "bob"} for row in rows]
    whole = with_blank([*rows, answer("eve", "i00", 5, blank=Scale(0, 10))])[0]
    for row in rows:
        if row["contestant"] == "bob" and row["pool"] == "b" and row["truth"] is not None and row["truth"] > 4:
            row |= {"truth": None, "blank": Scale(0, 10)}
    _, found, *_ = with_blank(rows)
    of_ann = [key for key in found if key.startswith("ann.overall.corrected")]
    assert len(of_ann) == 3 and [found[key] for key in of_ann] == [whole[key] for key in of_ann]
    assert found["bob.overall.blank"] > 5 and "ann.overall.blank" not in found


SCORE = st.integers(0, 10).map(float)


@st.composite
def boards(draw: st.DrawFn) -> list[Row]:
    """Two contestants, some answers missing, labels of at least ten of each."""
    rows = []
    for name in ("ann", "bob"):
        kinds = st.tuples(SCORE, SCORE, st.booleans(), st.sampled_from("ab"))
        for n, (said, truth, has, pool) in enumerate(draw(st.lists(kinds, min_size=12, max_size=16))):
            rows.append(answer(name, f"i{n:02}", said, truth if has or n < 10 else None, pool=pool))
        rows.append(answer(name, "i99", None))
    return rows


def told(rows: Sequence[Row], with_ranks: bool = False) -> dict[str, float]:
    layout = layout_of(rows)
    found = {name: correct_metric(own, layout) for name, own in correct_scores(rows, SCALES).items()}
    return flat_corrected("", found, rank_corrected(found, layout) if with_ranks else CorrectedRanks({}, {}, []))


@settings(max_examples=8)
@given(boards())
def test_labels_that_say_what_the_judge_says_leave_the_board(rows: Sequence[Row]) -> None:
    found = told([row | {"truth": None if row["truth"] is None else row["low"]} for row in rows])
    for name in ("ann", "bob"):
        if f"{name}.overall.corrected" in found:
            assert found[f"{name}.overall.corrected"] == pytest.approx(found[f"{name}.overall.raw"], abs=2e-3)


@settings(max_examples=8)
@given(boards())
def test_labels_of_all_are_peoples_board(rows: Sequence[Row]) -> None:
    rows = [row | {"truth": row["truth"] if row["truth"] is not None else 3.0} for row in rows]
    by_people = [row | {"low": row["truth"], "high": row["truth"]} if row["scored"] else row for row in rows]
    found, theirs = told(rows), told(by_people)
    for name in ("ann", "bob"):
        for end in ("", "_lo", "_hi"):
            assert found[f"{name}.overall.corrected{end}"] == pytest.approx(
                theirs[f"{name}.overall.raw{end}"], abs=2e-3
            )


@settings(max_examples=8)
@given(boards(), st.randoms(use_true_random=False))
def test_the_order_of_answers_changes_not_a_byte(rows: list[Row], random: object) -> None:
    found = told(rows, with_ranks=True)
    random.shuffle(rows)  # type: ignore[attr-defined]
    assert told(rows, with_ranks=True) == found


@settings(max_examples=8)
@given(boards())
def test_values_are_numbers_within_their_intervals(rows: Sequence[Row]) -> None:
    found = told(rows)
    for key, value in found.items():
        assert value == value
        if f"{key}_lo" in found:
            assert -100 <= found[f"{key}_lo"] <= value <= found[f"{key}_hi"] <= 100
