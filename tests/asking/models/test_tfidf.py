"""Text embeddings by TF-IDF and SVD: what comes near what, the same bytes wherever they are made, and empty corners."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterable

import numpy as np
import pytest

from stages.asking.models.batches import BatchedModel
from stages.asking.models.text_embeddings import open_tfidf, terms
from stages.asking.requests import Embed, unpacked
from stages.project.model_kinds import TfidfModel
from tests import fakes

TEXTS = [
    "a red cat sleeps on a warm roof",
    "a red cat sits on a warm roof",
    "an old clock tower in winter fog",
    "the old clock tower stands in fog",
    "一只红色的猫在屋顶上睡觉",
    "屋顶上有一只红色的猫",
    "冬天雾中的古老钟楼",
]


def open_it(texts: Iterable[str], dimensions: int = 256) -> BatchedModel:
    return open_tfidf(TfidfModel(kind="tfidf", dimensions=dimensions), texts)


def replies(texts: Iterable[str], asked: Iterable[str], dimensions: int = 256) -> list[bytes]:
    answered = fakes.answers(open_it(texts, dimensions), *map(Embed, asked))
    assert {reply.finish for reply in answered} <= {"stop"}
    return [reply.content for reply in answered]


def vectors(texts: Iterable[str], asked: Iterable[str], dimensions: int = 256) -> np.ndarray:
    return np.stack([unpacked(content) for content in replies(texts, asked, dimensions)])


def test_terms_are_words_and_of_chinese_characters_and_pairs():
    assert terms("A Red-Cat, no 5!") == ["a", "red", "cat", "no", "5"]
    assert terms("红色的 cat") == ["红", "色", "的", "红色", "色的", "cat"]
    assert terms("3只猫") == ["3", "只", "猫", "只猫"]
    assert terms(" ?! _ ") == []


def test_texts_about_the_same_come_near_in_both_languages():
    found = vectors(TEXTS, TEXTS)
    near = found @ found.T
    for pair, other in (((0, 1), (0, 2)), ((2, 3), (1, 3)), ((4, 5), (5, 6))):
        assert near[pair] > 0.3 > near[other]
    assert np.allclose(np.linalg.norm(found, axis=1), 1)


def test_few_dimensions_keep_what_is_common():
    """Two texts with the cosine c by their terms keep it when no axis is cut, here cos(red cat, red dog).

    By scikit-learn's smooth idf, ln((1 + n) / (1 + df)) + 1, of two texts: red 1, cat and dog ln(3/2) + 1 = 1.4055.
    The cosine is 1 / (1 + 1.4055^2) = 0.3361.
    """
    first, second = vectors(["red cat", "red dog"], ["red cat", "red dog"])
    assert first @ second == pytest.approx(0.3361, abs=1e-4)


def test_a_text_without_a_known_term_is_all_zero():
    found = vectors(TEXTS, ["zzz", "", "!", "狗"])
    assert found.shape == (4, 7) and not found.any()
    assert not vectors([], ["red cat"]).any() and not vectors(["?!", ""], ["red cat"]).any()


def test_what_lies_on_no_kept_axis_is_zero_and_not_rounding_blown_up():
    common = [f"{what} {word}" for what in ("red cat roof", "blue dog sea") for word in ("warm", "old", "high", "low")]
    found = vectors([*common, "quantum"], ["quantum", "red cat", "blue dog"], 2)
    assert not found[0].any()
    assert np.allclose(np.linalg.norm(found[1:], axis=1), 1)


def test_the_same_bytes_whatever_the_order_and_company():
    once = replies(TEXTS, TEXTS, 4)
    assert replies(reversed(TEXTS + TEXTS), TEXTS, 4) == once
    assert [replies(TEXTS, [text], 4)[0] for text in TEXTS] == once


def test_the_same_bytes_in_another_process_with_another_number_of_threads():
    code = "import sys; from tests.asking.models.test_tfidf import *; sys.stdout.buffer.write(b'\\n'.join(many()))"
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
    assert done.stdout.split(b"\n") == many()


def many() -> list[bytes]:
    """Of 600 texts of made-up words, twenty of 64 dimensions: enough for sums that threads would split."""
    words = [hashlib.sha256(bytes([n % 256, n // 256])).hexdigest()[:4] for n in range(2000)]
    texts = [" ".join(words[(7 * n + step * step) % 2000] for step in range(40)) for n in range(600)]
    return replies(texts, texts[:20], 64)


def test_the_revision_is_the_digest_of_the_set_of_texts():
    identity = open_it(TEXTS).identity
    assert identity == open_it([*reversed(TEXTS), TEXTS[0]]).identity
    assert identity["revision"] != open_it(TEXTS[1:]).identity["revision"]
    revision = "sha256-" + hashlib.sha256(b'["a","b"]').hexdigest()
    assert open_it(["b", "a"], 16).identity == {
        "id": "tfidf",
        "revision": revision,
        "numerics": "",
        "sampling": {},
        "dimensions": 16,
        "kind": "tfidf",
    }
