"""The embedded world as a writer: seed prompts by concept family, and new prompts in the manner of examples.

The seed prompts and their expansion in context are those of FLUX-Reason-6M, section 2.2.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from . import vocabulary as v
from .answering import Unsupported, Values
from .reading import read
from .scene import Scene, random_scene
from .writing import write

_MOST_PROMPTS = 1000


def brainstorm(fields: Mapping[str, str], seed: int) -> Values:
    """`count` different prompts of scenes with something surreal, drawn by concept family and seed.

    Raises Unsupported for a count that is no whole number of 1 to 1,000.
    """
    count = fields.get("count", "")
    if not (count.isdecimal() and 1 <= int(count) <= _MOST_PROMPTS):
        raise Unsupported(f"a count of 1 to {_MOST_PROMPTS} prompts can be asked for, not {count!r}")
    rng = random.Random(f"{seed} brainstorm {fields.get('family', '')}")
    found: dict[str, None] = {}
    while len(found) < int(count):
        found.setdefault(write(with_wonder(random_scene(rng), rng)))
    return {"prompts": list(found)}


def imagine(fields: Mapping[str, str], seed: int) -> Values:
    """Return a new surreal scene that takes things of the examples (prompts, one a line) together with things of its
    own.

    Never one of the examples. Raises Unsupported where none of them can be read.
    """
    examples = [scene for scene in map(read, fields.get("examples", "").splitlines()) if scene]
    if not examples:
        raise Unsupported("none of the examples can be read")
    rng = random.Random(f"{seed} imagine {fields['examples']}")
    return {"caption": write(next(scene for scene in _combined(examples, rng) if scene not in examples))}


def _combined(examples: Sequence[Scene], rng: random.Random) -> Iterator[Scene]:
    """Scenes without end: each has things and looks of several examples; colours, numbers and places are its own."""
    kinds = sorted({group.kind for scene in examples for group in scene.groups})
    while True:
        own = random_scene(rng)
        names = rng.sample(kinds, min(1, len(kinds)))
        others = sorted({*kinds, *(group.kind for group in own.groups)} - {*names})
        names += rng.sample(others, len(own.groups) - len(names))
        lettering = rng.choice(examples).lettering
        looks = {part: getattr(rng.choice(examples), part) for part in ("style", "light", "mood")}
        scene = replace(
            own,
            groups=tuple(
                replace(group, kind=name) for group, name in zip(own.groups, rng.sample(names, len(names)), strict=True)
            ),
            lettering=lettering,
            sign=rng.choice(list(v.SIGNS)) if lettering else None,
            surreal=rng.choice((own, rng.choice(examples))).surreal,
            **looks,
        )
        yield with_wonder(scene, rng)


def with_wonder(scene: Scene, rng: random.Random) -> Scene:
    """Return the scene with something surreal in it."""
    return scene if scene.surreal else replace(scene, surreal=rng.choice(list(v.SURREALS)))
