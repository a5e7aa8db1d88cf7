"""Whether a judge can be trusted with ranks: its scores of answers of known quality, its agreement with itself and with
people.

Controls are paired with the answers that they were made from. All columns of the ranking value count, in percent of the
scale. A claim must hold whatever the judge would have said of what it did not judge.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from gamut.evaluation.defining.measures import Linear, Scale
from gamut.evaluation.scoring.board import Layout
from gamut.evaluation.scoring.comparison import Difference, common_scores, differences
from gamut.evaluation.scoring.corrected import LEAST
from gamut.evaluation.scoring.estimates import Estimate, flat_estimates
from gamut.evaluation.scoring.scores import Bounds, parts_of_joint
from gamut.evaluation.scoring.statistics.inference import Floats
from gamut.evaluation.scoring.values import Scores, value_of
from gamut.tables.columns import Row

WORTHLESS: Mapping[str, float] = {"blank": 1 / 2, "mismatched": 3 / 4, "input_copied": 3 / 4}
"""Controls that a judge must tell from answers, and the largest share of the answers' score that they may have. A
blank, in which nothing is right, may have it in all measures together. The others may have it in their lowest measure,
since another item's answer may be right by chance or look as good, and a copied input keeps what an edit should keep.
"""
LEAST_ANSWERED = 40
"""A contestant's answers with a lower score, in percent of the scale, do not make a judge fail: poor answers are no
better than degraded ones."""
MOST_GAINED = 2
"""How far praise may raise answers, in percent of the scale: a fifth of a point of ten, plus the uncertainty from a
hundred items."""
MOST_BELOW = 5
"""How far a reference may be below the answers, in percent of the scale: half a point of ten, as a judge that gives
whole points cannot be more exact."""
LEAST_ALPHA = 2 / 3
"""Below, even tentative conclusions are not allowed (Krippendorff 2004, "Content Analysis", section 11.4.2)."""
LEAST_LIKE_PEOPLE = 0.4
"""Lower agreement beyond chance is poor (Fleiss 1981, "Statistical methods for rates and proportions", ch. 13)."""
SLIGHT = 0.05
"""Raters whose mean distance is at most this share of the scale do not disagree. If nearly all is right, chance agrees
as well, and coefficients are low though hardly a verdict differs (Feinstein and Cicchetti 1990, "High agreement but low
kappa: I")."""
UNSTEADY = 0.2
"""A judge whose repeats have at most this mean distance, as a share of the scale, does not fail for it. If contestants
are alike, even little noise makes a low coefficient, but over many items it hardly moves a mean."""
PRAISE, REFERENCE = "praise", "reference"
REPEAT_KEYS = ("alpha", "alpha_hi", "distance_lo")
PEOPLE_KEYS = ("kappa", "kappa_hi", "pearson", "pearson_hi", "mae_lo")
"""The values of agreement that can make a judge fail."""


class Evidence(NamedTuple):
    """A control: its kind, its name without `control_`, the contestant of its answers, its scores in one metric by one
    judge, and the scores of the same items' original samples.
    """

    control: str
    name: str
    contestant: str
    degraded: Sequence[Row]
    answered: Sequence[Row]


class Finding(NamedTuple):
    """The result of one control. `drop`: how much higher the answers are, in percent of the scale. `passed`: None if
    unknown. `words`: why the judge did not pass.
    """

    name: str
    drop: Estimate
    passed: bool | None
    words: str = ""


class Validation(NamedTuple):
    """The verdict on a judge in one metric: passed, failed, or None for not validated; and why it did not pass."""

    passed: bool | None
    reasons: Sequence[str]
    findings: Sequence[Finding] = ()


NOT_VALIDATED = Validation(None, ["it was not tested on degraded answers: name a contestant in controls_of"])


def validate_judge(
    controls: Sequence[Evidence],
    layout: Layout,
    scales: Mapping[str, Scale],
    judge: str,
    agreement: Mapping[str, float],
    verdicts: Collection[str],
) -> Validation:
    """Return the verdict on a judge in the layout's metric.

    `agreement`: of all judges, under the keys of `flat_agreement`. `verdicts`: the measures that are 0 or 1. A judge
    fails if any control fails (`control_finding`), or if it significantly disagrees with itself or with people
    (`disagreements`). It passes if it did not fail, and told a degraded control from answers: a judge that praise did
    not influence may still be blind.
    """
    findings = [found for one in controls if (found := control_finding(one, controls, layout, scales))]
    reasons = [one.words for one in findings if one.passed is False]
    reasons += disagreements(layout, scales, judge, agreement, verdicts)
    if reasons:
        return Validation(False, reasons, findings)
    worthless = {one.name for one in controls if one.control in WORTHLESS}
    if any(one.passed for one in findings if one.name in worthless):
        return Validation(True, [], findings)
    doubts = [one.words for one in findings if one.passed is None]
    return Validation(None, doubts[:1] or NOT_VALIDATED.reasons, findings)


def control_finding(
    one: Evidence, controls: Sequence[Evidence], layout: Layout, scales: Mapping[str, Scale]
) -> Finding | None:
    """Return the finding of one control. None if the judge was asked nothing that counts.

    Praise may not be significantly more than MOST_GAINED above the answers, nor the reference significantly more than
    MOST_BELOW below them. Right answers, or the contestant's if none are known, must be above the WORTHLESS controls.
    """
    name, answers, least = f"what {one.contestant} answered", one.answered, LEAST_ANSWERED
    right = [other.degraded for other in controls if (other.control, other.contestant) == (REFERENCE, one.contestant)]
    if one.control in WORTHLESS and right:
        name, answers, least = "right answers", right[0], 0
    degraded, held = layout.bounds(one.degraded), layout.bounds(answers)
    most, fewest = (
        compare_control(*of, layout, scales) for of in ((degraded.high, held.low), (degraded.low, held.high))
    )
    if most is None or fewest is None:
        return None
    apart, words = most.difference, ""
    passed: bool | None = True
    if one.control == PRAISE:
        apart = fewest.difference
        if apart.high is not None and apart.high < -MOST_GAINED:
            passed, words = False, "puts {} above {}"
    elif one.control == REFERENCE:
        if apart.low is not None and apart.low > MOST_BELOW:
            passed, words = False, "puts {} below {}"
    else:
        passed, words = worthless_finding(one, name, most, fewest, least)
    values = f"{one.name} ({apart.first:.1f} %)", f"{name} ({apart.second:.1f} %)"
    return Finding(one.name, apart.estimate, passed, words.format(*values))


def worthless_finding(
    one: Evidence, name: str, most: ControlPair, fewest: ControlPair, least: float
) -> tuple[bool | None, str]:
    """Return whether a judge tells a degraded control, at its highest and at its lowest, from answers, and why not.

    The control must be significantly below them, with at most its share of their score: with many items even a nearly
    blind judge has a significant difference. Poor answers do not make a judge fail, unless a blank has more than half
    of the scale and significantly more than they have: a judge with a reversed scale finds all answers poor.
    """
    apart, bar = most.difference, WORTHLESS[one.control]
    if apart.low is None:
        return None, "too few items to tell {} from {}"
    sure = apart.low > 0
    if share_kept(one, most) <= bar:
        return (True, "") if sure else (None, "too few items to tell {} from {} with confidence")
    if share_kept(one, fewest) <= bar:
        return None, f"it left too much of {one.name} or of {name} unjudged for a verdict"
    level = apart.second if one.control == "blank" else min(most.answered, apart.second)
    blank = fewest.difference
    upside_down = one.control == "blank" and blank.first > 50 and blank.high is not None and blank.high < 0
    if level < least and not upside_down:
        return None, f"{name} has {level:.1f} %: too poor to tell {one.name} from"
    return False, "hardly tells {} from {}" if sure else "cannot tell {} from {}"


class ControlPair(NamedTuple):
    """A control and answers, in percent of the scale. `difference`: answers minus control. `share`: the control's share
    of the answers' score in its lowest measure. `answered`: the answers' score in that measure.
    """

    difference: Difference
    share: float
    answered: float


def share_kept(one: Evidence, pair: ControlPair) -> float:
    """Return the share of the answers' score that a control has; for a blank in all measures together."""
    throughout = one.control == "blank" and pair.difference.second > 0
    return pair.difference.first / pair.difference.second if throughout else pair.share


def compare_control(
    degraded: Scores, answered: Scores, layout: Layout, scales: Mapping[str, Scale]
) -> ControlPair | None:
    """Compare two matrices of scores (items, columns) by all that counts in the ranking value. None if they have no
    such score in common.
    """
    metric = layout.metric
    lowest, highest = np.array([scales[column.measure] for column in metric.columns]).T
    first, second = common_scores(*(100 * (scores - lowest) / (highest - lowest) for scores in (degraded, answered)))
    factors = control_weights(layout) * (highest - lowest) * ~np.isnan(first).all(axis=0)
    if not factors.any():
        return None
    together = {metric.shown[0]: Linear(factors / factors.sum())}
    bounds = Bounds(first, first), Bounds(second, second)
    [apart] = differences(*bounds, layout.strata, together, dict.fromkeys(together, Scale(0, 100)))
    of_measure = [np.array([column.measure == measure for column in metric.columns]) for measure in scales]
    shares = [
        (value_of(first, Linear(factors * own)) / whole, whole / (factors * own).sum())
        for own in of_measure
        if (whole := value_of(second, Linear(factors * own))) > 0
    ]
    return ControlPair(apart, *min(shares, default=(1.0, 0.0)))


def column_weights(layout: Layout) -> Floats:
    """Return how much the ranking value rises with each column, shape (columns,). If it is not a weighted sum, all are
    equal except joint ones: better answers have less of some and more of others.
    """
    metric, joint = layout.metric, {one.measure for one in layout.joint}
    one = metric.reported[metric.shown[0]]
    if isinstance(one, Linear):
        return one.factors
    return np.array([float(column.measure not in joint) for column in metric.columns])


def control_weights(layout: Layout) -> Floats:
    """Return `column_weights`, with those of joint columns divided among the columns that they are made of: a control
    of one setting tells only about that setting.
    """
    factors, columns = column_weights(layout).copy(), list(layout.metric.columns)
    for place, column in enumerate(columns):
        parts = [columns.index(one) for one in parts_of_joint([column], layout.joint) if one in columns]
        if parts:
            factors[parts] += factors[place] / len(parts)
            factors[place] = 0
    return factors


def disagreements(
    layout: Layout, scales: Mapping[str, Scale], judge: str, agreement: Mapping[str, float], verdicts: Collection[str]
) -> Iterator[str]:
    """Yield where a judge significantly disagrees, by setting and measure that counts, also as part of a joint one.

    With itself: the upper end of α among its repeats is below LEAST_ALPHA, and repeats differ by more than UNSTEADY.
    With people: the upper end of Pearson's r, or κ for verdicts, is below LEAST_LIKE_PEOPLE, and they differ by more
    than SLIGHT, on LEAST answers or more. A judge that is milder than people everywhere ranks as they do. People who
    disagree with each other do not count.
    """
    counted = [column for column, factor in zip(layout.metric.columns, column_weights(layout), strict=True) if factor]
    columns = {(column.setting, column.measure) for column in (*counted, *parts_of_joint(counted, layout.joint))}
    for setting, measure in sorted(columns):
        start, nan = f"{setting}.{measure}", float("nan")
        width = scales[measure].highest - scales[measure].lowest
        itself, people = (
            {name: agreement.get(f"{start}.{whom}.{judge}.{name}", nan) for name in names}
            for whom, names in (("repeats", REPEAT_KEYS), ("people", PEOPLE_KEYS))
        )
        if itself["alpha_hi"] < LEAST_ALPHA and itself["distance_lo"] > UNSTEADY * width:
            words = f"{itself['alpha']:.2f}, significantly below {LEAST_ALPHA:.3f} ({setting}, {measure})"
            yield f"does not agree with itself: alpha of repeats {words}"
        like = "kappa" if measure in verdicts else "pearson"
        at_one = agreement.get(f"{start}.people.alpha", 1.0) >= LEAST_ALPHA
        enough = agreement.get(f"{start}.people.{judge}.n", 0) >= LEAST
        if enough and at_one and people[f"{like}_hi"] < LEAST_LIKE_PEOPLE and people["mae_lo"] > SLIGHT * width:
            words = f"{like} {people[like]:.2f}, significantly below {LEAST_LIKE_PEOPLE} ({setting}, {measure})"
            yield f"does not agree with people: {words}"


def flat_validation(prefix: str, validation: Validation) -> dict[str, float]:
    """Return keys `<prefix>passed`, 1 or 0, left out without a verdict, and each control's `<prefix><name>.drop`."""
    keys: dict[str, float] = {} if validation.passed is None else {f"{prefix}passed": int(validation.passed)}
    return keys | flat_estimates(prefix, {f"{one.name}.drop": one.drop for one in validation.findings})


def verdict_in_words(validation: Validation, who: str = "judge") -> list[str]:
    if validation.passed:
        kinds = dict.fromkeys(one.name.partition(".")[0] for one in validation.findings)
        return [f"the {who} passed its validation by controls: {', '.join(kinds)}"]
    verdict = "is not validated" if validation.passed is None else "fails its validation and ranks nobody"
    first, *others = validation.reasons
    return [f"the {who} {verdict}: {first}", *(f"also: {other}" for other in others)]
