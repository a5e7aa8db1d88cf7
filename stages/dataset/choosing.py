"""Which of several pictures of a prompt is the best, and which is clearly worse, by means of the pictures' scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, model_validator

from gamut.pipeline.asks import Asks
from gamut.pipeline.steps import StepParameters
from gamut.project.roles import Roles
from gamut.project.validation import Strict
from gamut.tables.columns import Row, grouped, prompt_id
from gamut.tables.reading import read_shard
from stages.dataset import safety, score_aesthetics, score_alignment, score_preference
from stages.dataset.filters import FILTERS

SCORING = {
    "prompt_alignment": score_alignment.STEP,
    "aesthetics": score_aesthetics.STEP,
    "preference": score_preference.STEP,
}
"""Steps whose models give pictures one score, on a scale of their own, by the score's name."""
COMPARED: Mapping[str, tuple[Asks, str]] = {
    **{one.name: (step, one.column) for step in FILTERS if isinstance(step, Asks) for one in step.filters},
    **{name: (step, "score") for name, step in SCORING.items()},
}
"""The scores by which pictures can be compared, by their names: the step and the column of each."""
SCORED = [*dict.fromkeys(step.name for step, _ in COMPARED.values())]
NOT_CHOSEN = "not_chosen"
"""The reason of a picture that passes all filters, while another one of its prompt is better or earlier."""
Scores = Mapping[str, Mapping[str, float]]
"""The scores of pictures, by id and name."""
Weights = Mapping[str, float]


class Choose(Strict):
    """How pictures of one prompt are compared: by the mean of the scores `by`, each with its weight. Pairs of a better
    and a worse picture have means that differ by `margin` or more. Scores of filters are 0..10.
    """

    by: dict[Literal[tuple(COMPARED)], Annotated[float, Field(gt=0, le=1000)]] = Field(min_length=1)  # type: ignore[valid-type]
    margin: Annotated[float, Field(gt=0, le=10)]


class Choosing(StepParameters):
    """Pictures are compared and left out only by scores that somebody gives."""

    roles: Roles
    safety: safety.Safety

    @model_validator(mode="after")
    def _scores_are_given(self) -> Choosing:
        for name in self.choose.by:
            if name in SCORING and getattr(self.roles, role := SCORING[name].role) is None:
                raise ValueError(f"choose.by.{name}: no model gives it: set roles.{role}, or leave it out")
        for one in () if self.safety.ask else safety.STEP.filters:
            if one.threshold(self) or one.name in self.choose.by:
                key = one.parameter if one.threshold(self) else f"choose.by.{one.name}"
                raise ValueError(f"{key}: nobody gives this score: set safety.ask to true")
        return self


class Pair(NamedTuple):
    """Two pictures of a prompt, the mean score of each, and the names of the scores in both means."""

    chosen: str
    rejected: str
    score_chosen: float
    score_rejected: float
    by: Sequence[str]


def scores_by_id(shard: str, names: Iterable[str]) -> Scores:
    """Return the named scores of a shard's pictures."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for name in names:
        step, column = COMPARED[name]
        for row in read_shard(step.table, shard, ["id", "status", column]):
            if row["status"] == "ok":
                found[row["id"]][name] = row[column]
    return found


def mean_scores(ids: Sequence[str], scores: Scores, by: Weights) -> tuple[Sequence[str], list[float]]:
    """Return the named scores that all of these pictures have, and the mean of each picture over them. Without such a
    score all means are 0.
    """
    names = [name for name in by if all(name in scores.get(one, {}) for one in ids)]
    total = sum(by[name] for name in names) or 1
    return names, [round(sum(by[name] * scores[one][name] for name in names) / total, 6) for one in ids]


def leave_best(decided: Sequence[Row], scores: Scores, by: Weights) -> list[Row]:
    """Keep of each prompt only the picture with the highest mean, of equals the first; the others get their reason."""
    kept = grouped((prompt_id(row["id"]), row["id"]) for row in decided if row["kept"])
    left = set[str]()
    for ids in kept.values():
        _, means = mean_scores(ids, scores, by)
        left.update(one for one in ids if one != ids[means.index(max(means))])
    return [row | {"kept": False, "reason": NOT_CHOSEN} if row["id"] in left else row for row in decided]


def clearest_pair(chosen: str, others: Iterable[str], scores: Scores, choose: Choose) -> Pair | None:
    """Return the chosen picture with the lowest of the others that are worse by the margin; None if none is."""
    pairs = []
    for other in others:
        names, (score, lower) = mean_scores([chosen, other], scores, choose.by)
        if round(score - lower, 6) >= choose.margin:
            pairs.append(Pair(chosen, other, score, lower, names))
    return min(pairs, key=lambda pair: pair.score_rejected, default=None)
