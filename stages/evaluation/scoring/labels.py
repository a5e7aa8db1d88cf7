"""What people say of contestants' answers, in git: `datasets/labels/<benchmark>/<edition>.csv`.

A row a contestant, item, side, measure and person, with the score on the judges' own scale. A row without a score has
not been labelled yet.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from stages.evaluation.defining.measures import Scale
from stages.evaluation.scoring.agreement import Rating
from stages.project.csv_forms import form_rows, refuse
from stages.project.errors import nearest

FOLDER = Path("datasets/labels")
COLUMNS = ("contestant", "item", "side", "measure", "person", "score")


class Known(NamedTuple):
    """What labels may name, and the scale of each measure. Contestants come and go: any may be named."""

    items: Collection[str]
    sides: Collection[str]
    measures: Mapping[str, Scale]


def path_of(benchmark: str, edition: str) -> Path:
    """Return where the labels of an edition's answers stand."""
    return FOLDER / benchmark / f"{edition}.csv"


def read_labels(path: Path, known: Known) -> list[Rating]:
    """Return the scores that people gave, checked; a UserError with one line per mistake."""
    labels: list[Rating] = []
    first: dict[tuple[str, ...], int] = {}
    mistakes: list[tuple[int, str]] = []
    for line, row in form_rows(path, COLUMNS, absent=""):
        try:
            label = label_of(row, known)
            earlier = first.setdefault(tuple(row[name] for name in COLUMNS[:-1]), line)
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
    for name, choices in zip(("item", "side", "measure"), known, strict=True):
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
    return Rating(row["side"], row["measure"], row["person"], (row["contestant"], row["item"]), score)


def scored_too(labels: Sequence[Rating], scores: Iterable[Rating]) -> tuple[list[Rating], str | None]:
    """Return the labels of what some judge has scored too, and in words how many are passed over, and of whom.

    None where all are kept. Contestants, languages and judges that are not measured now leave labels without a score.
    """
    scored = {about(score) for score in scores}
    kept = [label for label in labels if about(label) in scored]
    others = Counter((label.answer[0], label.side) for label in labels if about(label) not in scored)
    of_whom = ", ".join(f"{count:,} of {contestant} ({side})" for (contestant, side), count in sorted(others.items()))
    said = f"{others.total():,} labels are passed over, no judge has scored what they are about: {of_whom}"
    return kept, said if others else None


def about(rating: Rating) -> tuple[str, ...]:
    """Return what a rating is about: side, measure, contestant and item."""
    return rating.side, rating.measure, *rating.answer[:2]
