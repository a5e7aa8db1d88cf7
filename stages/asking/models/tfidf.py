"""Text embeddings without weights: TF-IDF of words and a truncated SVD, fitted on the texts that will be embedded."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import pairwise

import numpy as np
import orjson
from numpy.typing import NDArray

from stages.asking.models.batches import BatchedModel
from stages.asking.requests import Embed, Reply, Request, packed
from stages.project.model_kinds import TfidfModel, identity

Embedder = Callable[[Sequence[str]], list[NDArray[np.float32]]]

MOST_TERMS = 65_536
"""The most frequent terms are kept, so that memory is bounded: these times 256 dimensions of float32 are 67 MB."""
CHINESE = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
TERM = re.compile(rf"[{CHINESE}]+|[^\W_{CHINESE}]+")
BATCH = 64
ROUNDING = 1e-9
"""What is shorter, of a text whose weights have length 1, is rounding: all its terms went with the small axes."""


def open_tfidf(model: TfidfModel, texts: Iterable[str]) -> BatchedModel:
    """Open an embedder that is fitted on `texts` when it is first asked; its revision is their digest.

    Embeddings have length 1, or are all 0 for a text without a known term. They have `model.dimensions` numbers, or as
    many as there are texts or terms where these are fewer.
    """
    fitted_on = sorted(set(texts))
    fitted = cache(lambda: fit(fitted_on, model.dimensions))

    def generate(requests: Sequence[Request]) -> list[Reply]:
        texts = [request.item for request in requests if isinstance(request, Embed) and isinstance(request.item, str)]
        assert len(texts) == len(requests)  # params.yaml gives it no other role
        return [Reply(packed(vector)) for vector in fitted()(texts)]

    revision = f"sha256-{hashlib.sha256(orjson.dumps(fitted_on)).hexdigest()}"
    return BatchedModel(identity(model) | {"revision": revision}, BATCH, generate)


def terms(text: str) -> list[str]:
    """Return the words of a text in lower case; of Chinese, which sets no spaces, each character and each pair in a
    row.

    Most Chinese words have two characters, so pairs come close to words without a dictionary.
    """
    found: list[str] = []
    for run in TERM.findall(text.lower()):
        found += [*run, *map("".join, pairwise(run))] if re.match(f"[{CHINESE}]", run) else [run]
    return found


def fit(texts: Sequence[str], dimensions: int) -> Embedder:
    """Learn from texts how others are embedded: the same function for the same texts in the same order."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.utils.extmath import randomized_svd
    from threadpoolctl import threadpool_limits

    if not any(map(terms, texts)):
        return lambda some: [np.zeros(1, np.float32) for _ in some]
    weigh = TfidfVectorizer(analyzer=terms, max_features=MOST_TERMS, sublinear_tf=True)
    matrix = weigh.fit_transform(texts)
    with threadpool_limits(1):  # sums split among threads differ in their last bits
        _, _, components = randomized_svd(matrix, min(dimensions, *matrix.shape), random_state=0)
    axes = np.ascontiguousarray(components.T)

    def embed(some: Sequence[str]) -> list[NDArray[np.float32]]:
        rows = weigh.transform(some)
        parts = zip(np.split(rows.data, rows.indptr[1:-1]), np.split(rows.indices, rows.indptr[1:-1]), strict=True)
        vectors = [data @ axes[indices] for data, indices in parts]
        lengths = [np.linalg.norm(vector) for vector in vectors]
        return [
            (vector / length if length > ROUNDING else np.zeros_like(vector)).astype(np.float32)
            for vector, length in zip(vectors, lengths, strict=True)
        ]

    return embed
