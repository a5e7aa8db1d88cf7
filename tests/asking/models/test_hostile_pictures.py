"""Pictures that contestants may answer with, put to every observer that runs here: looked at as RGB, or a status."""

from __future__ import annotations

import asyncio
import io
from functools import cache

import numpy as np
import pytest
from PIL import Image

from stages.asking.models import ocr, sandbox
from stages.asking.models.batches import BatchedModel
from stages.asking.models.grounding import Grounded
from stages.asking.models.image_embeddings import open_pixels
from stages.asking.models.ocr import open_rapidocr
from stages.asking.outcomes import Outcome
from stages.asking.requests import Chat, Detect, Embed, Picture, Read, Reply
from stages.asking.seeing import Detecting, Embedding, Reading
from stages.project.model_kinds import PixelsModel, RapidOCRModel
from stages.project.settings import Endpoint
from tests import fakes
from tests.lettering import page

RGB = page((512, 400))
OBSERVERS = ("rapidocr", "pixels", "grounding", "world detects", "world embeds")


def png(image: Image.Image, **options: object) -> bytes:
    return fakes.encoded(image, "PNG", **options)


def see_through() -> Image.Image:
    image = RGB.convert("RGBA")
    image.putalpha(Image.new("L", image.size, 200))
    return image


def turned() -> bytes:
    exif = Image.Exif()
    exif[0x0112] = 6
    return png(RGB.rotate(90, expand=True), exif=exif)


LOOKED_AT = {
    "grey": png(RGB.convert("L")),
    "palette": png(RGB.quantize(16)),
    "black and white": png(RGB.convert("1")),
    "16-bit grey": png(Image.fromarray(np.asarray(RGB.convert("L"), np.uint16) * 257)),
    "CMYK": fakes.encoded(RGB.convert("CMYK"), "JPEG"),
    "transparent": png(see_through()),
    "EXIF-rotated": turned(),
}
STATUSES = {
    "nonsense": b"not a picture",
    "cut off": png(RGB)[:500],
    "bomb": fakes.claiming(60_000, 60_000),
    "animated": fakes.encoded(RGB, "GIF", save_all=True, append_images=[RGB.rotate(90)]),
    "svg": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
}


@cache
def batched(name: str) -> BatchedModel:
    if name == "rapidocr":
        return open_rapidocr("reader (ocr)", RapidOCRModel(kind="rapidocr"), Endpoint(batch=1))
    return open_pixels(PixelsModel(kind="pixels"))


def observed(name: str, data: bytes) -> Outcome:
    """What an observer says of a picture."""
    picture = Picture(data, "image/png")
    match name:
        case "rapidocr":
            end = Reading(read := Read(picture)).next(batched(name).generate([read]))
        case "pixels":
            end = Embedding(embed := Embed(picture)).next(batched(name).generate([embed]))
        case "world embeds":
            end = Embedding(embed := Embed(picture)).next([sandbox.answer(embed, {}, "image_embedder")])
        case "world detects":
            detect = Detect(picture, ("car",))
            end = Detecting(detect).next([sandbox.answer(detect, {}, "detector")])
        case _:
            detect = Detect(picture, ("car",))
            chat = fakes.Fake(says_the_size)
            end = Detecting(detect).next([asyncio.run(Grounded(chat, "pixels", None).answer(detect))])
    assert isinstance(end, Outcome)
    return end


def says_the_size(request: object) -> Reply:
    """A chat model that is shown nothing but upright 8-bit RGB, and finds one car as large as the picture."""
    assert isinstance(request, Chat)
    [picture] = [part for part in request.messages[0].parts if isinstance(part, Picture)]
    image = Image.open(io.BytesIO(picture.data))
    assert image.mode == "RGB" and image.getexif().get(0x0112, 1) == 1
    return Reply(b'[{"bbox_2d": [0, 0, %d, %d], "label": "car"}]' % image.size)


@pytest.mark.parametrize("observer", OBSERVERS)
@pytest.mark.parametrize("kind", STATUSES)
def test_what_is_no_picture_has_a_status(observer: str, kind: str) -> None:
    end = observed(observer, STATUSES[kind])
    assert end.status in ("invalid_input", "unsupported") and end.value is None and end.reason


@pytest.mark.parametrize("kind", LOOKED_AT)
def test_other_colours_are_looked_at_as_rgb(kind: str) -> None:
    plain, seen = png(RGB), []
    ocr.answer(Read(Picture(LOOKED_AT[kind])), lambda pixels: seen.append(pixels) or [], 0.5)
    assert (seen[0].shape, seen[0].dtype) == ((RGB.height, RGB.width, 3), np.uint8)
    assert observed("grounding", LOOKED_AT[kind]).value[0].box == (0, 0, *RGB.size)
    assert observed("pixels", LOOKED_AT[kind]).value @ observed("pixels", plain).value > 0.5
    for world in ("world detects", "world embeds"):  # which knows pictures of its own alone, and never fails
        assert observed(world, LOOKED_AT[kind]).status in ("ok", "unsupported")
