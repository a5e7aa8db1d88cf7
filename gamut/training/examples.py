"""The examples that a model learns from, each with given parts and the right answer."""

from __future__ import annotations

from typing import NamedTuple

from gamut.asking.requests import Part


class Example(NamedTuple):
    """`answer`, a text or a picture, is the right answer to `given`: texts and pictures in order, as in a request.

    An example of seeing is a question with a picture, answered by a text; of painting, a prompt answered by a picture.
    """

    id: str
    given: tuple[Part, ...]
    answer: Part
