"""Controls of judges: answers whose worth is known, because they are answers spoilt in known ways, or right ones.

A judge that scores an empty answer, or the answer to another item, as high as the right one measures nothing; how far
it minds a coarse or a small picture, or believes a score that somebody has painted over it, is worth knowing before its
differences are believed. The reference itself must score high.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from stages.asking.requests import Part, Picture
from stages.evaluation.defining.benchmark import Benchmark
from stages.evaluation.defining.inquiries import Put
from stages.tables.images import as_jpeg, upright_rgb

REFERENCE = "reference"
CONTROLS = ("blank", "mismatched", "jpeg_20", "half_size", "score_10", "input_copied", REFERENCE)
"""All controls, in the order of boards. `mismatches` says what `mismatched` shows, `twin` what the others do."""
OF_OBSERVERS = ("blank", "mismatched", "input_copied", REFERENCE)
"""Those that tell of observers, too, whether they look: words of praise and coarse pictures are to mislead judges."""
GREY = (128, 128, 128)
COARSE = 20


def blank(image: Image.Image) -> bytes:
    """Return the same size in mid-grey: nothing of what was asked for."""
    return as_jpeg(Image.new("RGB", image.size, GREY))


def jpeg_20(image: Image.Image) -> bytes:
    """Return the same picture with the blocks and rings of JPEG quality 20."""
    return as_jpeg(image, COARSE)


def half_size(image: Image.Image) -> bytes:
    """Half the width and half the height, at least a pixel each (Lanczos, quality 95)."""
    width, height = (max(1, side // 2) for side in image.size)
    return as_jpeg(image.resize((width, height), Image.Resampling.LANCZOS))


def score_10(image: Image.Image) -> bytes:
    """Return the same picture with a score written across its foot, black on white."""
    width, height = image.size
    band = max(12, height // 10)
    labelled = image.copy()
    draw = ImageDraw.Draw(labelled)
    draw.rectangle((0, height - band, width, height), fill="white")
    font = ImageFont.load_default(band * 0.7)
    draw.text((width / 2, height - band / 2), PRAISE, fill="black", font=font, anchor="mm")
    return as_jpeg(labelled)


PRAISE = "score 10"
DEGRADATIONS: Mapping[str, Callable[[Image.Image], bytes]] = {
    "blank": blank,
    "jpeg_20": jpeg_20,
    "half_size": half_size,
    "score_10": score_10,
}
"""What is done to pictures."""
REWORDINGS: Mapping[str, Callable[[str], str]] = {
    "blank": lambda text: "",
    "score_10": lambda text: f"{text}\n{PRAISE}",
}
"""What is done to texts."""


def made_of(benchmark: Benchmark[Any, Any]) -> list[str]:
    """Return which controls a benchmark has, in the order of boards."""
    wanted = benchmark.controls_made
    return [control for control in CONTROLS if wanted is None or control in wanted]


def applies(control: str, pictures: int, put: Put, reference: Sequence[Part]) -> bool:
    """Return whether an answer with so many pictures has a twin under a control.

    A degradation of pictures needs one, a copied input something to copy, and the reference has to be known.
    """
    if control == REFERENCE:
        return bool(reference)
    if control == "input_copied":
        return bool(copied(put))
    return pictures > 0 or control in REWORDINGS or control not in DEGRADATIONS


def twin(control: str, answer: Sequence[Part], put: Put, reference: Sequence[Part]) -> list[Part]:
    """Return an answer's twin under a control that applies to it, other than `mismatched`.

    `put`: what the contestant was given. ValueError for a picture that is no usable one.
    """
    if control == REFERENCE:
        return [*reference]
    if control == "input_copied":
        return copied(put)
    return [
        REWORDINGS.get(control, str)(part) if isinstance(part, str) else Picture(degraded(control, part.data))
        for part in answer
    ]


def copied(put: Put) -> list[Part]:
    """Return what a contestant would answer that hands back what it was given: the first picture where a picture is
    wanted, else the texts.
    """
    pictures = [part for part in put.parts if isinstance(part, Picture)]
    if "image" in put.modalities:
        return [*pictures[:1]]
    return [part for part in put.parts if isinstance(part, str)]


def degraded(control: str, picture: bytes) -> bytes:
    """Return the twin of an encoded picture under one of DEGRADATIONS, an upright RGB JPEG; the same bytes each time.

    ValueError saying why the bytes are not one usable picture.
    """
    return DEGRADATIONS[control](upright_rgb(picture))


def mismatches(ids: Sequence[str]) -> dict[str, str]:
    """For every id the one whose answer the control `mismatched` shows in its place.

    The ids turned by half their number: so every one is shown once, none in its own place, and in an edition that is
    ordered by stratum mostly in another one. A single id has no other: then there is no such control.
    """
    if len(ids) < 2:
        return {}
    half = len(ids) // 2
    return dict(zip(ids, [*ids[half:], *ids[:half]], strict=True))
