"""Whether a judge can be trusted with ranks: what it makes of answers whose worth is known, of itself, and of people.

Controls are paired with the answers that they were made of, by all that counts in what ranks, in percent of the scale.
A claim has to hold whatever the judge would have said of what it did not judge.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gamut.evaluation.defining.measures import Linear, Scale
from gamut.evaluation.scoring.board import Layout
from gamut.evaluation.scoring.comparison import Difference, common, differences
from gamut.evaluation.scoring.estimates import Estimate, flat
from gamut.evaluation.scoring.scores import Bounds, made_of
from gamut.evaluation.scoring.values import Scores, value_of
from gamut.tables.columns import Row

WORTHLESS: Mapping[str, float] = {"blank": 1 / 2, "mismatched": 3 / 4, "input_copied": 3 / 4}
"""Controls that must be told from answers, and what share of these they may have: a blank, in which nothing is right,
throughout; the others in the measure where they have least, as another item's answer may be right by chance or look as
good, and a copied input keeps what an edit was to keep."""
LEAST_ANSWERED = 40
"""What a contestant's answers must have there, in percent of the scale, to accuse a judge: poor ones are no
better than what is worthless."""
MOST_GAINED = 2
"""How far praise may stand above the answers, in percent of the scale: a fifth of a point of ten, to which luck may add
what a hundred items leave open."""
MOST_BELOW = 5
"""How far below the answers a reference may stand, in percent of the scale: half a point of ten, to less of which a
judge that gives whole points cannot be held."""
LEAST_ALPHA = 2 / 3
"""Data of a lower α are not even for tentative conclusions (Krippendorff 2004, "Content Analysis", section 11.4.2)."""
LEAST_LIKE_PEOPLE = 0.4
"""Agreement beyond chance below it is poor (Fleiss 1981, "Statistical methods for rates and proportions", ch. 13)."""
SLIGHT = 0.05
"""Raters who are this share of the scale apart on average, or less, are not at odds: where nearly all is right chance
agrees as well, and coefficients are low though hardly a verdict differs (Feinstein and Cicchetti 1990, "High agreement
but low kappa: I")."""
UNSTEADY = 0.2
"""Repeats of a judge that are this share of the scale apart on average, or less, do not convict it: where contestants
are alike even little noise makes a low coefficient, and over many items it hardly moves a mean."""
PRAISE, REFERENCE = "praise", "reference"
ITSELF = ("alpha", "alpha_hi", "distance_lo")
PEOPLE = ("kappa", "kappa_hi", "pearson", "pearson_hi", "mae_lo")
"""What of agreement convicts."""


class Evidence(NamedTuple):
    """A control: its kind, its name without `control_`, whose answers it was made of, its scores in one metric by one
    judge, and those of the same items' samples as they were answered.
    """

    control: str
    name: str
    contestant: str
    degraded: Sequence[Row]
    answered: Sequence[Row]


class Finding(NamedTuple):
    """What a control says of a judge. `drop`: how much higher the answers stand, in percent of the scale. `told`: the
    judge is as it should be, or not; None where that cannot be said. `words`: why not.
    """

    name: str
    drop: Estimate
    told: bool | None
    words: str = ""


class Validation(NamedTuple):
    """The verdict on a judge in one metric: it passed, or failed, or (None) was not tried; and why it did not pass."""

    passed: bool | None
    reasons: Sequence[str]
    findings: Sequence[Finding] = ()


NOT_TRIED = Validation(None, ["it had nothing worthless to tell from answers: name a contestant in controls_of"])


def tried(
    controls: Sequence[Evidence],
    layout: Layout,
    scales: Mapping[str, Scale],
    judge: str,
    agreement: Mapping[str, float],
    verdicts: Collection[str],
) -> Validation:
    """Return the verdict on a judge in the layout's metric.

    `agreement`: of all judges, under the flat keys of `agreement.flat`; `verdicts`: the measures that are 0 or 1.
    It fails with any control that is not as it should be (`finding`), and where it surely disagrees with itself or with
    people (`at_odds`). It passes that did not fail, and has told something worthless from answers; who only was not won
    over by praise may be blind.
    """
    findings = [found for one in controls if (found := finding(one, controls, layout, scales))]
    reasons = [one.words for one in findings if one.told is False]
    reasons += at_odds(layout, scales, judge, agreement, verdicts)
    if reasons:
        return Validation(False, reasons, findings)
    worthless = {one.name for one in controls if one.control in WORTHLESS}
    if any(one.told for one in findings if one.name in worthless):
        return Validation(True, [], findings)
    doubts = [one.words for one in findings if one.told is None]
    return Validation(None, doubts[:1] or NOT_TRIED.reasons, findings)


def finding(one: Evidence, controls: Sequence[Evidence], layout: Layout, scales: Mapping[str, Scale]) -> Finding | None:
    """Return what a control says of a judge; None where nothing that counts was put to it.

    Praise may not stand surely more than MOST_GAINED above the answers, nor the reference surely more than MOST_BELOW
    below. Right answers, or a contestant's where none are known, have to stand above what is WORTHLESS.
    """
    name, answers, least = f"what {one.contestant} answered", one.answered, LEAST_ANSWERED
    right = [other.degraded for other in controls if (other.control, other.contestant) == (REFERENCE, one.contestant)]
    if one.control in WORTHLESS and right:
        name, answers, least = "right answers", right[0], 0
    degraded, held = layout.bounds(one.degraded), layout.bounds(answers)
    most, fewest = (paired(*of, layout, scales) for of in ((degraded.high, held.low), (degraded.low, held.high)))
    if most is None or fewest is None:
        return None
    apart, words = most.apart, ""
    told: bool | None = True
    if one.control == PRAISE:
        apart = fewest.apart
        if apart.high is not None and apart.high < -MOST_GAINED:
            told, words = False, "puts {} above {}"
    elif one.control == REFERENCE:
        if apart.low is not None and apart.low > MOST_BELOW:
            told, words = False, "puts {} below {}"
    else:
        told, words = telling(one, name, most, fewest, least)
    values = f"{one.name} ({apart.first:.1f} %)", f"{name} ({apart.second:.1f} %)"
    return Finding(one.name, Estimate(apart.difference, apart.low, apart.high, apart.n), told, words.format(*values))


def telling(one: Evidence, name: str, most: Paired, fewest: Paired, least: float) -> tuple[bool | None, str]:
    """Return whether a judge tells what is worthless from answers, and if not why, with the control at its most and at
    its fewest.

    It has to stand surely below them, with no more than its share of what they have: with many items a judge may surely
    be a little above blindness. Poor answers accuse nobody, unless a blank has more than half of the scale, and surely
    more than they: who has it the wrong way round finds all answers poor.
    """
    apart, bar = most.apart, WORTHLESS[one.control]
    if apart.low is None:
        return None, "too few items to tell {} from {}"
    sure = apart.low > 0
    if kept(one, most) <= bar:
        return (True, "") if sure else (None, "too few items to be sure of {} against {}")
    if kept(one, fewest) <= bar:
        return None, f"it left too much of {one.name} or of {name} unjudged to be held to it"
    level = apart.second if one.control == "blank" else min(most.answered, apart.second)
    blank = fewest.apart
    upside_down = one.control == "blank" and blank.first > 50 and blank.high is not None and blank.high < 0
    if level < least and not upside_down:
        return None, f"{name} has {level:.1f} %: too poor to tell {one.name} from"
    return False, "hardly tells {} from {}" if sure else "cannot tell {} from {}"


class Paired(NamedTuple):
    """A control and answers, in percent of the scale: `apart`, the second the answers; what share of these the control
    has in the measure where it has least, and what they have in it.
    """

    apart: Difference
    share: float
    answered: float


def kept(one: Evidence, found: Paired) -> float:
    """Return what share of what the answers have a judge leaves a control."""
    throughout = one.control == "blank" and found.apart.second > 0
    return found.apart.first / found.apart.second if throughout else found.share


def paired(degraded: Scores, answered: Scores, layout: Layout, scales: Mapping[str, Scale]) -> Paired | None:
    """Compare two matrices of scores (items, columns) by all that counts in what ranks, as far as both have it; None
    where they have no such score in common.
    """
    metric = layout.metric
    lowest, highest = np.array([scales[column.measure] for column in metric.columns]).T
    first, second = common(*(100 * (scores - lowest) / (highest - lowest) for scores in (degraded, answered)))
    factors = asked_about(layout) * (highest - lowest) * ~np.isnan(first).all(axis=0)
    if not factors.any():
        return None
    together = {metric.shown[0]: Linear(factors / factors.sum())}
    bounds = Bounds(first, first), Bounds(second, second)
    [apart] = differences(*bounds, layout.strata, together, dict.fromkeys(together, Scale(0, 100)))
    of_measure = [np.array([column.measure == measure for column in metric.columns]) for measure in scales]
    told = [
        (value_of(first, Linear(factors * own)) / whole, whole / (factors * own).sum())
        for own in of_measure
        if (whole := value_of(second, Linear(factors * own))) > 0
    ]
    return Paired(apart, *min(told, default=(1.0, 0.0)))


def counting(layout: Layout) -> NDArray[np.float64]:
    """Return how far what ranks rises with each column, shape (columns,); of what is no weighted sum, all alike but the
    joint ones, of which better answers have less of some and more of others.
    """
    metric, joint = layout.metric, {one.measure for one in layout.joint}
    one = metric.reported[metric.shown[0]]
    if isinstance(one, Linear):
        return one.factors
    return np.array([float(column.measure not in joint) for column in metric.columns])


def asked_about(layout: Layout) -> NDArray[np.float64]:
    """Return the same with what a joint column counts shared out among the metric's columns that it is made of: a
    control of one setting alone tells of that setting.
    """
    factors, columns = counting(layout).copy(), list(layout.metric.columns)
    for place, column in enumerate(columns):
        made = [columns.index(one) for one in made_of([column], layout.joint) if one in columns]
        if made:
            factors[made] += factors[place] / len(made)
            factors[place] = 0
    return factors


def at_odds(
    layout: Layout, scales: Mapping[str, Scale], judge: str, agreement: Mapping[str, float], verdicts: Collection[str]
) -> Iterator[str]:
    """Yield with whom a judge surely disagrees, in each setting and measure that counts in what ranks, also by way of a
    joint one.

    With itself: the upper end of α among its repeats is below LEAST_ALPHA. With people: that of Pearson's r is below
    LEAST_LIKE_PEOPLE, or of verdicts that of κ; a judge that is kinder than people throughout ranks as they do. Either
    only where the two are surely more than SLIGHT apart, repeats more than UNSTEADY. People who do not agree with each
    other accuse nobody.
    """
    counted = [column for column, factor in zip(layout.metric.columns, counting(layout), strict=True) if factor]
    columns = {(column.setting, column.measure) for column in (*counted, *made_of(counted, layout.joint))}
    for setting, measure in sorted(columns):
        start, nan = f"{setting}.{measure}", float("nan")
        width = scales[measure].highest - scales[measure].lowest
        itself, people = (
            {name: agreement.get(f"{start}.{whom}.{judge}.{name}", nan) for name in names}
            for whom, names in (("repeats", ITSELF), ("people", PEOPLE))
        )
        if itself["alpha_hi"] < LEAST_ALPHA and itself["distance_lo"] > UNSTEADY * width:
            said = f"alpha of repeats {itself['alpha']:.2f}, surely below {LEAST_ALPHA:.3f} ({setting}, {measure})"
            yield f"does not agree with itself: {said}"
        like = "kappa" if measure in verdicts else "pearson"
        at_one = agreement.get(f"{start}.people.alpha", 1.0) >= LEAST_ALPHA
        if at_one and people[f"{like}_hi"] < LEAST_LIKE_PEOPLE and people["mae_lo"] > SLIGHT * width:
            said = f"{like} {people[like]:.2f}, surely below {LEAST_LIKE_PEOPLE} ({setting}, {measure})"
            yield f"does not agree with people: {said}"


def flat_validation(prefix: str, validation: Validation) -> dict[str, float]:
    """Return a verdict under flat keys: `<prefix>passed`, 1 or 0, left out of a judge that was not tried, and each
    control's `<prefix><name>.drop` with its interval.
    """
    keys: dict[str, float] = {} if validation.passed is None else {f"{prefix}passed": int(validation.passed)}
    return keys | flat(prefix, {f"{one.name}.drop": one.drop for one in validation.findings})


def verdict_in_words(validation: Validation, who: str = "judge") -> list[str]:
    if validation.passed:
        return []
    start = (
        f"the {who} is not validated"
        if validation.passed is None
        else f"the {who} fails its validation and ranks nobody"
    )
    first, *others = validation.reasons
    return [f"{start}: {first}", *(f"also: {other}" for other in others)]
