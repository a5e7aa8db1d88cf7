"""Pictures of one pictogram: seen whatever a picture tokenizer makes of them, and not seen where there is none."""

from __future__ import annotations

import io
import random
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image, ImageFilter

from gamut.asking.models.world.sandbox import pictogram_kinds, wordings
from gamut.world.answering import Unsupported
from gamut.world.judge import answer
from gamut.world.knowledge import kinds_named
from gamut.world.observers import embed
from gamut.world.pictograms import CATEGORIES, KNOWN, SIDE, UNKNOWN, kind_shown, pictogram

KINDS_HERE = (*KNOWN, *UNKNOWN)


def image_of(picture: bytes) -> Image.Image:
    return Image.open(io.BytesIO(picture)).convert("RGB")


def png(pixels: object) -> bytes:
    image = pixels if isinstance(pixels, Image.Image) else Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def blurred(picture: bytes, reach: float) -> bytes:
    return png(image_of(picture).filter(ImageFilter.GaussianBlur(reach)))


def as_decoded(picture: bytes) -> bytes:
    """Half the detail, ripples and a few wrong pixels: what a tokenizer of 16 codes leaves."""
    noise = np.random.default_rng(len(picture))
    coarse = image_of(picture).resize((32, 32), Image.Resampling.BOX).resize((SIDE, SIDE), Image.Resampling.BICUBIC)
    pixels = np.asarray(coarse, float) + 8 * np.sin(np.arange(SIDE) * 1.6)[None, :, None]
    pixels += noise.normal(0, 12, pixels.shape)
    y, x = noise.integers(0, SIDE - 4, 2)
    pixels[y : y + 4, x : x + 4] -= 60
    return png(pixels)


SEEN: dict[str, Callable[[bytes], bytes]] = {
    "as it is": lambda picture: picture,
    "blurred": lambda picture: blurred(picture, 2),
    "as decoded": as_decoded,
    "twice the size": lambda picture: png(image_of(picture).resize((128, 128))),
    "in few colours": lambda picture: png(image_of(picture).quantize(4).convert("RGB")),
}


@pytest.mark.parametrize("form", SEEN)
def test_kinds_are_seen(form: str) -> None:
    shown = [(kind, kind_shown(SEEN[form](pictogram(kind, number)))) for kind in KINDS_HERE for number in range(4)]
    assert sum(kind == seen for kind, seen in shown) >= 0.97 * len(shown)
    assert not [pair for pair in shown if pair[1] not in (pair[0], None)], "none is taken for another"


def test_nothing_is_seen_where_nothing_is() -> None:
    noise = np.random.default_rng(3)
    shape = (SIDE, SIDE, 3)
    waves = [Image.fromarray(noise.integers(0, 256, (6, 6, 3), dtype=np.uint8)).resize(shape[:2]) for _ in range(100)]
    even = [np.full(shape, level) for level in (0, 128, 255)]
    faint = 255 - (255 - np.asarray(image_of(pictogram("car", 1)), float)) / 8
    assert not any(kind_shown(png(one)) for one in (*even, faint, *(noise.integers(0, 256, shape) for _ in range(20))))
    assert sum(kind_shown(png(one)) is not None for one in waves) <= 3


def test_what_is_put_together_of_many_is_rarely_taken_for_one() -> None:
    rng = random.Random(5)
    mixed = []
    for _ in range(100):
        cells = [np.asarray(image_of(pictogram(kind, 1))) for kind in rng.choices(KINDS_HERE, k=16)]
        rows = [[cells[4 * y + x][16 * y : 16 * y + 16, 16 * x : 16 * x + 16] for x in range(4)] for y in range(4)]
        mixed.append(png(np.concatenate([np.concatenate(row, axis=1) for row in rows])))
    assert sum(kind_shown(one) is not None for one in mixed) <= 8


def test_pictures_of_a_kind_differ_and_are_the_same_each_time() -> None:
    assert len({pictogram("duck", number) for number in range(30)}) == 30
    assert pictogram("duck", 7) == pictogram("duck", 7)
    assert not {*KNOWN} & {*UNKNOWN} and [*pictogram_kinds()] == [*KINDS_HERE]
    pairs = [CATEGORIES[kind] for kind in KNOWN]
    assert all(pairs.count(category) % 2 == 0 for category in pairs), "taught kinds of a category make pairs"


def test_pictures_of_a_kind_are_alike_to_the_embedder_and_others_are_not() -> None:
    vectors = np.stack([[embed(pictogram(kind, number)) for number in range(3)] for kind in KINDS_HERE])
    cosines = np.einsum("aid,bjd->abij", vectors, vectors)
    own, others = np.eye(len(vectors), dtype=bool), ~np.eye(len(vectors), dtype=bool)
    assert cosines[own].min() > 0.9 > 0.6 > cosines[others].max()
    blank = embed(png(np.full((SIDE, SIDE, 3), 250)))
    assert np.linalg.norm(blank) == 1 and not (vectors @ blank).any()


def test_a_picture_is_right_when_it_shows_what_is_named() -> None:
    snail = pictogram("snail", 3)
    assert answer("knowledge_picture", {"name": "snail"}, [snail], 0)["correct"] is True
    assert answer("knowledge_picture", {"name": "the Snail"}, [blurred(snail, 1)], 0)["correct"] is True
    assert answer("knowledge_picture", {"name": "duck"}, [snail], 0)["correct"] is False
    blank = png(np.full((SIDE, SIDE, 3), 255))
    found = answer("knowledge_picture", {"name": "snail"}, [blank], 0)
    assert found == {"reason": "The picture shows nothing clearly.", "correct": False}
    for name, picture in (("thing", snail), ("snail or duck", snail), ("snail", b"no picture")):
        with pytest.raises(Unsupported):
            answer("knowledge_picture", {"name": name}, [picture], 0)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        *(
            ("sailboat", True),
            ("a sailboat", True),
            ("Sailboats.", True),
            ("THE SAILBOAT", True),
            ("sailing boat", True),
        ),
        *(("It is a small  sailboat\non a plain ground.", True), ('"Sailboat"', True)),
        *(("", False), ("a thing", False), ("car", False), ("car or sailboat", False), ("mysailboats", False)),
        ("a sailboat, a boat", True),  # both are names of it
        ("a pine tree with a sailboat", False),
    ],
)
def test_a_text_is_right_when_it_names_that_and_nothing_else(text: str, right: bool) -> None:
    fields = {"question": "What is this? car, sailboat", "answer": text, "name": "sailboat"}
    assert answer("knowledge_text", fields, (), 0)["correct"] is right


def test_a_longer_name_is_not_taken_for_the_one_in_it() -> None:
    assert answer("knowledge_text", {"answer": "a pine tree", "name": "tree"}, (), 0)["correct"] is False
    assert answer("knowledge_text", {"answer": "pine trees", "name": "pine tree"}, (), 0)["correct"] is True


def test_a_judge_who_slips_turns_what_it_sees_and_not_what_it_reads() -> None:
    snail = pictogram("snail", 3)
    slips = {"slips": 1.0}
    assert answer("knowledge_picture", {"name": "snail"}, [snail], 0, errors=slips)["correct"] is False
    assert answer("knowledge_text", {"answer": "snail", "name": "snail"}, (), 0, errors=slips)["correct"] is True


def test_wordings_have_the_name_and_questions_do_not() -> None:
    for kind in KINDS_HERE:
        worded = wordings(kind)
        assert all(kind in one for one in (*worded["concise"], *worded["detailed"]))
        assert not any(kinds_named(one) for one in (*worded["open"], *worded["choice"]))
