"""How like a right answer an answer is: as a scene where both show one, else by pixels; words by what they say."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from .agreement import disagreements
from .answering import Unsupported, normalise_text
from .captions import understand
from .judging import is_blank
from .looking import sight_of
from .scene import Scene

SIDE, BLOCK = 128, 8
"""Pixels of both sides in which pictures are compared, and of a block in these."""
MOST_DIFFERENCE = 40.0
"""Grey levels by which blocks of a picture and its copy differ at most, on average over a block: JPEG of quality 20, or
half the size, comes to 36 in small pictures, another scene to 60 and more.
"""
NO_PICTURE = "there is no picture in which anything can be recognised"
PARTS = ("relation", "lettering", "style", "light", "mood", "surreal")


class Likeness(NamedTuple):
    """How many parts of what is right are there, of how many, and which are not, by name."""

    present: int
    parts: int
    wrong: Sequence[str]

    @property
    def whole(self) -> bool:
        """Return whether nothing is wrong."""
        return not self.wrong

    @property
    def reason(self) -> str:
        return f"not as it is right: {', '.join(dict.fromkeys(self.wrong))}" if self.wrong else "all of it is right"


def scene_likeness(right: Scene, pictures: Sequence[bytes]) -> Likeness:
    """How much of a scene one picture shows: kinds, numbers and colours of things, how they stand, lettering, style,
    light, mood. Where the subject is another nothing is there.
    """
    stated = sum(2 + (group.colour is not None) for group in right.groups)
    parts = stated + sum(1 for name in PARTS if getattr(right, name))
    if len(pictures) != 1 or is_blank("a picture", pictures):
        return Likeness(0, parts, [NO_PICTURE])
    sight = sight_of(pictures[0])
    if sight.impression is None:
        return Likeness(0, parts, [NO_PICTURE])
    wrong = disagreements(right, sight.impression, sight.transcription)
    more = len(sight.impression.groups) - len(right.groups)
    wrong += ["things that are too many"] if more > 0 else []
    return Likeness(0 if "subject" in wrong else max(0, parts - len(wrong)), parts, wrong)


def pixel_likeness(right: bytes, pictures: Sequence[bytes], questions: Sequence[bytes] = ()) -> Likeness:
    """Whether one picture is the right one, re-encoded or of another size at most: no block differs by more than half
    of what the picture that was `questions` about does, if there is one.
    """
    if len(pictures) != 1:
        return Likeness(0, 1, [NO_PICTURE])
    limit = min([MOST_DIFFERENCE, *(0.5 * farthest_block(right, one) for one in questions)])
    apart = farthest_block(right, pictures[0])
    return Likeness(1, 1, []) if apart <= limit else Likeness(0, 1, [f"it differs by {apart:.1f} grey levels"])


def word_likeness(right: str, words: str) -> Likeness:
    """Return whether words say what is right: the same, or a scene of which nothing disagrees."""
    words = before_tags(words)
    if normalise_text(words) == normalise_text(right):
        return Likeness(1, 1, [])
    one, other = understand(right), understand(words)
    agree = one is not None and other is not None and not disagreements(one, other, other.lettering)
    return Likeness(1, 1, []) if agree else Likeness(0, 1, [f"right is {right!r}"])


def before_tags(words: str) -> str:
    """Return what a text says before anything that looks like a tag: what stands behind one moves no verdict."""
    return re.split(r"[<＜]", words)[0].strip()


def farthest_block(first: bytes, second: bytes) -> float:
    """Return by how many grey levels two pictures differ, on average over that block in which they differ most."""
    count = SIDE // BLOCK
    apart = np.abs(pixels(first) - pixels(second)).mean(axis=2)
    return float(apart.reshape(count, BLOCK, count, BLOCK).mean(axis=(1, 3)).max())


def pixels(picture: bytes) -> NDArray[np.float32]:
    """Return a picture's colours, shape (SIDE, SIDE, 3); Unsupported where it is none."""
    try:
        image = Image.open(io.BytesIO(picture)).convert("RGB").resize((SIDE, SIDE), Image.Resampling.BOX)
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise Unsupported(f"the picture cannot be decoded: {error}") from error
    return np.asarray(image, np.float32)
