"""The image embedder without weights: what its vectors tell apart, and that they are the same everywhere."""

from __future__ import annotations

import hashlib
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from stages.asking.models.image_embeddings import embedding, spread
from stages.asking.models.opening import open_model
from stages.asking.requests import Embed, Picture, Reply, unpacked
from stages.project.model_kinds import PixelsModel
from stages.project.roles import RoleModel
from stages.project.settings import Settings as Run
from tests import fakes

MODEL = PixelsModel(kind="pixels")


def alike(one: Image.Image, other: Image.Image) -> float:
    return float(embedding(one) @ embedding(other))


def drawn(color: str, box: tuple[int, int, int, int], back: str = "white") -> Image.Image:
    image = Image.new("RGB", (200, 160), back)
    ImageDraw.Draw(image).rectangle(box, color)
    return image


@settings(max_examples=20)
@given(st.integers(1, 200), st.integers(1, 200), st.sampled_from([1, 2, 256]))
def test_vectors_have_length_one(width: int, height: int, shades: int) -> None:
    pixels = np.random.default_rng(width).integers(0, shades, (height, width, 3)).astype(np.uint8)
    vector = embedding(Image.fromarray(pixels))
    assert (vector.shape, vector.dtype) == ((512,), np.float32)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6) and (vector >= 0).all()


def test_a_value_is_shared_by_the_two_nearest_bins() -> None:
    assert spread(np.array([0.0, 1.0])).tolist() == [[1] + [0] * 7, [0] * 7 + [1]]
    assert spread(np.array([0.5 / 7]))[0, :3].tolist() == pytest.approx([0.5, 0.5, 0])
    assert spread(np.random.default_rng(0).random(100)).sum(axis=1) == pytest.approx(np.ones(100))


def test_what_looks_alike_is_near() -> None:
    red = drawn("red", (20, 20, 90, 90))
    moved, blue = drawn("red", (110, 70, 180, 140)), drawn("blue", (20, 20, 90, 90))
    compressed = Image.open(io.BytesIO(fakes.encoded(red, "JPEG", quality=60)))
    small = red.resize((100, 80), Image.Resampling.LANCZOS)
    for close in (compressed, small):
        for far in (moved, blue, Image.new("RGB", (200, 160), "white")):
            assert alike(red, close) > 0.98 and alike(red, far) < 0.95


def test_edges_count_where_colours_are_the_same() -> None:
    stripes = np.kron(np.tile([0, 255], (64, 32)), np.ones((4, 4))).astype(np.uint8)
    across, down = Image.fromarray(stripes).convert("RGB"), Image.fromarray(stripes.T).convert("RGB")
    assert alike(across, across) == pytest.approx(1, abs=1e-6) and alike(across, down) < 0.95


def test_the_same_picture_gives_the_same_bytes() -> None:
    picture = Picture(fakes.encoded(drawn("red", (20, 20, 90, 90)), "PNG"))
    model = open_model(RoleModel("image_embedder", "pixels", MODEL), Run())
    first, again = (model.generate([Embed(picture)])[0] for _ in range(2))  # type: ignore[attr-defined]
    assert first == again and unpacked(first.content).tolist() == embedding(drawn("red", (20, 20, 90, 90))).tolist()
    rounded = unpacked(first.content).astype(np.float64).round(3) + 0.0
    assert hashlib.sha256(rounded.tobytes()).hexdigest()[:16] == "0ad415caad294c8c"  # another `id` where this moves
    assert model.generate([Embed(Picture(b"no"))])[0] == Reply(  # type: ignore[attr-defined]
        b"the picture is not a picture in a known format", "invalid"
    )
