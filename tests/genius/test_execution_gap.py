"""The execution gap: known and not painted, sample by sample; nobody has a lesser one by hiding what lies in it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.evaluation.boards.correct import joint_truth
from gamut.evaluation.defining.measures import Metric, OfSums, Scale, ends_of
from gamut.evaluation.scoring.conditions import joint_scores
from gamut.evaluation.scoring.estimates import Estimate, estimates
from gamut.evaluation.scoring.scores import by_metric_and_judge, item_scores, score_bounds
from gamut.evaluation.scoring.values import value_of
from gamut.tables.columns import Row
from stages.genius.shared.benchmark import GENIUS
from stages.genius.shared.metrics import JOINT, MEASURES, execution_gap_metric, is_right, metrics
from tests.genius.small_genius import genius_item

METRIC = execution_gap_metric()
PLACE = GENIUS.place(genius_item())
Runs = float | tuple[float, ...] | None
"""Rule compliance of a picture, by one run of the judge or several; None: not judged."""


class Shown:
    """An item: the letter is right or not (None: none was chosen), and what its picture's runs say."""

    def __init__(self, letter: bool | None, runs: Runs, probe: str = "ok", picture: str = "ok") -> None:
        self.letter, self.probe, self.picture = letter, probe, picture
        self.runs = runs if isinstance(runs, tuple) else () if runs is None else (runs,)


def reported(items: Sequence[Shown | None], runs: int = 1, metric: Metric = METRIC) -> dict[str, Estimate]:
    """What the metric says of items; None of them has no probe."""
    places = {str(number): PLACE for number in range(len(items))}
    answers, said = list[Row](), list[Row]()
    for number, one in enumerate(items):
        where = {"item": str(number), "sample": 0}
        picture, probe = (where | {"setting": setting} for setting in ("interleaved", "probe"))
        answers.append(picture | {"status": one.picture if one else "ok", "replies": [{}]})
        if one is None:
            said.append(picture | {"question": "rule_compliance", "value": 0, "status": "ok"})
            continue
        answers.append(probe | {"status": one.probe, "replies": [{}]})
        if one.probe == "ok":
            value, status = (None, "parse_error") if one.letter is None else (float(one.letter), "ok")
            said.append(probe | {"question": "chosen", "value": value, "status": status})
        if one.picture == "ok":
            said += [picture | {"question": "rule_compliance", "value": run, "status": "ok"} for run in one.runs]
    wanted = {"probe": {"chosen": 1}, "interleaved": {"rule_compliance": runs}}
    told = ({"world": said}, places, lambda item, setting: wanted[setting])
    rows = [*item_scores(answers, *told, GENIUS.observed), *joint_scores(answers, *told, MEASURES, JOINT)]
    own = by_metric_and_judge(rows, [metric], JOINT)["execution_gap", "world"]
    bounds = score_bounds(own, list(places), metric)
    return estimates(bounds, np.zeros(len(items), np.int64), metric.reported, ends_of(metric, MEASURES))


def shares(*items: Shown | None, runs: int = 1) -> tuple[float, ...]:
    found = reported(items, runs)
    return tuple(found[name].value for name in ("known", "painted", "both", "gap"))


@pytest.mark.parametrize(
    ("letter", "compliance", "wanted"),
    [
        (True, 2, (100, 100, 100, 0)),
        (True, 1, (100, 0, 0, 100)),  # partly right is not right
        (True, 0, (100, 0, 0, 100)),
        (False, 2, (0, 100, 0, 0)),
        (False, 0, (0, 0, 0, 0)),
    ],
)
def test_a_sample_is_known_or_painted_or_both(letter: bool, compliance: int, wanted: tuple[float, ...]) -> None:
    assert shares(Shown(letter, compliance)) == wanted


@pytest.mark.parametrize(
    ("runs", "right"),
    [((2, 2, 2), True), ((2, 2, 1), True), ((2, 2, 0), False), ((2, 1, 1), False), ((2, 1), True), ((1, 1), False)],
)
def test_of_several_runs_the_mean_is_rounded_as_in_the_released_script(runs: tuple[float, ...], right: bool) -> None:
    """5/3 = 1.67 and 3/2 = 1.5 come to 2, 4/3 = 1.33 to 1."""
    assert is_right(sum(runs) / len(runs)) == right
    assert shares(Shown(True, runs), runs=len(runs))[3] == (0 if right else 100)


def test_it_is_joined_before_it_is_averaged() -> None:
    """Half known and half painted, of the same items and of others: no gap, and half."""
    assert shares(*[Shown(True, 2)] * 2, *[Shown(False, 0)] * 2) == (50, 50, 50, 0)
    assert shares(*[Shown(True, 0)] * 2, *[Shown(False, 2)] * 2) == (50, 50, 0, 50)


def test_items_without_a_probe_do_not_count() -> None:
    found = reported([Shown(True, 0), Shown(True, 2), None, None])
    assert (found["gap"].value, found["painted"].value, found["gap"].n) == (50, 50, 2)
    assert found["gap.symbolic_constraint"].value == 50 and "gap.multi_semantic" not in found


def test_it_has_an_interval_also_where_nobody_saw_one() -> None:
    """0 of 20: up to 14 %. 3 of 20: 15 %, less than 35 %."""
    none, some = (reported([Shown(True, 2)] * (20 - wrong) + [Shown(True, 1)] * wrong)["gap"] for wrong in (0, 3))
    assert (none.value, none.low) == (0, 0) and none.high is not None and 10 < none.high < 20
    assert (some.value, some.low) == (15, 0) and some.high is not None and 30 < some.high < 35


HIDDEN = ("shown", "refused", "not_judged")
ITEM = st.tuples(st.booleans(), st.sampled_from([0, 1, 2]), st.sampled_from(HIDDEN), st.sampled_from(HIDDEN))


@given(st.lists(ITEM, min_size=1, max_size=6))
def test_nobody_gains_by_hiding(items: list[tuple[bool, int, str, str]]) -> None:
    """Whatever is refused, answered without a letter, or left unjudged: the gap is no less, what ranks no more."""
    truth = shares(*(Shown(letter, compliance) for letter, compliance, *_ in items))
    found = shares(
        *(
            Shown(
                None if of_probe == "not_judged" else letter,
                None if of_picture == "not_judged" else compliance,
                *("refused_generation" if hidden == "refused" else "ok" for hidden in (of_probe, of_picture)),
            )
            for letter, compliance, of_probe, of_picture in items
        )
    )
    known, painted, both, gap = found
    assert (
        known <= truth[0] + 1e-9 and painted <= truth[1] + 1e-9 and both <= truth[2] + 1e-9 and gap >= truth[3] - 1e-9
    )


def test_what_is_hidden_counts_as_a_gap_unless_the_other_setting_rules_it_out() -> None:
    """Of a letter and a picture, of which one is not there."""
    for letter, compliance in product((True, False), (0, 2)):
        assert shares(Shown(letter, None))[3] == (100 if letter else 0)
        assert shares(Shown(None, compliance))[3] == (0 if compliance == 2 else 100)
    assert shares(Shown(None, None))[3] == 100


def test_it_is_reported_where_both_settings_are_measured() -> None:
    found = [metric.name for metric in metrics(["interleaved", "without_context", "probe"])]
    assert found == ["main", "without_context_over_interleaved", "probe", "execution_gap"]
    assert [metric.name for metric in metrics(["edit", "probe"])] == ["edit", "probe"]


def test_the_gap_moves_with_means_as_its_slopes_say() -> None:
    one, scores = METRIC.reported["gap"], np.zeros((3, len(METRIC.columns)))
    assert isinstance(one, OfSums) and one.slopes is not None
    for column, slope in enumerate(one.slopes):
        after = scores + 0.1 * (np.arange(scores.shape[1]) == column)
        assert value_of(after, one) - value_of(scores, one) == pytest.approx(0.1 * slope)


@pytest.mark.parametrize(
    ("measure", "there", "said", "expected"),
    [
        ("known_and_painted", (True, True), (1.0, 2.0), (True, 1)),
        ("known_and_painted", (True, True), (1.0, None), (True, None)),
        ("known_and_painted", (True, False), (1.0, None), (False, None)),  # no picture: whatever the letter, not both
        ("known", (True, False), (1.0, None), (True, 1)),
        ("known", (False, True), (None, 2.0), (False, None)),
        ("without_gap", (True, False), (0.0, None), (True, 1)),  # what is not known needs no picture
        ("without_gap", (True, False), (1.0, None), (True, 0)),
        ("without_gap", (False, False), (None, None), (False, None)),
        ("known_and_painted", (True, True), (1.0, Scale(0, 2)), (True, Scale(0, 1))),  # the picture was left blank
        ("known_and_painted", (True, True), (0.0, Scale(0, 2)), (True, Scale(0, 0))),  # not both, whatever the picture
        ("without_gap", (True, False), (Scale(0, 1), None), (True, Scale(0, 1))),
        ("known_and_painted", (True, True), (Scale(0, 2), None), (True, None)),  # the picture was not drawn
    ],
)
def test_people_say_what_is_true_of_both_as_far_as_both_are_there(
    measure: str,
    there: tuple[bool, bool],
    said: tuple[float | Scale | None, float | Scale | None],
    expected: tuple[bool, float | Scale | None],
) -> None:
    joint = GENIUS.joint_of(measure)
    assert joint is not None
    found = joint_truth(joint, there, said, [MEASURES[of] for of in joint.of])
    assert (found["tellable"], found["blank"] if found["truth"] is None else found["truth"]) == expected
