"""The pool of scenes, and what the embedded world understands by words of it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from gamut.evaluation.construction.drawing import distinct_cases
from gamut.world import vocabulary as v
from gamut.world.reading import read
from gamut.world.scene import Scene as Shown
from stages.genius.construction.cases import OPPOSITE, Case, Pool, Scene, Things, read_pool
from stages.genius.construction.draw_cases import RULES
from tests.paths import ROOT


@cache
def pool() -> Pool:
    return read_pool(Path(ROOT, "stages/genius/construction/pools/scenes.yaml"))


def seen(words: str) -> Shown:
    scene = read(words)
    assert scene is not None, words
    return scene


def described(scene: Shown) -> Scene:
    return Scene(
        tuple(Things(group.kind, group.colour, group.count) for group in scene.groups),
        scene.relation,
        v.STYLES[scene.style].en if scene.style else None,
        v.LIGHTS[scene.light].en if scene.light else None,
        v.MOODS[scene.mood].en if scene.mood else None,
        v.SURREALS[scene.surreal].en if scene.surreal else None,
    )


def cases(sub_task: str, seed: int, count: int, of: Pool | None = None) -> Iterator[Case]:
    def draw(chance: random.Random) -> Case | None:
        return RULES[sub_task](chance, of or pool())

    return distinct_cases(sub_task, seed, count, draw, lambda case: case)


def canonical(scene: Scene) -> Scene:
    """The same scene with `left` or `above`: A to the right of B is B to the left of A."""
    if scene.relation in ("right", "below"):
        return scene._replace(groups=scene.groups[::-1], relation=OPPOSITE[scene.relation])
    return scene


def accepts(wanted: Scene, shown: Scene) -> bool:
    wanted, shown = canonical(wanted), canonical(shown)
    orders = [shown.groups] if wanted.relation else [shown.groups, shown.groups[::-1]]
    said = all(one in (None, other) for one, other in zip(wanted[1:], shown[1:], strict=True))
    return said and any(fit(wanted, order, lambda one, other: one in (None, other)) for order in orders)


def compatible(one: Scene, other: Scene) -> bool:
    """Whether one picture could show both: neither says anything that the other one rules out."""
    one, other = canonical(one), canonical(other)
    orders = [other.groups] if one.relation and other.relation else [other.groups, other.groups[::-1]]
    said = all(None in pair or pair[0] == pair[1] for pair in zip(one[1:], other[1:], strict=True))
    return said and any(fit(one, order, lambda a, b: None in (a, b) or a == b) for order in orders)


def fit(scene: Scene, groups: tuple[Things, ...], colours: Callable[[str | None, str | None], bool]) -> bool:
    pairs = zip(scene.groups, groups, strict=False)
    return len(groups) == len(scene.groups) and all(
        (one.kind, one.number) == (other.kind, other.number) and colours(one.colour, other.colour)
        for one, other in pairs
    )
