"""What a model learns from: examples, each something given and the answer to it."""

from __future__ import annotations

from typing import NamedTuple

from gamut.asking.requests import Part


class Example(NamedTuple):
    """After `given`, texts and pictures in order as a request has them, `answer` is right: a text, or a picture.

    To see is a question with a picture and a text as its answer; to paint is a prompt and a picture as its answer.
    """

    id: str
    given: tuple[Part, ...]
    answer: Part
