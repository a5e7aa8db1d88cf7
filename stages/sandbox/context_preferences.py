"""What somebody likes, to be found out from pictures: I like the style of #1. I dislike the style of #2."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from .answering import Unsupported
from .context_rules import Rule, Told, imagined, the_one
from .reading import read
from .scene import Scene


def _styled(told: Told) -> Scene:
    """I like the style of #1. Paint a red cat in the style that I like."""
    liked = the_one(r"i like the style of (#\w)", told)[1]
    return replace(_thing(told.asked["thing"]), style=told.seen[liked].style)


def _thing(words: str) -> Scene:
    scene = read(words)
    if scene is None:
        raise Unsupported(f"the embedded world does not know what {words[:60]!r} is")
    return scene


def _verdicts(of: str, asked: re.Match[str], pictures: Sequence[str], chance: random.Random) -> Sequence[str]:
    """One of the pictures is liked, the others are not."""
    liked = chance.choice(pictures)
    return [f"i {'like' if picture == liked else 'dislike'} the {of} of {picture}" for picture in pictures]


RULES = (
    Rule(
        re.compile(r"paint (?P<thing>.+) in the style that i like"), _styled, partial(_verdicts, "style"), 2, imagined
    ),
)
