"""What people say of contestants' answers: `datasets/labels/<benchmark>.csv`, in git, a row a person, item and measure.

Its columns are contestant, item, side, measure, person and score, the score on the judges' own scale. A row without a
score has not been labelled yet.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from stages.errors import nearest
from stages.evaluation.agreement import Rating
from stages.sheets import refuse, sheet_rows

COLUMNS = ("contestant", "item", "side", "measure", "person", "score")


class Known(NamedTuple):
    """What labels may name, and the ends of the judges' scale."""

    contestants: Collection[str]
    items: Collection[str]
    sides: Collection[str]
    measures: Collection[str]
    lowest: float
    highest: float


def read_labels(path: Path, known: Known) -> list[Rating]:
    """The scores that people gave, checked; a UserError with one line per mistake."""
    labels: list[Rating] = []
    first: dict[tuple[str, ...], int] = {}
    mistakes: list[tuple[int, str]] = []
    for line, row in sheet_rows(path, COLUMNS, absent=""):
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
    """A row's label, None when it has none yet; a ValueError says what is wrong with the row."""
    for name, choices in zip(COLUMNS, known[:4], strict=False):
        if row[name] not in choices:
            raise ValueError(f"there is no {name} {row[name]!r}{nearest(row[name], choices)}")
    if not row["person"]:
        raise ValueError("person is empty: who gave the score?")
    if not row["score"]:
        return None
    try:
        score = float(row["score"])
    except ValueError:
        score = math.nan
    if not known.lowest <= score <= known.highest:
        raise ValueError(f"score {row['score']!r}: a number from {known.lowest:g} to {known.highest:g} is wanted")
    return Rating(row["side"], row["measure"], row["person"], (row["contestant"], row["item"]), score)
