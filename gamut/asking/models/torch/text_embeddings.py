"""Embeddings of texts: by a sentence-transformers model, or without weights by TF-IDF of words and a truncated SVD."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from importlib.metadata import version
from itertools import chain
from operator import add
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from gamut.asking.models.batches import BatchedModel
from gamut.asking.models.extras import first_line, require_package
from gamut.asking.models.torch.networks import device_of, in_batches
from gamut.asking.models.weights import PICKLES, walk, weights_folder
from gamut.asking.requests import Reply, Request, pack_vector, parts_of
from gamut.project.code import digest_of, path_of
from gamut.project.errors import UserError
from gamut.project.model_kinds import SentenceTransformersModel, TfidfModel, identity
from gamut.project.settings import Endpoint

BATCH = 64
Embedder = Callable[[Sequence[str]], Iterable[NDArray[np.float32]]]


def open_sentence_transformers(
    name: str, slug: str, model: SentenceTransformersModel, endpoint: Endpoint
) -> BatchedModel:
    """Load a model whose embeddings are float32 of length 1; a text longer than the model reads is cut by it."""
    for package in ("torch", "transformers", "sentence_transformers"):
        require_package(name, package, "models")
    device = device_of(name, slug, endpoint)
    network = load_sentence_transformer(name, slug, model, endpoint, device)

    batch = endpoint.batch or BATCH

    def embed(texts: Sequence[str]) -> list[NDArray[np.float32]]:
        options = {"normalize_embeddings": True, "show_progress_bar": False}
        return list(network.encode(list(texts), batch_size=min(batch, len(texts)), device=device, **options))

    def generate(requests: Sequence[Request]) -> list[Reply]:
        return replies_of_texts(requests, lambda texts: in_batches(name, slug, device, texts, embed))

    return BatchedModel(identity(model), batch, generate)


def replies_of_texts(requests: Sequence[Request], embed: Embedder) -> list[Reply]:
    """Answer requests for the embedding of a text, or of several, all at once."""
    texts = [list(map(str, parts_of(request))) for request in requests]  # params.yaml gives it no pictures
    vectors = iter(embed([text for some in texts for text in some]))
    return [Reply(pack_vector(np.stack([next(vectors) for _ in some]))) for some in texts]


def load_sentence_transformer(
    name: str, slug: str, model: SentenceTransformersModel, endpoint: Endpoint, device: str
) -> Any:
    folder = weights_folder(name, slug, model.id, model.revision, endpoint, model.trust_remote_code)
    for path in walk(folder):  # the library would take the pickle of a layer that has no safetensors
        if path.suffix in PICKLES and not any(path.parent.glob("*.safetensors")):
            raise UserError(
                f"{name}: {path} is a pickle, which can run code: convert it to safetensors (`save` writes them), or "
                "take a repository that has them so"
            )
    import torch
    from safetensors import SafetensorError
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        return SentenceTransformer(
            str(folder),
            device=device,
            local_files_only=True,
            trust_remote_code=model.trust_remote_code,
            model_kwargs={"use_safetensors": True, "dtype": torch.float32},
        )
    except (OSError, ValueError, RuntimeError, ImportError, LookupError, SafetensorError) as error:
        raise UserError(
            f"{name}: {folder} cannot be loaded ({first_line(error)}): fetch it again, or name another"
        ) from None


MOST_TERMS = 65_536
"""The most frequent terms are kept, so that memory is bounded: these times 256 dimensions of float32 are 67 MB."""
CHINESE = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
IS_CHINESE = re.compile(f"[{CHINESE}]")
TERM = re.compile(rf"[{CHINESE}]+|[^\W_{CHINESE}]+")
ROUNDING = 1e-6  # lengths below this, where each term of a text weighs 1 or more, are rounding


def open_tfidf(model: TfidfModel, texts: Iterable[str]) -> BatchedModel:
    """Open an embedder that is fitted on `texts` when first asked; its revision is their digest.

    Embeddings have length 1, or are 0 for a text without a known term.
    """
    fitted_on = sorted(set(texts))
    fitted = cache(lambda: fit_embedder(fitted_on, model.dimensions))

    def generate(requests: Sequence[Request]) -> list[Reply]:
        return replies_of_texts(requests, fitted())

    revision = f"sha256-{hashlib.sha256(orjson.dumps(fitted_on)).hexdigest()}"
    # fitted by other code, vectors have other axes: those that are stored of one do not go with those of another
    fitting = {"code": digest_of([path_of(__name__)]), "library": version("scikit-learn")}
    return BatchedModel(identity(model) | {"revision": revision} | fitting, BATCH, generate)


def terms(text: str) -> list[str]:
    """Return words in lower case; of Chinese each character and each pair in a row, as most words have two."""
    words: list[str] = []
    if text.isascii():
        return TERM.findall(text.lower())
    for run in TERM.findall(text.lower()):
        words += [*run, *map(add, run, run[1:])] if IS_CHINESE.match(run) else [run]
    return words


BREAK = re.compile(r"[.!?。！？\n]+")
"""Between terms: what stands before and behind it has its terms by itself."""
MOST_KEPT = 2000
"""Characters of a sentence whose terms are kept in memory."""


def fit_embedder(texts: Sequence[str], dimensions: int) -> Embedder:
    """Fit an embedder: the same function for the same texts in the same order."""
    from scipy.sparse import csr_array
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.utils.extmath import randomized_svd
    from threadpoolctl import threadpool_limits

    if not any(map(terms, texts)):
        return lambda some: np.zeros((len(some), 1), np.float32)
    weigh = TfidfVectorizer(analyzer=terms, max_features=MOST_TERMS, sublinear_tf=True)
    matrix = weigh.fit_transform(texts)
    with threadpool_limits(1):  # sums split among threads differ in their last bits
        _, _, components = randomized_svd(matrix, min(dimensions, *matrix.shape), random_state=0)
    axes, weights, places = np.ascontiguousarray(components.T), weigh.idf_, weigh.vocabulary_

    @lru_cache(1 << 12)  # a text and its sentences are embedded side by side
    def known_terms(part: str) -> list[int]:
        return [place for place in map(places.get, terms(part)) if place is not None]

    def terms_of(text: str) -> list[int]:
        parts = BREAK.split(text)
        calls = (known_terms if len(part) < MOST_KEPT else known_terms.__wrapped__ for part in parts)
        return [term for call, part in zip(calls, parts, strict=True) for term in call(part)]

    def embed(some: Sequence[str]) -> NDArray[np.float32]:
        known = list(map(terms_of, some))
        found, ends = np.fromiter(chain.from_iterable(known), np.int32), np.cumsum([0, *map(len, known)])
        rows = csr_array((np.ones(len(found)), found, ends), (len(some), len(axes)))
        rows.sum_duplicates()
        rows.data = (1 + np.log(rows.data)) * weights[rows.indices]
        vectors = rows @ axes
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        # in float64 until here: sums in float32 differ with the processor
        return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > ROUNDING).astype(np.float32)

    return embed
