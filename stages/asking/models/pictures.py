"""Pictures as the networks in this process take them: decoded with care, upright, RGB."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PIL import Image

from stages.asking.requests import Picture, Reply, Request, parts_of
from stages.tables.images import scaled_down, upright_rgb


def decoded(picture: Picture, longest: int | None = None) -> Image.Image:
    """Return a picture's pixels, at most `longest` of them a side; ValueError saying why they cannot be had."""
    return upright_rgb(scaled_down(picture.data, longest) if longest else picture.data)


def answer_about(
    requests: Sequence[Request],
    answer: Callable[[Sequence[Request], Sequence[Image.Image]], Sequence[Reply]],
    longest: int | None = None,
) -> list[Reply]:
    """Answer requests that begin with a picture; one whose picture cannot be had fails alone, as `invalid`."""
    replies: dict[int, Reply] = {}
    pictures: dict[int, Image.Image] = {}
    for number, request in enumerate(requests):
        picture = parts_of(request)[0]
        assert isinstance(picture, Picture)  # the roles ask nothing else
        try:
            pictures[number] = decoded(picture, longest)
        except ValueError as error:
            replies[number] = Reply(f"the picture {error}".encode(), "invalid")
    if pictures:
        found = answer([requests[number] for number in pictures], list(pictures.values()))
        replies |= zip(pictures, found, strict=True)
    return [replies[number] for number in range(len(requests))]
