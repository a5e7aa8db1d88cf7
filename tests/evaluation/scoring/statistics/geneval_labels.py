"""Real labels: what five people each said of 400 generated images (GenEval, annotations_clip.csv), as ratings."""

from __future__ import annotations

import csv
import gzip

import numpy as np

from tests.paths import DATA

LABELS = DATA / "geneval" / "annotations_clip.csv.gz"


def geneval_ratings(column: str) -> np.ndarray:
    """Ratings of shape (400, 5), NaN where a person was not asked; people have no names, so columns are their order."""
    answers: dict[str, list[float]] = {}
    with gzip.open(LABELS, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            answers.setdefault(row["Input.index"], []).append(float(row[column] or "nan"))
    ratings = np.array(list(answers.values()))
    assert ratings.shape == (400, 5)
    return ratings
