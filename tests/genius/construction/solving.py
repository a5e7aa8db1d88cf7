"""The pool of scenes, and what the embedded world understands by words of it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from stages.evaluation.construction.drawing import distinct
from stages.genius.construction.cases import Case
from stages.genius.construction.draw_cases import RULES
from stages.genius.construction.scenes import Pool, Scene, Things, canonical, read_pool
from stages.sandbox import vocabulary as v
from stages.sandbox.reading import read
from stages.sandbox.scene import Scene as Shown
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

    return distinct(sub_task, seed, count, draw, lambda case: case)


def accepts(wanted: Scene, shown: Scene) -> bool:
    wanted, shown = canonical(wanted), canonical(shown)
    orders = [shown.groups] if wanted.relation else [shown.groups, shown.groups[::-1]]
    fits = any(
        len(order) == len(wanted.groups)
        and all(
            (one.kind, one.number) == (other.kind, other.number) and one.colour in (None, other.colour)
            for one, other in zip(wanted.groups, order, strict=True)
        )
        for order in orders
    )
    return fits and all(one is None or one == other for one, other in zip(wanted[1:], shown[1:], strict=True))
