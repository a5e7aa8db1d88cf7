"""What a contestant of the embedded world says of a picture of its own: how it reads the context once more."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from .answering import Unsupported
from .contexts import wanted_by_rule
from .material import Parts
from .scene import Scene
from .writing import write

_BLOCK = re.compile(r"\n<picture>\n\Z")
_ASKED = re.compile(r'\s*nothing is to be painted now\..* "so what is wanted is" .*', re.IGNORECASE | re.DOTALL)


def reflected(
    parts: Parts, reads: str, rate: float, chance: random.Random, see: Callable[[bytes], Scene] | None = None
) -> str | None:
    """Return what is wanted by the rule of a context, in the words of a hint, for whoever `reads` it whole or in part
    and misreads it at a `rate`, see `contexts.wanted_by_rule`; None where no critique is asked for.

    The picture is not looked at: who read the context wrongly may now read it rightly, and the other way round.
    Unsupported where no rule is laid down.
    """
    if len(parts) < 4 or not isinstance(parts[-1], str) or not _ASKED.fullmatch(parts[-1]):
        return None
    *before, opening, _, _, _ = parts
    given = [*before, _BLOCK.sub("", opening)] if isinstance(opening, str) else before
    scene = wanted_by_rule(given, reads, rate, chance, see)
    if scene is None:
        raise Unsupported("the embedded world knows no rule that the instruction goes by")
    said = write(scene).removesuffix(".")
    return f"So what is wanted is {said[0].lower()}{said[1:]}."
