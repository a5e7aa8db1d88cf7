"""What a picture of the embedded world shows: one or two groups of pictograms, how they stand, lettering, atmosphere.

A field is None where a text left it open; `complete_scene` chooses it. Scenes are frozen values, checked when made.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from . import vocabulary as v


@dataclass(frozen=True)
class Group:
    """`count` (1..5) pictograms of one kind and colour; colour None = not said."""

    kind: str
    colour: str | None = None
    count: int = 1

    def __post_init__(self) -> None:
        _known("kind", self.kind, v.KINDS)
        _known("colour", self.colour, v.COLOURS)
        _known("count", self.count, v.COUNTS)


@dataclass(frozen=True)
class Scene:
    """A scene. `relation` says how groups[0] stands to groups[1]; a scene without groups must have a sign or lettering.

    `lettering` is one of the vocabulary's phrases, `sign` what carries it; a sign without it has one that is not said.
    `surreal` None = nature as it is.
    """

    groups: tuple[Group, ...]
    relation: str | None = None
    lettering: str | None = None
    sign: str | None = None
    style: str | None = None
    light: str | None = None
    mood: str | None = None
    surreal: str | None = None

    def __post_init__(self) -> None:
        if len(self.groups) > 2 or not (self.groups or self.lettering or self.sign):
            raise ValueError(f"a scene has one or two groups, or a sign or lettering alone; got {self.groups!r}")
        if self.relation and len(self.groups) != 2:
            raise ValueError(f"relation {self.relation!r} needs two groups")
        if len(self.groups) == 2 and self.groups[0].kind == self.groups[1].kind:
            colours = [group.colour for group in self.groups]
            if None in colours or colours[0] == colours[1]:
                raise ValueError(f"two groups of {self.groups[0].kind!r} need two different colours")
        _known("relation", self.relation, v.RELATIONS)
        _known("lettering", self.lettering, v.LETTERING + v.LETTERING_ZH)
        for part, table in v.LOOKS.items():
            _known(part, getattr(self, part), table)


def _known(field: str, value: object, allowed: object) -> None:
    if value is not None and value not in allowed:  # type: ignore[operator]
        raise ValueError(f"{field} {value!r} is not in the world's vocabulary")


def canonical_scene(scene: Scene) -> Scene:
    """Turn the relation to `left` or `above`: A right of B is B left of A."""
    if scene.relation in ("right", "below"):
        return replace(scene, groups=scene.groups[::-1], relation=v.OPPOSITE[scene.relation])
    return scene


def random_scene(rng: random.Random) -> Scene:
    """Draw a complete scene: two in three have two groups, two in five lettering, one in three something surreal."""
    first = _random_group(rng, v.KINDS)
    groups = [first]
    if rng.random() < 0.64:
        groups.append(_random_group(rng, [kind for kind in v.KINDS if kind != first.kind]))
    lettering = rng.choice(v.LETTERING) if rng.random() < 0.42 else None
    return Scene(
        groups=tuple(groups),
        relation=rng.choice(list(v.RELATIONS)) if len(groups) == 2 else None,
        lettering=lettering,
        sign=rng.choice(list(v.SIGNS)) if lettering else None,
        style=_plain_or(rng, v.STYLES, 0.52),
        light=rng.choice(list(v.LIGHTS)),
        mood=_plain_or(rng, v.MOODS, 0.55),
        surreal=rng.choice(list(v.SURREALS)) if rng.random() < 0.35 else None,
    )


def complete_scene(scene: Scene, rng: random.Random) -> Scene:
    """Choose what a text left open: colours, relation, sign or lettering, light; style and mood become plain."""
    taken = [group.colour for group in scene.groups]
    groups = tuple(
        group if group.colour else replace(group, colour=rng.choice([c for c in v.COLOURS if c not in taken]))
        for group in scene.groups
    )
    relation = scene.relation or (rng.choice(list(v.RELATIONS)) if len(groups) == 2 else None)
    sign = scene.sign or (rng.choice(list(v.SIGNS)) if scene.lettering else None)
    light = scene.light or rng.choice(list(v.LIGHTS))
    lettering = scene.lettering or (rng.choice(v.LETTERING) if scene.sign else None)
    return replace(
        scene,
        groups=groups,
        relation=relation,
        lettering=lettering,
        sign=sign,
        light=light,
        style=scene.style or next(iter(v.STYLES)),
        mood=scene.mood or next(iter(v.MOODS)),
    )


def embellish(scene: Scene, rng: random.Random) -> Scene:
    """Choose a style and a mood where a text left them open, as often marked ones as in a random scene."""
    style = scene.style or _plain_or(rng, v.STYLES, 0.52)
    return replace(scene, style=style, mood=scene.mood or _plain_or(rng, v.MOODS, 0.55))


def _random_group(rng: random.Random, kinds: object) -> Group:
    count = rng.choices(range(1, 6), weights=(34, 24, 18, 13, 11))[0]
    return Group(rng.choice(list(kinds)), rng.choice(list(v.COLOURS)), count)  # type: ignore[call-overload]


def _plain_or(rng: random.Random, table: dict[str, v.Word], share: float) -> str:
    """The table's plain first value, or with probability `share` one of the marked ones."""
    plain, *marked = table
    return rng.choice(marked) if rng.random() < share else plain
