"""The embedded world as an embedder of pictures: what is seen as a vector, without weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from . import vocabulary as v
from .answering import Unsupported
from .looking import look
from .scene import Scene

_LOOKS = {"style": v.STYLES, "light": v.LIGHTS, "mood": v.MOODS, "surreal": v.SURREALS, "sign": v.SIGNS}
_LETTERING = (*v.LETTERING, *v.LETTERING_ZH)
_KIND, _COLOUR, _COUNT, _PLACE, _LETTERED, _LOOK, _LIGHT = 1.0, 0.8, 0.4, 0.3, 0.5, 0.3, 0.1
"""Weights of the parts: what a thing is counts most, and the time of day, which prompts leave open, hardly at all."""


def embed(picture: bytes) -> NDArray[np.float32]:
    """Return a vector of length 1 for what is seen: kinds, colours, numbers, places, lettering, style, light, mood.

    Pictures of one scene have one vector, whatever the seed that they were painted with; with each part in which scenes
    differ their cosine falls. Raises Unsupported for a picture that is not of this world, or too full to be named.
    """
    scene = look("an embedding", [picture]).impression
    if scene is None:
        raise Unsupported("what the picture shows cannot be named")
    vector = np.concatenate(_blocks(scene))
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def _blocks(scene: Scene) -> list[NDArray[np.float64]]:
    kinds, colours = np.zeros(len(v.KINDS)), np.zeros(len(v.COLOURS))
    counts, places = np.zeros(len(v.COUNTS)), np.zeros((2, len(v.KINDS)))
    for number, group in enumerate(scene.groups):
        kind = list(v.KINDS).index(group.kind)
        kinds[kind] += _KIND
        colours[list(v.COLOURS).index(str(group.colour))] += _COLOUR
        counts[group.count - 1] += _COUNT
        if scene.relation and number == 0:  # the one that stands left or above
            places[int(scene.relation == "above"), kind] = _PLACE
    looks = [
        _one_hot(list(table), getattr(scene, part), _LIGHT if part == "light" else _LOOK)
        for part, table in _LOOKS.items()
    ]
    return [kinds, colours, counts, places.ravel(), _one_hot(list(_LETTERING), scene.lettering, _LETTERED), *looks]


def _one_hot(names: list[str], name: str | None, weight: float) -> NDArray[np.float64]:
    return weight * np.array([float(one == name) for one in names])
