"""Inception features: random weights, saved and loaded by the real code where torch-fidelity is installed."""

from __future__ import annotations

import importlib.util
import pickle
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from PIL import Image

from stages.asking.models import image_embeddings as inception
from stages.asking.models.batches import BatchedModel
from stages.asking.models.image_embeddings import open_inception, weights_file
from stages.asking.requests import Embed, Picture, Reply, unpacked
from stages.project.errors import UserError
from stages.project.files import sha256_of
from stages.project.model_kinds import InceptionModel, identity
from stages.project.settings import Endpoint
from tests import fakes

NAME = "image_embedder (fid)"
with_fidelity = pytest.mark.skipif(
    importlib.util.find_spec("torch_fidelity") is None, reason="torch-fidelity is missing"
)


def pinned(path: Path) -> InceptionModel:
    return InceptionModel(kind="inception", revision=f"sha256-{sha256_of(path)}")


def opened(path: Path) -> BatchedModel:
    return open_inception(NAME, "fid", pinned(path), Endpoint(weights=str(path), device="cpu"))


def noise(width: int, height: int) -> Picture:
    pixels = np.random.default_rng(width).integers(0, 256, (height, width, 3), np.uint8)
    return Picture(fakes.encoded(Image.fromarray(pixels), "PNG"))


def test_weights_are_local_and_pinned(project: Path) -> None:
    path = project / "weights.pth"
    path.write_bytes(b"weights")
    model = pinned(path)
    assert weights_file(NAME, "fid", model, Endpoint(weights="weights.pth")) == path
    with pytest.raises(UserError, match=r"\(fid\): no weights: run.toml needs `\[models.fid\] weights`"):
        weights_file(NAME, "fid", model, Endpoint())
    with pytest.raises(UserError, match="there is no file"):
        weights_file(NAME, "fid", model, Endpoint(weights="none.pth"))
    path.write_bytes(b"others")
    with pytest.raises(UserError, match=f"is not {model.revision}, as models.fid.revision .* this one's, sha256-"):
        weights_file(NAME, "fid", model, Endpoint(weights="weights.pth"))


@with_fidelity
def test_a_file_that_could_run_code_is_not_loaded(project: Path) -> None:
    path = project / "weights.pth"
    path.write_bytes(pickle.dumps({"run": print}))
    with pytest.raises(UserError, match=r"weights.pth cannot be loaded \(") as caught:
        opened(path)
    assert "\n" not in str(caught.value)


@with_fidelity
def test_features_are_those_of_the_network(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from torch_fidelity import feature_extractor_inceptionv3 as package

    with monkeypatch.context() as bare:  # a network as it is before any weights are loaded
        bare.setattr(package.FeatureExtractorInceptionV3, "load_state_dict", lambda *_: None)
        bare.setattr(package, "load_state_dict_from_url", lambda *_, **__: {})
        torch.manual_seed(0)
        network = package.FeatureExtractorInceptionV3("inception", [inception.FEATURES])
    path = project / "weights.pth"
    torch.save(network.state_dict(), path)
    model, wide, high = opened(path), noise(90, 60), noise(40, 70)
    assert model.identity == identity(pinned(path))
    replies = model.generate([Embed(wide), Embed(Picture(b"no")), Embed(high)])
    assert replies[1] == Reply(b"the picture is not a picture in a known format", "invalid")
    for picture, reply in ((wide, replies[0]), (high, replies[2])):
        pixels = torch.tensor(np.asarray(inception.decoded(picture))).permute(2, 0, 1)[None]
        vector = unpacked(reply.content)
        assert vector.shape == (2048,) and np.array_equal(vector, network(pixels)[0][0].numpy())
        assert model.generate([Embed(picture)]) == [reply]  # alone or in company: the same bytes
