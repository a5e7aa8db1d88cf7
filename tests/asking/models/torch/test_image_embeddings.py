"""Embeddings of pictures: tiny random CLIP, DINOs and Inception, saved and loaded by the real code."""

from __future__ import annotations

import importlib.util
import io
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

pytest.importorskip("torch")

import torch
import transformers as package
from PIL import Image

from gamut.asking.models.batches import BatchedModel, decode_picture
from gamut.asking.models.torch import image_embeddings
from gamut.asking.models.torch.image_embeddings import open_inception, weights_file
from gamut.asking.models.torch.transformers import open_transformers
from gamut.asking.models.weights import digest
from gamut.asking.requests import Embed, Picture, Reply, unpack_vector
from gamut.project.errors import UserError
from gamut.project.files import sha256_of
from gamut.project.model_kinds import InceptionModel, TransformersModel, identity
from gamut.project.settings import Endpoint
from tests import fakes, tiny_chat_models


def noise(width: int, height: int) -> bytes:
    pixels = np.random.default_rng(width).integers(0, 256, (height, width, 3), np.uint8)
    return fakes.encoded(Image.fromarray(pixels), "PNG")


PICTURES = [noise(40, 40), noise(60, 32), noise(33, 70), noise(100, 100)]


@pytest.fixture(scope="module", params=["clip", "dinov2", "dinov3"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Callable[[Path], Path] = getattr(tiny_chat_models, request.param)
    return made(tmp_path_factory.mktemp("models") / request.param)


def parameters(folder: Path, **values: Any) -> TransformersModel:
    fixed = {"kind": "transformers", "id": "org/tiny", "revision": digest(folder), "dtype": "float32"}
    return TransformersModel.model_validate(fixed | values)


def opened(folder: Path, batch: int | None = None, **values: Any) -> BatchedModel:
    endpoint = Endpoint(weights=str(folder), batch=batch)
    return open_transformers("image_embedder (tiny)", "tiny", parameters(folder, **values), endpoint, "image_embedder")


def vectors(model: BatchedModel, pictures: Sequence[bytes]) -> list[npt.NDArray[np.float32]]:
    return [unpack_vector(reply.content) for reply in model.generate([Embed(Picture(data)) for data in pictures])]


def test_the_vectors_are_what_the_network_says(folder: Path) -> None:
    if folder.name == "dinov3":  # resized, never cropped: a picture's edges are seen too
        pixels = package.BitImageProcessorPil(
            size={"height": 32, "width": 32},
            do_center_crop=False,
            resample=Image.Resampling.BILINEAR,
            image_mean=[0.485, 0.456, 0.406],
            image_std=[0.229, 0.224, 0.225],
        )
    else:
        pixels = package.AutoImageProcessor.from_pretrained(folder, backend="pil")
    network = package.AutoModel.from_pretrained(folder)
    for data, vector in zip(PICTURES, vectors(opened(folder), PICTURES), strict=True):
        image = Image.open(io.BytesIO(data))
        with torch.inference_mode():
            seen = pixels(images=image, return_tensors="pt")
            if folder.name == "clip":  # the vision tower's pooled output, projected: as `CLIPModel` compares with texts
                expected = network.visual_projection(network.vision_model(**seen).pooler_output)[0]
                assert expected.shape == (16,)
            else:  # the CLS token, which is the first, after the last layer norm
                expected = network(**seen).last_hidden_state[0, 0]
                assert expected.shape == (32,)
        np.testing.assert_allclose(vector, expected / expected.norm(), atol=1e-6)
    assert len({vector.tobytes() for vector in vectors(opened(folder), PICTURES)}) == 4


def test_order_and_batch_change_no_bytes(folder: Path) -> None:
    model = opened(folder, batch=4)
    requests = [Embed(Picture(data)) for data in PICTURES]
    alone = [model.generate([request])[0] for request in requests]
    assert model.generate(requests) == alone
    damaged = Reply(b"the picture is not a picture in a known format", "invalid")
    assert model.generate([Embed(Picture(b"no")), requests[0]]) == [damaged, alone[0]]
    assert model.generate(requests[::-1]) == alone[::-1]


def test_other_networks_embed_no_pictures_here(project: Path) -> None:
    other = tiny_chat_models.qwen2(project / "qwen2")
    with pytest.raises(UserError) as caught:
        opened(other)
    assert str(caught.value) == (
        f"image_embedder (tiny): {other} is a 'qwen2', which cannot embed pictures here; known are: clip, dinov2, "
        "dinov2_with_registers, dinov3_vit"
    )


# Inception


NAME = "image_embedder (fid)"
with_fidelity = pytest.mark.skipif(
    importlib.util.find_spec("torch_fidelity") is None, reason="torch-fidelity is missing"
)


def pinned(path: Path) -> InceptionModel:
    return InceptionModel(kind="inception", revision=f"sha256-{sha256_of(path)}")


def opened_inception(path: Path) -> BatchedModel:
    return open_inception(NAME, "fid", pinned(path), Endpoint(weights=str(path), device="cpu"))


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
    with pytest.raises(UserError, match=f"is sha256-.*, but models.fid.revision in params.yaml is {model.revision}"):
        weights_file(NAME, "fid", model, Endpoint(weights="weights.pth"))


@with_fidelity
def test_a_file_that_could_run_code_is_not_loaded(project: Path) -> None:
    path = project / "weights.pth"
    path.write_bytes(pickle.dumps({"run": print}))
    with pytest.raises(UserError, match=r"weights.pth cannot be loaded \(") as caught:
        opened_inception(path)
    assert "\n" not in str(caught.value)


@with_fidelity
def test_features_are_those_of_the_network(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from torch_fidelity import feature_extractor_inceptionv3 as network_of

    with monkeypatch.context() as bare:  # a network as it is before any weights are loaded
        bare.setattr(network_of.FeatureExtractorInceptionV3, "load_state_dict", lambda *_: None)
        bare.setattr(network_of, "load_state_dict_from_url", lambda *_, **__: {})
        torch.manual_seed(0)
        network = network_of.FeatureExtractorInceptionV3("inception", [image_embeddings.FEATURES])
    path = project / "weights.pth"
    torch.save(network.state_dict(), path)
    model, wide, high = opened_inception(path), Picture(noise(90, 60)), Picture(noise(40, 70))
    assert model.identity == identity(pinned(path))
    replies = model.generate([Embed(wide), Embed(Picture(b"no")), Embed(high)])
    assert replies[1] == Reply(b"the picture is not a picture in a known format", "invalid")
    for picture, reply in ((wide, replies[0]), (high, replies[2])):
        pixels = torch.tensor(np.asarray(decode_picture(picture))).permute(2, 0, 1)[None]
        vector = unpack_vector(reply.content)
        assert vector.shape == (2048,) and np.array_equal(vector, network(pixels)[0][0].numpy())
        assert model.generate([Embed(picture)]) == [reply]  # alone or in company: the same bytes
