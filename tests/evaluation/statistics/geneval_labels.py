"""Real labels: what five people each said of 400 generated images (GenEval, annotations_clip.csv), as ratings."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

LABELS = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "geneval" / "annotations_clip.csv"
needs_labels = pytest.mark.skipif(not LABELS.exists(), reason="the GenEval annotations are not here")


def geneval_ratings(column: str) -> np.ndarray:
    """Ratings of shape (400, 5), NaN where a person was not asked; people have no names, so columns are their order."""
    answers: dict[str, list[float]] = {}
    with LABELS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            answers.setdefault(row["Input.index"], []).append(float(row[column] or "nan"))
    ratings = np.array(list(answers.values()))
    assert ratings.shape == (400, 5)
    return ratings
