"""Texts on a plane, those of the same words near each other: TF-IDF, its main directions (truncated SVD), and of these
the two in which texts differ most. Nothing is asked of a model, and the same texts lie at the same places each time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

WORDS = 20_000
"""The most frequent words that count."""
DIRECTIONS = 32
STEPS = 1024
"""Places on each axis: fewer than arithmetic on another machine could tell apart."""
CHARACTERS = 2_000
"""Of a text, that count."""
FEWEST = 3
SEED = 20


def places(texts: Sequence[str]) -> NDArray[np.uint16] | None:
    """Return where each text lies, (texts, 2) in 0..STEPS - 1; None for fewer than three, or without two words."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    if len(texts) < FEWEST:
        return None
    cut = (text[:CHARACTERS] for text in texts)
    try:
        weights = TfidfVectorizer(max_features=WORDS, sublinear_tf=True, stop_words="english").fit_transform(cut)
    except ValueError:  # no text has a word that counts
        return None
    directions = min(DIRECTIONS, min(weights.shape) - 1)
    if directions < 2:
        return None
    found = TruncatedSVD(directions, random_state=SEED).fit_transform(weights)
    length = np.linalg.norm(found, axis=1, keepdims=True)
    found = found / np.where(length > 0, length, 1)
    found -= found.mean(axis=0)
    _, axes = np.linalg.eigh(found.T @ found)
    axes = axes[:, :-3:-1]
    axes *= np.sign(axes[np.abs(axes).argmax(axis=0), range(2)])  # a direction's sign is left to chance
    flat = found @ axes
    low, high = flat.min(axis=0), flat.max(axis=0)
    scaled = (flat - low) / np.where(high > low, high - low, 1)
    return np.rint(scaled * (STEPS - 1)).astype(np.uint16)
