"""Prompts in other words that tell the same scene: to see how many of them are found again."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from . import vocabulary as v
from .agreement import differences
from .captions import understand
from .colloquial import change_word, word_otherwise
from .reading import read, translate
from .scene import Scene, complete_scene
from .writing import write

Way = Callable[[str, Scene, random.Random], str | None]
"""One way to say a text that tells a scene in other words; None where it cannot be."""


def paraphrases(text: str, seed: int) -> Iterator[tuple[str, str]]:
    """Yield ways of saying a text otherwise, each with a text that is understood as the same test."""
    scene = understand(text)
    if scene is None:
        return
    for name, way in WAYS.items():
        said = way(text, scene, random.Random(f"{seed} {name} {text}"))
        meant = understand(said) if said and said != text else None
        if said and meant and not differences(scene, meant):
            yield name, said


def _synonym(text: str, scene: Scene, rng: random.Random) -> str | None:
    return next((other for other in change_word(text, rng) if read(other) == scene), None)


def _prefix(text: str, scene: Scene, rng: random.Random) -> str | None:
    line, openings = write(scene), [word.en for key, word in v.OPENINGS.items() if key != "there is"]
    return f"{rng.choice(openings)} {line[0].lower()}{line[1:]}"


def _sentence(text: str, scene: Scene, rng: random.Random) -> str | None:
    return word_otherwise(scene, rng) if scene.groups else None


def _summary(text: str, scene: Scene, rng: random.Random) -> str | None:
    brief = replace(scene, style=None, light=None, mood=None)
    return write(brief) if brief != scene else None


def _expansion(text: str, scene: Scene, rng: random.Random) -> str | None:
    whole = complete_scene(scene, rng)
    same = not differences(scene, whole)
    return write(whole, form="detail") if same else None


def _chinese(text: str, scene: Scene, rng: random.Random) -> str | None:
    return None if re.search(r"[\u4e00-\u9fff]", text) else translate(text)


WAYS: dict[str, Way] = {
    "synonym": _synonym,
    "prefix": _prefix,
    "sentence": _sentence,
    "summary": _summary,
    "expansion": _expansion,
    "chinese": _chinese,
}
