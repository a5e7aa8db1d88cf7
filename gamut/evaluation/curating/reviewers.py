"""What several reviewers decided about a proposal, from their logs (`gamut/project/decisions.py`) and its review.

Of each proposed row the outcome is what more reviewers say than anything else, two rewrites being the same where they
write the same. What is decided in the review's file settles a row, whatever the logs say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from gamut.evaluation.curating.review import DECISIONS, AnyCuration, decided_columns, digest_of, form_row
from gamut.evaluation.scoring.agreement_measures import defined
from gamut.evaluation.scoring.estimates import rounded
from gamut.evaluation.scoring.statistics.kappa import krippendorff_alpha, weighted_kappa
from gamut.project import decisions
from gamut.project.decisions import Decision
from gamut.project.errors import nearest
from gamut.project.plain_text import amount
from gamut.tables.columns import Row

Outcome = tuple[str, tuple[tuple[str, str], ...]]
"""A decision and the new texts that belong to it."""


@dataclass(frozen=True)
class Reviews:
    """`said`: by reviewer and id; `passed_over`: how many decisions of each are about texts not proposed now."""

    said: Mapping[str, Mapping[str, Decision]]
    passed_over: Mapping[str, int]

    def outcomes(self) -> dict[str, Outcome | None]:
        """Return what becomes of every row about which somebody decided; None where reviewers are evenly divided."""
        ids = dict.fromkeys(row_id for of_one in self.said.values() for row_id in of_one)
        return {
            row_id: decisions.most_say(outcome_of(of_one[row_id]) for of_one in self.said.values() if row_id in of_one)
            for row_id in ids
        }


def task_of(curation: AnyCuration, edition: str) -> str:
    return f"review.{curation.name}.{edition}"


def read_reviews(curation: AnyCuration, edition: str, proposed: Sequence[Row]) -> Reviews:
    """Return what reviewers' logs say of a proposal; UserError with a line for every mistake in them."""
    digests = {row["id"]: digest_of(curation, row) for row in proposed}
    said: dict[str, Mapping[str, Decision]] = {}
    passed_over: dict[str, int] = {}
    for reviewer, of_one in decisions.decided(task_of(curation, edition)).items():
        first = [one for one in of_one.values() if one.round == 0]
        wrong = {one.key: mistake for one in first if (mistake := mistake_in(curation, one))}
        decisions.refuse_said(decisions.path_of(reviewer, task_of(curation, edition)), wrong)
        said[reviewer] = {one.id: one for one in first if digests.get(one.id) == one.about}
        if others := len(first) - len(said[reviewer]):
            passed_over[reviewer] = others
    return Reviews(said, passed_over)


def mistake_in(curation: AnyCuration, one: Decision) -> str | None:
    if one.decision not in DECISIONS:
        return f"{one.id!r}: there is no decision {one.decision!r}{nearest(one.decision, DECISIONS)}"
    if unknown := [name for name in one.texts if name not in curation.texts]:
        return f"{one.id!r}: there is no text {unknown[0]!r}{nearest(unknown[0], curation.texts)}"
    if (one.decision == "rewrite") != any(one.texts.values()):
        return f"{one.id!r}: a rewrite has new texts, and nothing else has"
    return None


def outcome_of(one: Decision) -> Outcome:
    return one.decision, tuple(sorted((name, text) for name, text in one.texts.items() if text))


def as_review(curation: AnyCuration, row: Row, found: Outcome) -> dict[str, str]:
    decision, texts = found
    written = {f"new_{name}": text for name, text in texts}
    return form_row(curation, row) | dict.fromkeys(decided_columns(curation), "") | {"decision": decision} | written


def agreement(reviewed: Reviews) -> dict[str, float]:
    """Return how far reviewers agree whether a row is taken as it is: `<one>.<other>.kappa` and `n`, `alpha` and `n` of
    all; without what is undefined.
    """
    names = sorted(reviewed.said)
    ids = sorted({row_id for of_one in reviewed.said.values() for row_id in of_one})
    taken = np.full((len(ids), len(names)), np.nan)
    for column, name in enumerate(names):
        for place, row_id in enumerate(ids):
            if row_id in reviewed.said[name]:
                taken[place, column] = reviewed.said[name][row_id].decision == "accept"
    found: dict[str, float] = {}
    for one, other in combinations(range(len(names)), 2):
        both = taken[~np.isnan(taken[:, [one, other]]).any(axis=1)]
        if len(both):
            found[f"{names[one]}.{names[other]}.n"] = len(both)
            kappa = defined(weighted_kappa, both[:, one], both[:, other])
            found |= {} if kappa is None else {f"{names[one]}.{names[other]}.kappa": rounded(kappa)}
    if found:
        found["n"] = int(((~np.isnan(taken)).sum(axis=1) > 1).sum())
        alpha = defined(krippendorff_alpha, taken)
        found |= {} if alpha is None else {"alpha": rounded(alpha)}
    return found


def summaries(curation: AnyCuration, edition: str, reviewed: Reviews) -> Iterator[str]:
    for reviewer, of_one in reviewed.said.items():
        others = reviewed.passed_over.get(reviewer, 0)
        rest = f"; {amount(others, 'decision')} about texts that are not proposed any more" if others else ""
        yield f"{decisions.path_of(reviewer, task_of(curation, edition))}: {amount(len(of_one), 'decision')}{rest}"
