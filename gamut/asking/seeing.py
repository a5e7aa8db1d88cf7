"""Measurements of a text or a picture without a question: its embedding, its lettering, the things in it, a score."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson
from pydantic import ConfigDict, TypeAdapter

from gamut.asking.outcomes import REASON_LENGTH, Outcome, decode_step
from gamut.asking.requests import Detect, Embed, Rate, Read, Reply, Request, unpack_vector
from gamut.project.plain_text import shorten_to_line


@dataclass(frozen=True)
class Embedding:
    request: Embed

    def next(self, replies: Sequence[Reply]) -> Request | Outcome:
        return decode_step(self.request, replies, self.decode)

    def decode(self, content: bytes) -> Any:
        vectors = unpack_vector(content)
        return vectors.reshape(len(self.request.item), -1) if isinstance(self.request.item, tuple) else vectors


class Line(NamedTuple):
    """A line of lettering: its text, confidence 0..1, and corners as x, y in pixels, clockwise from the top left."""

    text: str
    confidence: float
    corners: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Reading:
    """The lettering of a picture; its value is a list of `Line`s from top to bottom."""

    request: Read

    def next(self, replies: Sequence[Reply]) -> Request | Outcome:
        return decode_step(self.request, replies, LINES.validate_json)


LINES: TypeAdapter[list[Line]] = TypeAdapter(list[Line], config=ConfigDict(allow_inf_nan=False))


class Detection(NamedTuple):
    """A detected thing: its label, its confidence 0..1, and left, top, right, bottom in the picture's pixels."""

    label: str
    score: float
    box: tuple[float, float, float, float]


@dataclass(frozen=True)
class Detecting:
    """The things in a picture that are on a list of labels; its value is a list of `Detection`."""

    request: Detect

    def next(self, replies: Sequence[Reply]) -> Request | Outcome:
        return decode_step(self.request, replies, read_detections)


@dataclass(frozen=True)
class Rating:
    """A score of a picture, on the model's own scale; its value is a finite number."""

    request: Rate

    def next(self, replies: Sequence[Reply]) -> Request | Outcome:
        return decode_step(self.request, replies, read_score)


@dataclass(frozen=True)
class Computing:
    """A value computed without a model: what `compute` returns. Its ValueError becomes a parse_error."""

    compute: Callable[[], Any]

    def next(self, replies: Sequence[Reply]) -> Outcome:
        try:
            return Outcome("ok", value=self.compute())
        except ValueError as error:
            return Outcome("parse_error", reason=shorten_to_line(str(error), REASON_LENGTH))


FOUND: TypeAdapter[list[Detection]] = TypeAdapter(list[Detection], config=ConfigDict(allow_inf_nan=False))


def read_detections(content: bytes) -> list[Detection]:
    """Read a reply to `Detect`. Raise ValueError if it is not one, or cannot be used."""
    content_read = orjson.loads(content)
    if isinstance(content_read, dict) and "unusable" in content_read:
        raise ValueError(content_read["unusable"])
    detections = FOUND.validate_python(content_read)
    require_a_count(detections)
    return detections


MOST_FOUND = 200  # boxes in one picture: with more, a model repeats itself or has too low a confidence


def require_a_count(detections: Sequence[Detection]) -> None:
    if len(detections) > MOST_FOUND:
        raise ValueError(f"{len(detections)} boxes in one picture, more than {MOST_FOUND} are not accepted")
    if any(left >= right or top >= bottom for _, _, (left, top, right, bottom) in detections):
        raise ValueError("a box has no width or no height")


def read_score(content: bytes) -> float:
    """Read a reply to `Rate`. Raise ValueError if it cannot be used."""
    content_read = orjson.loads(content)
    if "unusable" in content_read:
        raise ValueError(content_read["unusable"])
    return float(content_read["score"])


def score_reply(score: float, **beside: Any) -> Reply:
    """Return a reply to `Rate`, whose score has three decimals, because more differ by machine."""
    return Reply(orjson.dumps({"score": round(score, 3), **beside}))


def unusable_reply(words: bytes, cause: str) -> bytes:
    """Return a reply for words without usable boxes or score, with the cause: its outcome is `parse_error`."""
    return orjson.dumps({"unusable": cause, "said": words.decode(errors="replace")})
