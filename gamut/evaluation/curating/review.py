"""People's review of the items proposed for an edition (FLUX-Reason-6M and PRISM-Bench, section 3.1).

Reviewers write their decisions into their own logs (`gamut/project/decisions.py`). The outcome of a row is the decision
of most reviewers. Two rewrites count as the same decision only if their texts are equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from gamut.evaluation.construction import proposals
from gamut.evaluation.curating.curation import Curation
from gamut.evaluation.scoring.agreement_measures import value_or_none
from gamut.evaluation.scoring.estimates import round_value
from gamut.evaluation.scoring.statistics.coefficients import krippendorff_alpha, weighted_kappa
from gamut.project import decisions, pipeline
from gamut.project.decisions import Decision
from gamut.project.errors import UserError, nearest_choice
from gamut.project.plain_text import amount
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows

REVIEWS = Path("datasets/reviews")
DECISIONS = ("accept", "reject", "rewrite")
AnyCuration = Curation[Any, Any]


def agreement_path(curation: AnyCuration, edition: str) -> Path:
    return REVIEWS / curation.name / f"{edition}.agreement.json"


def proposed_rows(curation: AnyCuration, edition: str) -> Iterator[Row]:
    """Return the usable rows of an edition's proposal, in order. UserError if nothing is proposed."""
    folder = proposals.path_of(curation.name, edition)
    if not folder.exists():
        raise UserError(
            f"{folder}: there is no proposal for {edition!r}: add it to {curation.name}.editions in "
            f"{pipeline.EDITIONS}, then `dvc repro {pipeline.address(f'editions.{curation.name}_propose@{edition}')}`"
        )
    return (row for row in read_rows(folder) if row["status"] == "ok")


def digest_of(curation: AnyCuration, row: Mapping[str, Any]) -> str:
    among = (row[curation.among],) if curation.among else ()
    return decisions.digest_of((*among, *(" ".join(row[name].split()) for name in curation.texts)))


Outcome = tuple[str, tuple[tuple[str, str], ...]]
"""A decision and the new texts that belong to it."""


@dataclass(frozen=True)
class Reviews:
    """`by_reviewer`: decisions by id. `passed_over`: how many are about texts that are not proposed now."""

    by_reviewer: Mapping[str, Mapping[str, Decision]]
    passed_over: Mapping[str, int]

    def outcomes(self) -> dict[str, Outcome | None]:
        """Return the outcome of every row with a decision; None if reviewers are evenly divided."""
        ids = dict.fromkeys(row_id for of_one in self.by_reviewer.values() for row_id in of_one)
        return {
            row_id: decisions.majority(
                outcome_of(of_one[row_id]) for of_one in self.by_reviewer.values() if row_id in of_one
            )
            for row_id in ids
        }


def task_of(curation: AnyCuration, edition: str) -> str:
    return f"review.{curation.name}.{edition}"


def read_decisions(curation: AnyCuration, edition: str, proposed: Sequence[Row]) -> Reviews:
    """Return the decisions of all reviewers about a proposal. UserError with one line for every mistake."""
    digests = {row["id"]: digest_of(curation, row) for row in proposed}
    by_reviewer: dict[str, Mapping[str, Decision]] = {}
    passed_over: dict[str, int] = {}
    for reviewer, of_one in decisions.read_decisions(task_of(curation, edition)).items():
        first = [one for one in of_one.values() if one.round == 0]
        wrong = {one.key: mistake for one in first if (mistake := mistake_in_decision(curation, one))}
        decisions.refuse_decisions(decisions.path_of(reviewer, task_of(curation, edition)), wrong)
        by_reviewer[reviewer] = {one.id: one for one in first if digests.get(one.id) == one.about}
        if others := len(first) - len(by_reviewer[reviewer]):
            passed_over[reviewer] = others
    return Reviews(by_reviewer, passed_over)


def mistake_in_decision(curation: AnyCuration, decision: Decision) -> str | None:
    if decision.decision not in DECISIONS:
        return (
            f"{decision.id!r}: there is no decision {decision.decision!r}{nearest_choice(decision.decision, DECISIONS)}"
        )
    if unknown := [name for name in decision.texts if name not in curation.texts]:
        return f"{decision.id!r}: there is no text {unknown[0]!r}{nearest_choice(unknown[0], curation.texts)}"
    if (decision.decision == "rewrite") != any(decision.texts.values()):
        return f"{decision.id!r}: new texts belong to a rewrite, and to nothing else"
    return None


def outcome_of(decision: Decision) -> Outcome:
    return decision.decision, tuple(sorted((name, text) for name, text in decision.texts.items() if text))


def reviewer_agreement(reviewed: Reviews) -> dict[str, float]:
    """Return how far reviewers agree on accepting rows unchanged: `<one>.<other>.kappa` and `n`, and `alpha` and `n` of
    all. Undefined values are left out.
    """
    names = sorted(reviewed.by_reviewer)
    ids = sorted({row_id for of_one in reviewed.by_reviewer.values() for row_id in of_one})
    taken = np.full((len(ids), len(names)), np.nan)
    for column, name in enumerate(names):
        for place, row_id in enumerate(ids):
            if row_id in reviewed.by_reviewer[name]:
                taken[place, column] = reviewed.by_reviewer[name][row_id].decision == "accept"
    found: dict[str, float] = {}
    for one, other in combinations(range(len(names)), 2):
        both = taken[~np.isnan(taken[:, [one, other]]).any(axis=1)]
        if len(both):
            found[f"{names[one]}.{names[other]}.n"] = len(both)
            kappa = value_or_none(weighted_kappa, both[:, one], both[:, other])
            found |= {} if kappa is None else {f"{names[one]}.{names[other]}.kappa": round_value(kappa)}
    if found:
        found["n"] = int(((~np.isnan(taken)).sum(axis=1) > 1).sum())
        alpha = value_or_none(krippendorff_alpha, taken)
        found |= {} if alpha is None else {"alpha": round_value(alpha)}
    return found


def decision_counts(curation: AnyCuration, edition: str, reviewed: Reviews) -> Iterator[str]:
    for reviewer, of_one in reviewed.by_reviewer.items():
        others = reviewed.passed_over.get(reviewer, 0)
        rest = f"; {amount(others, 'decision')} about texts that are no longer proposed" if others else ""
        yield f"{decisions.path_of(reviewer, task_of(curation, edition))}: {amount(len(of_one), 'decision')}{rest}"
