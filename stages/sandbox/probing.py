"""A context that lays down a rule, with texts of which one says what is right by it, to be chosen by its letter."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from .agreement import disagreements
from .answering import Unsupported
from .contexts import wanted_by_rule
from .hint_words import wanted
from .material import Parts
from .scene import Scene

_PROBE = re.compile(
    r"\s*nothing is to be painted now\. which of these is true of a right picture\?\s+"
    r"(?P<options>(?:[A-D]\) [^\n]+\n){2,4})answer with its letter\.?\s*\Z",
    re.IGNORECASE,
)


def probed(
    parts: Parts, reads: str, rate: float, chance: random.Random, see: Callable[[bytes], Scene] | None = None
) -> str | None:
    """Return the letter of the option that says what is wanted by the rule of a context, for whoever `reads` it whole
    or in part, see `contexts.wanted_by_rule`; at a `rate` of 0..1 another letter. None where no options are given.

    Who knows of no option that it is the one, guesses. Unsupported where no rule is laid down.
    """
    *before, last = parts if parts and isinstance(parts[-1], str) else [*parts, ""]
    assert isinstance(last, str)
    asked = _PROBE.search(last)
    if asked is None:
        return None
    options = dict(re.findall(r"([A-D])\) ([^\n]+)\n", asked["options"]))
    scene = wanted_by_rule([*before, last[: asked.start()]], reads, 0.0, chance, see)
    if scene is None:
        raise Unsupported("the embedded world knows no rule that the instruction goes by")
    fitting = [letter for letter, text in options.items() if _holds(text, scene)]
    letter = chance.choice(fitting or list(options))
    if chance.random() < rate:
        return chance.choice([other for other in options if other != letter])
    return letter


def _holds(text: str, scene: Scene) -> bool:
    """Return whether an option says what a scene is, as far as it says anything; what cannot be read does not."""
    try:
        said, absent = wanted(text)
    except Unsupported:
        return False
    there: Sequence[str] = [group.kind for group in scene.groups]
    whole = len(said.groups) == len(there) and not any(group.kind in there for group in absent)
    return whole and not disagreements(said, scene, scene.lettering)
