"""What several people say of the same rows: one label a row, and how far people agree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from stages.dataset.calibration.labels import BAD, DISPUTED, GOOD, Label
from stages.evaluation.scoring.statistics.kappa import weighted_kappa
from stages.evaluation.scoring.statistics.krippendorff import krippendorff_alpha
from stages.project.decisions import Decisions, most_say, path_of
from stages.project.errors import UserError
from stages.project.plain_text import amount

TASK = "filters"
SAID = {"0": BAD, "1": GOOD}
MOST_NAMED = 3
"""So many rows of a log that cannot be used are named."""

Rows = Mapping[tuple[str, str], Label]
"""Rows that were drawn and what is said of them, by filter and id."""
Voices = Mapping[tuple[str, str], Mapping[str, int]]
"""What is said of rows, by filter and id, then by person."""


class Agreement(NamedTuple):
    """How far people agree: how many rows have labels of two or more, Cohen's kappa (of more than two people the mean
    of all pairs), Krippendorff's alpha; None where chance would agree as well.
    """

    twice: int
    kappa: float | None
    alpha: float | None


def joined(drawn: Rows, path: Path, decisions: Mapping[str, Decisions]) -> tuple[Rows, Mapping[str, Agreement]]:
    """Return what is said of the rows that a labels file holds, in it and in people's logs; and by filter how far they
    agree, where somebody has labelled the same row.

    The file is a voice like each log's. A row's label is what most say. First rounds count alone: a second one measures
    the person. UserError with a line for each log that has other decisions or speaks of rows that were not drawn.
    """
    voices: dict[tuple[str, str], dict[str, int]] = {
        key: {} if label.said is None else {str(path): label.said} for key, label in drawn.items()
    }
    mistakes = []
    for reviewer, said in sorted(decisions.items()):
        others: dict[str, None] = {}  # in order, each once
        strange: dict[str, None] = {}
        for (thing, number), decision in said.items():
            name, _, row_id = thing.partition("/")
            if (name, row_id) not in voices:
                others[thing] = None
            elif decision.decision not in SAID:
                strange[f"{thing}: {decision.decision!r}"] = None
            elif number == 0:
                voices[name, row_id][reviewer] = SAID[decision.decision]
        log = path_of(reviewer, TASK)
        if strange:
            mistakes.append(f"{log}: {amount(len(strange), 'label')} neither 1 nor 0 ({some_of(strange)}): label anew")
        if others:
            mistakes.append(
                f"{log}: {amount(len(others), 'row')} not in {path} ({some_of(others)}): name the file that they were "
                "drawn into at calibrate.labels, or move the log away"
            )
    if mistakes:
        raise UserError("\n".join(mistakes))
    return {key: label._replace(said=one_of(voices[key])) for key, label in drawn.items()}, dict(agreements(voices))


def some_of(things: Collection[str]) -> str:
    """Return the first of some things, in words."""
    return ", ".join([*list(things)[:MOST_NAMED], *(["…"] if len(things) > MOST_NAMED else [])])


def one_of(voices: Mapping[str, int]) -> int | None:
    """Return what most people say of a row, DISPUTED where as many say the other, None where nobody says anything."""
    most = most_say(voices.values())
    return DISPUTED if most is None and voices else most


def agreements(voices: Voices) -> Iterator[tuple[str, Agreement]]:
    """Yield how far people agree about each filter of which they have labelled the same rows."""
    by_filter: dict[str, list[Mapping[str, int]]] = defaultdict(list)
    for (name, _), said in voices.items():
        if len(said) > 1:
            by_filter[name].append(said)
    for name, rows in by_filter.items():
        yield name, agreement(rows)


def agreement(rows: Sequence[Mapping[str, int]]) -> Agreement:
    """Return how far people agree about rows that two or more have labelled."""
    people = sorted({person for said in rows for person in said})
    ratings = np.array([[said.get(person, np.nan) for person in people] for said in rows])
    kappas = []
    for one, other in combinations(range(len(people)), 2):
        both = ratings[~np.isnan(ratings[:, [one, other]]).any(axis=1)]
        with suppress(ValueError):  # which says that it is undefined
            kappas.append(weighted_kappa(both[:, one], both[:, other]))
    alphas = []
    with suppress(ValueError):
        alphas.append(krippendorff_alpha(ratings))
    return Agreement(len(rows), *(round(float(np.mean(found)), 6) if found else None for found in (kappas, alphas)))
