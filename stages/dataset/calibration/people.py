"""What several people say of the same rows: one label a row, what does not count, and how far people agree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from stages.dataset.calibration.labels import BAD, DISPUTED, GOOD, Label
from stages.evaluation.scoring.statistics.kappa import krippendorff_alpha, weighted_kappa
from stages.project.decisions import Decisions, most_say, path_of
from stages.project.errors import UserError
from stages.project.plain_text import amount

TASK = "filters"
SAID = {"0": BAD, "1": GOOD}
MOST_NAMED = 3
"""So many rows of a log that cannot be used are named."""
MANY_ALIKE = 20
"""Who say the same of so many rows, and of all, may be one person."""

Key = tuple[str, str]
"""A filter and a row's id."""
Rows = Mapping[Key, Label]
"""Rows that were drawn and what is said of them."""
Voices = Mapping[Key, Mapping[str, int]]
"""What is said of rows, by person."""


class Word(NamedTuple):
    """What one person says of a row, and what stands for it as it was shown ("" where that is not said)."""

    said: int
    about: str


class Agreement(NamedTuple):
    """How far people agree: how many rows have labels of two or more, Cohen's kappa (of more than two people the mean
    of all pairs), Krippendorff's alpha; None where chance would agree as well.
    """

    twice: int
    kappa: float | None
    alpha: float | None


class Joined(NamedTuple):
    """What people say of the rows of a labels file: one label a row, whose `about` is "" where one of them does not say
    what was shown; how far they agree, by filter; of which rows each spoke as they are no more; and who say the same
    throughout, of how many rows.
    """

    rows: Rows
    agreements: Mapping[str, Agreement]
    changed: Mapping[str, Sequence[str]]
    alike: Sequence[tuple[str, str, int]]


def joined(drawn: Rows, path: Path, decisions: Mapping[str, Decisions], now: Mapping[Key, str]) -> Joined:
    """Return what is said of the rows that a labels file holds, in it and in people's logs; see `words_of`.

    The file is a voice like each log's. A row's label is what most say. What was said of a row that looks otherwise
    `now` does not count.
    """
    voices: dict[Key, dict[str, Word]] = {key: {} for key in drawn}
    changed: dict[str, list[str]] = defaultdict(list)
    for person, words in words_of(drawn, path, decisions).items():
        for key, word in words.items():
            if word.about and now.get(key, word.about) != word.about:
                changed[person].append("/".join(key))
            else:
                voices[key][person] = word
    said = {key: {person: word.said for person, word in words.items()} for key, words in voices.items()}
    # Those that say what was shown all say the same; of these and "" the least is "".
    abouts = {key: min((word.about for word in words.values()), default="") for key, words in voices.items()}
    rows = {key: label._replace(said=one_of(said[key]), about=abouts[key]) for key, label in drawn.items()}
    return Joined(rows, dict(agreements(said)), changed, list(alike(said)))


def words_of(drawn: Rows, path: Path, decisions: Mapping[str, Decisions]) -> dict[str, dict[Key, Word]]:
    """Return what a labels file and logs say of the rows that it holds, by person, the file first.

    First rounds count alone: a second one measures the person. A log that does not say what was shown speaks of what
    was drawn. UserError with a line for each log that has other decisions or speaks of rows that were not drawn.
    """
    found = {str(path): {key: Word(one.said, one.about) for key, one in drawn.items() if one.said is not None}}
    mistakes = []
    for reviewer, said in sorted(decisions.items()):
        found[reviewer] = {}
        others: dict[str, None] = {}  # in order, each once
        strange: dict[str, None] = {}
        for (thing, number), decision in said.items():
            name, _, row_id = thing.partition("/")
            if (name, row_id) not in drawn:
                others[thing] = None
            elif decision.decision not in SAID:
                strange[f"{thing}: {decision.decision!r}"] = None
            elif number == 0:
                about = decision.about or drawn[name, row_id].about
                found[reviewer][name, row_id] = Word(SAID[decision.decision], about)
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
    return found


def some_of(things: Collection[str]) -> str:
    """Return the first of some things, in words."""
    return ", ".join([*list(things)[:MOST_NAMED], *(["…"] if len(things) > MOST_NAMED else [])])


def one_of(voices: Mapping[str, int]) -> int | None:
    """Return what most people say of a row, DISPUTED where as many say the other, None where nobody says anything."""
    most = most_say(voices.values())
    return DISPUTED if most is None and voices else most


def alike(voices: Voices) -> Iterator[tuple[str, str, int]]:
    """Yield two people who say the same of all rows that both have labelled, where these are MANY_ALIKE or more, and
    how many they are.
    """
    by_person: dict[str, set[tuple[Key, int]]] = defaultdict(set)
    for key, said in voices.items():
        for person, word in said.items():
            by_person[person].add((key, word))
    for one, other in combinations(sorted(by_person), 2):
        both = len({key for key, _ in by_person[one]} & {key for key, _ in by_person[other]})
        if both >= MANY_ALIKE and len(by_person[one] & by_person[other]) == both:
            yield one, other, both


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
