"""The things in a picture one by one, whatever scene they make."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from PIL import Image

from .atmosphere import Atmosphere, survey
from .scene import Group
from .spotting import SignSpot, Spot, colour_name, find


class Things(NamedTuple):
    """The spots of pictograms, what each is, the spots of signs, and what is around them."""

    spots: Sequence[Spot]
    groups: Sequence[Group]
    signs: Sequence[SignSpot]
    around: Atmosphere


def things_in(picture: bytes) -> Things:
    """Return what stands in a picture that can be decoded."""
    pixels = np.asarray(Image.open(io.BytesIO(picture)).convert("RGB"), np.float32)
    spots, signs = find(pixels)
    around = survey(pixels, [spot.box for spot in spots] + [sign.box for sign in signs])
    return Things(spots, [Group(spot.kind, colour_name(spot.ink, around.light)) for spot in spots], signs, around)
