"""What people say of contestants' answers, in git: `datasets/labels/<benchmark>/<edition>.csv`, a row a contestant,
item, setting, measure and person, maybe `sample` and `question`, without which a label is of all of them. A row without
a score has not been labelled yet.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gamut.evaluation.defining.measures import Scale
from gamut.evaluation.scoring.agreement import EVERY, Answer, Rating, grains
from gamut.project.csv_forms import form_rows, refuse
from gamut.project.errors import nearest
from gamut.project.files import write_csv

FOLDER = Path("datasets/labels")
COLUMNS = ("contestant", "item", "setting", "measure", "person", "score")
FINER = ("sample", "question")
"""Columns that may be there."""
ABOUT = ("contestant", "item", "setting", "measure", "sample", "question", "person")
"""What two labels of the same thing by the same person have in common."""


class Known(NamedTuple):
    """What labels may name, and the scale of each measure. Contestants come and go: any may be named."""

    items: Collection[str]
    settings: Collection[str]
    measures: Mapping[str, Scale]


def path_of(benchmark: str, edition: str) -> Path:
    return FOLDER / benchmark / f"{edition}.csv"


def read_labels(path: Path, known: Known) -> list[Rating]:
    """Return the scores that people gave, checked; a UserError with one line per mistake."""
    labels: list[Rating] = []
    first: dict[tuple[str, ...], int] = {}
    mistakes: list[tuple[int, str]] = []
    for line, row in form_rows(path, COLUMNS, absent=""):
        try:
            label = label_of(row, known)
            earlier = first.setdefault(tuple(row.get(name, "") for name in (*COLUMNS[:-1], *FINER)), line)
            if earlier != line:
                raise ValueError(f"labels the same as line {earlier}: keep one of them")
        except ValueError as mistake:
            mistakes.append((line, str(mistake)))
            continue
        if label is not None:
            labels.append(label)
    refuse(path, mistakes)
    return labels


def label_of(row: Mapping[str, str], known: Known) -> Rating | None:
    """Return a row's label, None when it has none yet; a ValueError says what is wrong with the row."""
    for name, choices in zip(("item", "setting", "measure"), known, strict=True):
        if row[name] not in choices:
            raise ValueError(f"there is no {name} {row[name]!r}{nearest(row[name], choices)}")
    if not row["contestant"]:
        raise ValueError("contestant is empty: whose answer is it?")
    if not row["person"]:
        raise ValueError("person is empty: who gave the score?")
    if not row["score"]:
        return None
    try:
        score = float(row["score"])
    except ValueError:
        score = math.nan
    lowest, highest = known.measures[row["measure"]]
    if not lowest <= score <= highest:
        raise ValueError(f"score {row['score']!r}: a number from {lowest:g} to {highest:g} is wanted")
    finer = tuple(place_of(row, name) for name in FINER)
    answer = (row["contestant"], row["item"], *(finer if {*finer} != {EVERY} else ()))
    return Rating(row["setting"], row["measure"], row["person"], answer, score)


def place_of(row: Mapping[str, str], name: str) -> int:
    """Return which sample or question a row is of, EVERY where it says nothing; ValueError for what is no count."""
    said = row.get(name, "")
    if not said:
        return EVERY
    if not (said.isascii() and said.isdigit()):
        raise ValueError(f"{name} {said!r}: a whole number is wanted, counted from 0")
    return int(said)


def scored_too(labels: Sequence[Rating], scores: Iterable[Rating]) -> tuple[list[Rating], str | None]:
    """Return the labels of what some judge has scored too, and in words how many are passed over, and of whom."""
    scored = {(score.setting, score.measure, answer) for score in scores for answer in grains(score.answer)}
    kept = [label for label in labels if about(label) in scored]
    others = Counter((label.answer[0], label.setting) for label in labels if about(label) not in scored)
    of_whom = ", ".join(
        f"{count:,} of {contestant} ({setting})" for (contestant, setting), count in sorted(others.items())
    )
    said = f"{others.total():,} labels are passed over, no judge has scored what they are about: {of_whom}"
    return kept, said if others else None


def about(label: Rating) -> tuple[str, str, Answer]:
    return label.setting, label.measure, label.answer


def sample_of(label: Rating, samples: Mapping[tuple[str, str, str], int]) -> int:
    """Return which sample a label is of: where it names none the only one, or EVERY where there are several."""
    contestant, item, *finer = label.answer
    sample: int = finer[0] if finer else EVERY
    return 0 if sample == EVERY and samples.get((label.setting, contestant, item)) == 1 else sample


def write_labels(path: Path, before: Sequence[Mapping[str, str]], found: Sequence[Mapping[str, str]]) -> None:
    """Write labels: those of before that nothing new stands for, in their order, then the new ones."""
    new = {of_whom(row) for row in found}
    kept = [row for row in before if of_whom(row) not in new]
    columns = dict.fromkeys([*COLUMNS, *FINER, *(name for row in kept for name in row)])
    write_csv(path, [*columns], ([row.get(name, "") for name in columns] for row in [*kept, *found]))


def of_whom(row: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(row.get(name, "") for name in ABOUT)
