"""UGC, generation: how much a picture resembles the reference pictures of an entity, by their embeddings."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]


def score(answer: Vector, references: NDArray[np.float32]) -> float:
    """Return the mean cosine of a picture's vector with those of the references, 0..1; what points away is 0.

    `references`: shape (pictures, features). ValueError where a vector has no direction, or there is no reference.
    What is amiss with the released form is not in this formula: pictures are squashed to squares before they are
    embedded, and those that are missing leave the mean over items.
    """
    return min(max(released_score(answer, references), 0.0), 1.0)


def released_score(answer: Vector, references: NDArray[np.float32]) -> float:
    if references.ndim != 2 or references.shape[1:] != answer.shape or not len(references):
        raise ValueError(f"vectors of shapes {answer.shape} and {references.shape} cannot be compared")
    one, others = answer.astype(np.float64), references.astype(np.float64)
    lengths = np.linalg.norm(others, axis=1) * np.linalg.norm(one)
    if not (np.isfinite(lengths).all() and lengths.all()):
        raise ValueError("a vector has no direction")
    return float((others @ one / lengths).mean())
