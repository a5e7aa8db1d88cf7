"""Whether a judge can be trusted with ranks: what it makes of answers whose worth is known, of itself, and of people.

It must tell what is worthless from what was answered, and may not be won over by praise. Controls are paired with the
very answers that they were made of, by all that counts in what ranks, in percent of the scale. A claim, for a judge or
against it, has to hold whatever it would have said of what it did not judge.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.defining.measures import Linear, Scale
from stages.evaluation.scoring.board import Layout
from stages.evaluation.scoring.comparison import Difference, common, differences
from stages.evaluation.scoring.estimates import Estimate, flat
from stages.evaluation.scoring.scores import Bounds, made_of
from stages.evaluation.scoring.values import Scores, value_of
from stages.tables.columns import Row


class Worthless(NamedTuple):
    """A control that must be told from answers: what share of these it may have, `throughout` or else in the measure
    where it has least, and how much they must have, in percent of the scale, to accuse a judge that does not tell it.
    """

    most_left: float
    throughout: bool
    least_answered: float


WORTHLESS: Mapping[str, Worthless] = {
    "blank": Worthless(1 / 2, True, 30),
    "mismatched": Worthless(3 / 4, False, 40),
    "input_copied": Worthless(3 / 4, False, 40),
}
"""In a blank nothing is right. Another item's answer may look as good, and be right by chance, and a copied input keeps
what an edit was to keep: more may be left of these, and poor answers are no better."""
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
    """A control: its kind, its name without `control_`, whose answers it was made of, its scores in one view by one
    judge, and those of the same items' samples as they were answered.
    """

    control: str
    name: str
    contestant: str
    spoilt: Sequence[Row]
    answered: Sequence[Row]


class Finding(NamedTuple):
    """What a control says of a judge. `drop`: how much higher the answers stand, in percent of the scale. `told`: the
    judge is as it should be, or not; None where that cannot be said. `words`: why not.
    """

    name: str
    drop: Estimate
    told: bool | None
    words: str = ""


class Trial(NamedTuple):
    """The verdict on a judge in one view: it passed, or failed, or (None) was not tried; and why it did not pass."""

    passed: bool | None
    reasons: Sequence[str]
    findings: Sequence[Finding] = ()


NOT_TRIED = Trial(None, ["it had nothing worthless to tell from answers: name a contestant in controls_of"])


def tried(
    controls: Sequence[Evidence],
    layout: Layout,
    scales: Mapping[str, Scale],
    judge: str,
    agreement: Mapping[str, float],
    verdicts: Collection[str],
) -> Trial:
    """Return the verdict on a judge in the layout's view.

    `agreement`: of all judges, under the flat keys of `agreement.flat`; `verdicts`: the measures that are 0 or 1.
    It fails with any control that is not as it should be (`finding`), and where it surely disagrees with itself or with
    people (`at_odds`). It passes that did not fail, and has told something worthless from answers; who only was not won
    over by praise may be blind.
    """
    findings = [found for one in controls if (found := finding(one, controls, layout, scales))]
    reasons = [one.words for one in findings if one.told is False]
    reasons += at_odds(layout, scales, judge, agreement, verdicts)
    if reasons:
        return Trial(False, reasons, findings)
    worthless = {one.name for one in controls if one.control in WORTHLESS}
    if any(one.told for one in findings if one.name in worthless):
        return Trial(True, [], findings)
    doubts = [one.words for one in findings if one.told is None]
    return Trial(None, doubts[:1] or NOT_TRIED.reasons, findings)


def finding(one: Evidence, controls: Sequence[Evidence], layout: Layout, scales: Mapping[str, Scale]) -> Finding | None:
    """Return what a control says of a judge; None where nothing that counts was put to it.

    Praise may not stand surely more than MOST_GAINED above the answers, nor the reference surely more than MOST_BELOW
    below. Right answers, or a contestant's where none are known, have to stand above what is WORTHLESS (`telling`).
    """
    theirs, bounds = f"what {one.contestant} answered", layout.bounds(one.spoilt)
    if one.control in WORTHLESS:
        for other in controls:
            if (other.control, other.contestant) == (REFERENCE, one.contestant):
                return telling(one, "right answers", other.spoilt, layout, scales, 0)
        return telling(one, theirs, one.answered, layout, scales, WORTHLESS[one.control].least_answered)
    answered, praise = layout.bounds(one.answered), one.control == PRAISE
    ends = (bounds.low, answered.high) if praise else (bounds.high, answered.low)
    both = paired(*ends, layout, scales)
    if both is None:
        return None
    apart = both.apart
    wrong = surely_above(apart, MOST_GAINED) if praise else apart.low is not None and apart.low > MOST_BELOW
    words = "" if not wrong else "puts {} above {}" if praise else "puts {} below {}"
    return made_finding(one, apart, theirs, not wrong, words)


def telling(
    one: Evidence, name: str, answers: Sequence[Row], layout: Layout, scales: Mapping[str, Scale], least: float
) -> Finding | None:
    """Return whether a judge tells what is worthless from some answers; None where there are none.

    It has to stand surely below them (the 95 % interval of the paired difference), with no more than `most_left` of
    what they have: with many items a judge may surely be a little above blindness. If it has less, but not surely, the
    items are too few to say anything. Answers with less than `least` percent of the scale accuse nobody, unless a blank
    has more than half of it, and surely more than they: who has it the wrong way round finds all answers poor.
    """
    spoilt, held, bar = layout.bounds(one.spoilt), layout.bounds(answers), WORTHLESS[one.control]
    worst, best = (paired(*of, layout, scales) for of in ((spoilt.high, held.low), (spoilt.low, held.high)))
    if worst is None or best is None:
        return None
    apart, sure = worst.apart, worst.apart.low is not None and worst.apart.low > 0
    if apart.low is None:
        return made_finding(one, apart, name, None, "too few items to tell {} from {}")
    if worst.left_by(bar) <= bar.most_left:
        return made_finding(one, apart, name, sure or None, "" if sure else "too few items to be sure of {} against {}")
    if best.left_by(bar) <= bar.most_left:
        words = f"it left too much of {one.name} or of {name} unjudged to be held to it"
        return made_finding(one, apart, name, None, words)
    level = apart.second if bar.throughout else min(worst.answered, apart.second)
    if level < least and not (one.control == "blank" and best.apart.first > 50 and surely_above(best.apart)):
        return made_finding(one, apart, name, None, f"{name} has {level:.1f} %: too poor to tell {one.name} from")
    return made_finding(one, apart, name, False, "hardly tells {} from {}" if sure else "cannot tell {} from {}")


def made_finding(one: Evidence, apart: Difference, answers: str, told: bool | None, words: str) -> Finding:
    """Return a finding; in `words` both are named with their values."""
    values = f"{one.name} ({apart.first:.1f} %)", f"{answers} ({apart.second:.1f} %)"
    return Finding(one.name, Estimate(apart.difference, apart.low, apart.high, apart.n), told, words.format(*values))


def surely_above(apart: Difference, most: float = 0) -> bool:
    """Return whether a control surely stands more than `most` percent of the scale above the answers."""
    return apart.high is not None and apart.high < -most


class Paired(NamedTuple):
    """A control and answers, in percent of the scale: `apart`, the second the answers; what share of these the control
    has in the measure where it has least, and what they have in it.
    """

    apart: Difference
    share: float
    answered: float

    def left_by(self, bar: Worthless) -> float:
        """Return what share of what the answers have a judge leaves a control."""
        return self.apart.first / self.apart.second if bar.throughout and self.apart.second > 0 else self.share


def paired(spoilt: Scores, answered: Scores, layout: Layout, scales: Mapping[str, Scale]) -> Paired | None:
    """Compare two matrices of scores (items, columns) by all that counts in what ranks, as far as both have it; None
    where they have no such score in common.
    """
    view = layout.view
    lowest, highest = np.array([scales[column.measure] for column in view.columns]).T
    first, second = common(*(100 * (scores - lowest) / (highest - lowest) for scores in (spoilt, answered)))
    factors = asked_about(layout) * (highest - lowest) * ~np.isnan(first).all(axis=0)
    if not factors.any():
        return None
    together = {view.shown[0]: Linear(factors / factors.sum())}
    bounds = Bounds(first, first), Bounds(second, second)
    [apart] = differences(*bounds, layout.strata, together, dict.fromkeys(together, Scale(0, 100)))
    of_measure = [np.array([column.measure == measure for column in view.columns]) for measure in scales]
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
    view, joint = layout.view, {one.measure for one in layout.joint}
    one = view.reported[view.shown[0]]
    if isinstance(one, Linear):
        return one.factors
    return np.array([float(column.measure not in joint) for column in view.columns])


def asked_about(layout: Layout) -> NDArray[np.float64]:
    """Return the same with what a joint column counts shared out among the view's columns that it is made of: a control
    of one side alone tells of that side.
    """
    factors, columns = counting(layout).copy(), list(layout.view.columns)
    for place, column in enumerate(columns):
        made = [columns.index(one) for one in made_of([column], layout.joint) if one in columns]
        if made:
            factors[made] += factors[place] / len(made)
            factors[place] = 0
    return factors


def at_odds(
    layout: Layout,
    scales: Mapping[str, Scale],
    judge: str,
    agreement: Mapping[str, float],
    verdicts: Collection[str],
) -> Iterator[str]:
    """Yield with whom a judge surely disagrees, in each side and measure that counts in what ranks, also by way of a
    joint one.

    With itself: the upper end of α among its repeats is below LEAST_ALPHA. With people: that of Pearson's r is below
    LEAST_LIKE_PEOPLE, or of verdicts that of κ; a judge that is kinder than people throughout ranks as they do. Either
    only where the two are surely more than SLIGHT apart, repeats more than UNSTEADY. People who do not agree with each
    other accuse nobody.
    """
    counted = [column for column, factor in zip(layout.view.columns, counting(layout), strict=True) if factor]
    columns = {(column.side, column.measure) for column in (*counted, *made_of(counted, layout.joint))}
    for side, measure in sorted(columns):
        start, nan = f"{side}.{measure}", float("nan")
        width = scales[measure].highest - scales[measure].lowest
        itself, people = (
            {name: agreement.get(f"{start}.{whom}.{judge}.{name}", nan) for name in names}
            for whom, names in (("repeats", ITSELF), ("people", PEOPLE))
        )
        if itself["alpha_hi"] < LEAST_ALPHA and itself["distance_lo"] > UNSTEADY * width:
            said = f"alpha of repeats {itself['alpha']:.2f}, surely below {LEAST_ALPHA:.3f} ({side}, {measure})"
            yield f"does not agree with itself: {said}"
        like = "kappa" if measure in verdicts else "pearson"
        at_one = agreement.get(f"{start}.people.alpha", 1.0) >= LEAST_ALPHA
        if at_one and people[f"{like}_hi"] < LEAST_LIKE_PEOPLE and people["mae_lo"] > SLIGHT * width:
            said = f"{like} {people[like]:.2f}, surely below {LEAST_LIKE_PEOPLE} ({side}, {measure})"
            yield f"does not agree with people: {said}"


def flat_trial(prefix: str, trial: Trial) -> dict[str, float]:
    """Return a verdict under flat keys: `<prefix>passed`, 1 or 0, left out of a judge that was not tried, and each
    control's `<prefix><name>.drop` with its interval.
    """
    keys: dict[str, float] = {} if trial.passed is None else {f"{prefix}passed": int(trial.passed)}
    return keys | flat(prefix, {f"{one.name}.drop": one.drop for one in trial.findings})


def verdict_in_words(trial: Trial, who: str = "judge") -> list[str]:
    if trial.passed:
        return []
    start = f"the {who} is on no trial" if trial.passed is None else f"the {who} fails its trial and ranks nobody"
    first, *others = trial.reasons
    return [f"{start}: {first}", *(f"also: {other}" for other in others)]
