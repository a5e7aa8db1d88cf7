"""Judges of known worth, on controls of one contestant's answers in seven strata, in two forms.

`points`, as PRISM-Bench has it: 0 to 10 for fit and for looks. Answers have 7 on average, of fit with a standard
deviation of 2.5 over items, of looks with 1.5. A blank has nothing; another item's answer has 1 of fit and looks as
good; praise changes nothing; right answers are not known. A judge says so, a point too kindly and with a standard
deviation of 1.5, in whole points.

`verdicts`, as AEGIS has it: five questions an item, answered with Y or N. 60 % hold of an answer, more of some answers
than of others, all of a right one, 10 % of that to another item, none of a blank. A judge errs in one of ten.

So do those who see (`honest`). Others add a point for praise, or say Y to all of an answer that praises itself
(`vain`); to some another item's answer fits as well as any (`deaf`); some say anything (`blind`); and to some all is
best (`kind`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from gamut.evaluation.defining.measures import Scale, averages, ends_of
from gamut.evaluation.scoring.board import Layout
from gamut.evaluation.scoring.validation import Evidence, validate_judge
from gamut.tables.columns import Row

JUDGES = ("honest", "vain", "deaf", "blind", "kind")
FORMS: Mapping[str, Mapping[str, Scale]] = {
    "points": {"fit": Scale(0, 10), "looks": Scale(0, 10)},
    "verdicts": {"met": Scale(0, 1)},
}
USUAL = {"points": 0.7, "verdicts": 0.6}
"""What answers have, as a share of the scale."""
QUESTIONS = 5
STRATA = [f"stratum{n}" for n in range(7)]
Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
Truth = dict[str, Floats]
"""By control, and as `answered`, what is true: of points of each item and measure, 0 to 1, of verdicts of each item and
question, 0 or 1.
"""


@lru_cache(maxsize=1)
def layout(form: str, items: int) -> Layout:
    """Items by turns in each stratum, and the average over strata and measures."""
    metric = averages("en", STRATA, FORMS[form])
    names = [f"item{n}" for n in range(items)]
    return Layout(names, np.arange(items) % len(STRATA), metric, ends_of(metric, FORMS[form]), seed=0)


def truth_of(form: str, judge: str, items: int, level: float, chance: np.random.Generator) -> Truth:
    """What answers and controls are worth, to a judge of some kind."""
    if form == "points":
        answered = np.clip(chance.normal(level, (0.25, 0.15), (items, 2)), 0, 1)
        other = np.stack([np.clip(chance.normal(0.1, 0.1, items), 0, 1), answered[:, 1]], axis=1)
        found = {"answered": answered, "mismatched": other, "praise": answered + 0.1 * (judge == "vain")}
    else:
        shape = (items, QUESTIONS)
        answered = (chance.random(shape) < chance.beta(3 * level, 3 * (1 - level), (items, 1))).astype(np.float64)
        other = (chance.random(shape) < 0.1).astype(np.float64)
        found = {"answered": answered, "mismatched": other, "praise": answered, "reference": np.ones(shape)}
    if judge == "deaf":  # what is shown in the place of an answer is one to another item, if known a right one
        found["mismatched"] = found.get("reference", chance.permutation(answered))
    return found | {"blank": np.zeros_like(answered)}


def says(form: str, judge: str, control: str, truth: Floats, chance: np.random.Generator) -> Floats:
    """What a judge says of answers that are worth so much, on the scale of their measures, shape (items, measures)."""
    if form == "points":
        seen = np.clip(np.round(10 * truth + 1 + chance.normal(0, 1.5, truth.shape)), 0, 10)
        anything, best = chance.integers(0, 11, truth.shape).astype(np.float64), np.full(truth.shape, 10.0)
        return {"blind": anything, "kind": best}.get(judge, seen)
    if judge == "kind" or (judge, control) == ("vain", "praise"):
        return np.ones((len(truth), 1))
    errs = chance.random(truth.shape) < (0.5 if judge == "blind" else 0.1)
    return (truth != errs).mean(axis=1, keepdims=True)


def verdicts(
    form: str, judge: str, items: int, judges: int, seed: int, level: float | None = None
) -> Counter[bool | None]:
    """How many judges of a kind passed, failed, or (None) were not tried, by a contestant's answers of a level."""
    chance, found, where = np.random.default_rng(seed), Counter[bool | None](), layout(form, items)

    def rows(scores: Floats) -> list[Row]:
        return [
            {"item": item, "groups": [STRATA[stratum]], "setting": "en", "measure": measure}
            | dict.fromkeys(("value", "low", "high"), float(value))
            for item, stratum, of_item in zip(where.items, where.strata, scores, strict=True)
            for measure, value in zip(FORMS[form], of_item, strict=True)
        ]

    for _ in range(judges):
        truth = truth_of(form, judge, items, USUAL[form] if level is None else level, chance)
        said = {name: rows(says(form, judge, name, of, chance)) for name, of in truth.items()}
        answered = said.pop("answered")
        evidence = [Evidence(name, name, "one", of, answered) for name, of in said.items()]
        found[validate_judge(evidence, where, FORMS[form], "judge", {}, ()).passed] += 1
    return found
