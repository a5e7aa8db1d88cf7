"""Judges on trial: what convicts one, what excuses it, and what says nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from gamut.evaluation.defining.measures import Column, Joint, Linear, Metric, OfSums, Scale, ends_of
from gamut.evaluation.scoring.board import Layout
from gamut.evaluation.scoring.validation import Evidence, Validation, flat_validation, validate_judge, verdict_in_words
from gamut.tables.columns import Row
from tests.evaluation.scoring.simulated_judges import FORMS, JUDGES, verdicts

ITEMS = [f"i{n}" for n in range(24)]
SCALES = {"fit": Scale(0, 10), "looks": Scale(1, 5)}
COLUMNS = [Column("all", "en", measure) for measure in SCALES]
METRIC = Metric("en", ("en",), COLUMNS, {"overall": Linear(np.array([5.0, 12.5]))}, ("overall",))
"""Half of the scale of fit is worth 25, and so is half of that of looks."""
LAYOUT = Layout(ITEMS, np.zeros(24, np.int64), METRIC, ends_of(METRIC, SCALES), seed=0)
UP_AND_DOWN = np.where(np.arange(24) % 2, 1.0, -1.0)


def rows(fit: float | np.ndarray, looks: float | np.ndarray = 3.0, unjudged: int = 0, items: int = 24) -> list[Row]:
    """Scores of the first items; of some of them the judge said nothing."""
    levels = [np.broadcast_to(level, (24,)) for level in (fit, looks)]
    return [
        {"item": item, "groups": ["all"], "setting": "en", "measure": measure}
        | ({"value": None, "low": scale[0], "high": scale[1]} if n < unjudged else dict.fromkeys(VALUES, float(at[n])))
        for (measure, scale), at in zip(SCALES.items(), levels, strict=True)
        for n, item in enumerate(ITEMS[:items])
    ]


VALUES = ("value", "low", "high")


def verdict(
    answered: Sequence[Row], agreement: Mapping[str, float] | None = None, **degraded: Sequence[Row]
) -> Validation:
    """The verdict on a judge called gpt, from controls of one contestant's answers."""
    controls = [Evidence(name, name, "careful", of, answered) for name, of in degraded.items()]
    return validate_judge(controls, LAYOUT, SCALES, "gpt", agreement or {}, ())


GOOD = rows(8 + UP_AND_DOWN, 4)


def test_who_tells_what_is_worthless_from_answers_passes() -> None:
    """80 % of fit and 75 % of looks are 77.5 % together; another item's answer looks as good, and fits by chance: it
    keeps 10 of 40, and all of 37.5.
    """
    found = verdict(GOOD, blank=rows(0, 1), mismatched=rows(2, 4), praise=GOOD, reference=GOOD)
    assert found.passed and found.reasons == []
    passed = "the judge passed its validation by controls: blank, mismatched, praise, reference"
    assert verdict_in_words(found) == [passed]
    keys = flat_validation("en.gpt.validation.", found)
    assert keys["en.gpt.validation.passed"] == 1 and keys["en.gpt.validation.blank.drop_n"] == 24
    assert [keys[f"en.gpt.validation.{name}.drop"] for name in ("blank", "mismatched", "praise")] == [77.5, 30, 0]


RATIO = OfSums(np.nan_to_num, lambda sums: sums[..., 0] / sums[..., 1])


def test_of_what_is_no_weighted_sum_judges_are_tried_by_all_columns_but_joint_ones() -> None:
    """A ratio would not tell a blank from an answer. Fit has 80 %, looks 75 %, by their scales (800 + 300)/14 together;
    the joint measure as much of the one as of the other.
    """
    columns = [*COLUMNS, Column("all", "en", "alike")]
    metric = METRIC._replace(columns=columns, reported={"gap": RATIO}, shown=("gap",))
    scales = SCALES | {"alike": Scale(0, 1)}
    joint = [Joint("alike", ("de", "en"), ("fit", "fit"), lambda first, last: 1 - abs(first - last) / 10)]
    layout = Layout(ITEMS, np.zeros(24, np.int64), metric, {}, seed=0, joint=joint)
    alike = [row | {"measure": "alike"} | dict.fromkeys(VALUES, 1.0) for row in rows(0)[:24]]
    known = {"de.fit.repeats.gpt.alpha_hi": 0.1, "de.fit.repeats.gpt.alpha": 0.0, "de.fit.repeats.gpt.distance_lo": 9.0}

    def tried_with(layout: Layout, **agreement: float) -> Validation:
        controls = [Evidence("blank", "blank", "careful", [*rows(0, 1), *alike], [*GOOD, *alike])]
        return validate_judge(controls, layout, scales, "gpt", agreement, ())

    found = tried_with(layout)
    assert found.passed and flat_validation("", found)["blank.drop"] == 78.571
    assert tried_with(layout, **known).passed, "a ratio counts no joint column"
    counted = metric._replace(reported={"alike": Linear(np.array([1.0, 0, 10]))}, shown=("alike",))
    [said] = tried_with(replace(layout, metric=counted), **known).reasons
    assert said.startswith("does not agree with itself: alpha of repeats 0.00") and said.endswith("(de, fit)")


def test_who_cannot_tell_a_blank_fails() -> None:
    luck = np.random.default_rng(0).normal(0, 2, 24)
    found = verdict(rows(5, 3), blank=rows(5 + luck, 3), mismatched=rows(0, 1))
    [said] = verdict_in_words(found)
    assert (
        said.startswith("the judge fails its validation and ranks nobody: cannot tell blank (4")
        and found.passed is False
    )
    assert said.endswith("from what careful answered (50.0 %)") and flat_validation("", found)["passed"] == 0


@pytest.mark.parametrize(
    ("control", "left", "passed"),
    [("blank", 4.0, True), ("blank", 4.1, False), ("mismatched", 6.0, True), ("mismatched", 6.1, False)],
)
def test_a_sure_difference_may_be_too_little(control: str, left: float, passed: bool) -> None:
    """Of a fit of 8 a blank may keep 4, another item's answer 6, however sure it is that this is less; in looks, which
    are 75 % of their scale, the blank half as well, the other all.
    """
    found = verdict(rows(8, 4), **{control: rows(left, 2.5 if control == "blank" else 4)})
    assert found.passed is passed
    assert passed or found.reasons[0].startswith(f"hardly tells {control} (")


def test_who_is_generous_to_blanks_in_one_measure_fails() -> None:
    """A blank with no fit and all of the looks keeps 37.5 of 77.5 %; with a fit of 1 as well 42.5, more than half."""
    assert verdict(rows(8, 4), blank=rows(0, 4)).passed is True
    assert verdict(rows(8, 4), blank=rows(1, 4)).passed is False


def test_few_items_that_vary_convict_nobody() -> None:
    """Three of 10, 0 and 10 are 6.7 on average, and with a blank's 0 nobody can be sure that they are above it."""
    few = rows(np.resize([10.0, 0, 10], 24), np.resize([5.0, 1, 5], 24), items=3)
    found = verdict(few, blank=rows(0, 1, items=3))
    assert found.reasons == ["too few items to tell blank (0.0 %) from what careful answered (66.7 %) with confidence"]
    assert found.passed is None and verdict(few, blank=few).passed is False


def test_praise_may_gain_hardly_anything() -> None:
    """By 84 % of fit and 80 % of looks it stands 4.5 % above; 2 % are allowed."""
    more, told = rows(8.4 + UP_AND_DOWN, 4.2), {"blank": rows(0, 1)}
    assert verdict(GOOD, **told, praise=more).reasons == ["puts praise (82.0 %) above what careful answered (77.5 %)"]
    assert verdict(GOOD, **told, praise=rows(8.19 + UP_AND_DOWN, 4.07)).passed
    unsure = rows(8.4 + 3 * UP_AND_DOWN, 4.2)
    assert verdict(GOOD, **told, praise=unsure).passed


def test_a_reference_stands_as_high_as_answers() -> None:
    assert verdict(GOOD, blank=rows(0, 1), reference=rows(8, 3.9)).passed
    found = verdict(GOOD, blank=rows(0, 1), reference=rows(4, 3))
    assert found.reasons == ["puts reference (45.0 %) below what careful answered (77.5 %)"]


def test_poor_answers_accuse_nobody_but_right_ones_do() -> None:
    poor = rows(1, 1)  # 5 %
    alone = verdict(poor, blank=poor)
    assert alone.passed is None and "passed" not in flat_validation("", alone)
    assert verdict_in_words(alone) == [
        "the judge is not validated: what careful answered has 5.0 %: too poor to tell blank from"
    ]
    assert verdict(poor, blank=poor, reference=rows(9, 5)).passed
    blind = verdict(poor, blank=poor, reference=poor)
    assert blind.reasons == ["cannot tell blank (5.0 %) from right answers (5.0 %)"]


def test_who_likes_nothing_better_than_answers_fails_however_poor_it_calls_them() -> None:
    """A judge that has it the wrong way round: 20 % for what is good, all for nothing."""
    upside_down = rows(2 + UP_AND_DOWN, 1.8)
    found = verdict(upside_down, blank=rows(10, 5), mismatched=upside_down)
    assert found.reasons == ["cannot tell blank (100.0 %) from what careful answered (20.0 %)"]
    assert verdict(upside_down, blank=rows(10, 5, unjudged=24)).passed is None
    assert verdict(upside_down, blank=rows(4, 3)).passed is None  # answers may be worse than a poor blank


def test_right_answers_decide_where_a_contestant_does_no_better_than_chance() -> None:
    """Two of four may be right by guessing, and so may a right answer to another item."""
    guesses, poorer = rows(5, 3), rows(3.5, 2.4)
    assert verdict(guesses, mismatched=guesses).passed is False
    assert verdict(guesses, mismatched=guesses, reference=rows(10, 5)).passed
    assert verdict(poorer, mismatched=poorer).passed is verdict(poorer, blank=poorer).passed is None


def test_what_was_not_judged_clears_and_convicts_nobody() -> None:
    """A judge that said nothing of half of the blanks may have liked them; of praised answers, it may not have."""
    assert verdict(GOOD, blank=rows(0, 1, unjudged=4)).passed
    refused = verdict(GOOD, blank=rows(0, 1, unjudged=24))  # such as a server that takes no grey pictures
    said = "it left too much of blank or of what careful answered unjudged for a verdict"
    assert refused.passed is None and refused.reasons == [said]
    assert verdict(GOOD, blank=rows(0, 1, unjudged=14)).passed is None
    assert verdict(GOOD, blank=rows(0, 1, unjudged=24), mismatched=rows(1)).passed
    assert verdict(GOOD, blank=rows(8, 4, unjudged=4)).passed is False
    assert verdict(GOOD, blank=rows(0, 1), praise=rows(8.5, 4.2, unjudged=4)).passed


def test_without_controls_or_with_a_single_item_nothing_is_said() -> None:
    assert verdict(GOOD).passed is None
    one = verdict(rows(8, 4, items=1), blank=rows(0, 1, items=1))
    said = "too few items to tell blank (0.0 %) from what careful answered (77.5 %)"
    assert one.passed is None and one.reasons == [said]
    blind = verdict(GOOD, praise=rows(5, 2), reference=GOOD)  # not won over: but does it see anything?
    assert blind.passed is None


def at_odds(**found: float) -> Validation:
    """A judge with right controls, and what agreement says of its fit."""
    agreement = {f"en.fit.{name.replace('__', '.')}": value for name, value in found.items()}
    return verdict(GOOD, agreement, blank=rows(0, 1))


def test_one_handsome_picture_for_all_accuses_nobody() -> None:
    """It has 90 % of looks and hardly any fit: another item's answer is the same, and a judge is right to say so."""
    stock = rows(0.5 + UP_AND_DOWN / 2, 4.6)
    found = verdict(stock, blank=rows(0, 1), mismatched=rows(0.5 - UP_AND_DOWN / 2, 4.6))
    assert found.passed
    alone = verdict(stock, mismatched=rows(0.5 - UP_AND_DOWN / 2, 4.6))
    assert alone.passed is None and "has 5.0 %: too poor to tell mismatched from" in alone.reasons[0]


def test_repeats_convict_where_they_are_surely_unlike_and_far_apart() -> None:
    known = {"repeats__gpt__alpha": 0.1, "repeats__gpt__alpha_hi": 0.3, "repeats__gpt__distance_lo": 2.1}
    said = "does not agree with itself: alpha of repeats 0.10, significantly below 0.667 (en, fit)"
    assert at_odds(**known).reasons == [said]
    assert at_odds(**known | {"repeats__gpt__alpha_hi": 0.67}).passed
    assert at_odds(**known | {"repeats__gpt__distance_lo": 0.5}).passed  # of ten: nearly all were right
    assert at_odds(**{name.replace("gpt", "other"): value for name, value in known.items()}).passed


@pytest.mark.parametrize("form", FORMS)
def test_of_a_hundred_items_judges_who_see_pass_and_others_fail(form: str) -> None:
    """As many are drawn; two judges of each kind: of 1,000 tells bench/validation.py."""
    told = {judge: [*verdicts(form, judge, items=100, judges=2, seed=0)] for judge in JUDGES}
    assert told == {judge: [judge == "honest"] for judge in JUDGES}


def test_people_convict_where_they_agree_with_each_other() -> None:
    known = {"people__gpt__pearson": 0.1, "people__gpt__pearson_hi": 0.3, "people__gpt__mae_lo": 2.0}
    known |= {"people__gpt__n": 10}
    assert at_odds(**known | {"people__gpt__n": 9}).passed
    assert at_odds(**known).reasons == ["does not agree with people: pearson 0.10, significantly below 0.4 (en, fit)"]
    assert at_odds(**known, people__alpha=0.5).passed
    assert at_odds(**known | {"people__gpt__pearson_hi": 0.4}).passed
    assert at_odds(**known | {"people__gpt__mae_lo": 0.4}).passed
