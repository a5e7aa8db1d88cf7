"""The world as a writer of wrong options beside a hint that is right, and as a checker whether they are wrong."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace

from . import vocabulary as v
from .answering import Unsupported, Values
from .grammar import compose
from .hint_words import wanted
from .material import made
from .scene import Group, Scene, canonical

COUNT = 3
"""Wrong options that are written."""
_PLAINEST = 8
"""The wording of prompts in which each value is a clause behind the things."""
_LOOKS: Mapping[str, Mapping[str, v.Word]] = {
    "relation": v.RELATIONS,
    "style": v.STYLES,
    "light": v.LIGHTS,
    "mood": v.MOODS,
    "surreal": v.SURREALS,
}
"""What a scene may say besides its things, and what else it might say."""


def write_distractors(fields: Mapping[str, str], seed: int) -> Values:
    """Return three of `other_readings`, a line each; where there are fewer, scenes as well that differ in one thing
    from that of `rule_hint` or of a reading, be it this or that, so that not the right one alone has others like it.
    Unsupported where one cannot be read.
    """
    scene, _ = wanted(hint := fields.get("rule_hint", ""))
    chance = random.Random(f"{seed} distractors {hint}")
    readings = list(dict.fromkeys(fields.get("other_readings", "").splitlines()))
    if len(readings) >= COUNT:
        return {"distractors": chance.sample(readings, COUNT)}
    base = chance.choice([scene, *(wanted(text)[0] for text in readings)])
    others = [one for one in dict.fromkeys(_changed(base)) if one != base and not _both(scene, one)]
    if len(readings) + len(others) < COUNT:
        raise Unsupported(f"{len(others)} other scenes are like that of {hint[:120]!r}, {COUNT} are wanted")
    changed = [f"The picture shows {_told(other)}" for other in chance.sample(others, COUNT - len(readings))]
    return {"distractors": [*readings, *changed]}


def check_distractor(fields: Mapping[str, str]) -> Values:
    """Return whether no picture is as both `rule_hint` and `distractor` say: `wrong`, yes or no. Unsupported where they
    cannot be read.
    """
    (right, absent), (other, also_absent) = (wanted(fields.get(name, "")) for name in ("rule_hint", "distractor"))
    ruled_out = [(absent, other), (also_absent, right)]
    if any(_agree(name, group) for names, scene in ruled_out for name in names for group in scene.groups):
        return {"reason": "what one shows must not be there in the other", "wrong": "yes"}
    if _both(right, other):
        return {"reason": "a picture can be as both say", "wrong": "no"}
    return {"reason": "no picture is as both say", "wrong": "yes"}


def _changed(scene: Scene) -> Iterator[Scene]:
    """Yield scenes in which one value that is said is another one."""
    for at, group in enumerate(scene.groups):
        other_kinds = [kind.name for kind in v.KINDS.values() if kind.group == v.KINDS[group.kind].group]
        for changed in (
            *(replace(group, count=count) for count in v.COUNTS if count != group.count),
            *(replace(group, colour=colour) for colour in v.COLOURS if group.colour not in (None, colour)),
            *(replace(group, kind=kind) for kind in other_kinds if kind != group.kind),
        ):
            try:
                yield replace(scene, groups=(*scene.groups[:at], changed, *scene.groups[at + 1 :]))
            except ValueError:
                continue  # two groups would be of the same things
    for part, values in _LOOKS.items():
        said = getattr(scene, part)
        yield from (made(scene, **{part: value}) for value in values if said not in (None, value))


def _told(scene: Scene) -> str:
    words = compose(scene, "en", _PLAINEST)
    return words[0].lower() + words[1:]


def _both(one: Scene, other: Scene) -> bool:
    """Return whether a picture can be as two scenes say, of which each may leave something open."""
    one, other = canonical(one), canonical(other)
    if len(one.groups) != len(other.groups):
        return False
    if any(None not in (said := (getattr(one, part), getattr(other, part))) and said[0] != said[1] for part in _LOOKS):
        return False
    orders = [other.groups] if one.relation and other.relation else [other.groups, other.groups[::-1]]
    return any(all(map(_same_number_of, one.groups, order)) for order in orders)


def _same_number_of(one: Group, other: Group) -> bool:
    """Return whether things may be the same."""
    return one.count == other.count and _agree(one, other)


def _agree(one: Group, other: Group) -> bool:
    """Return whether things may be of one kind and colour."""
    return one.kind == other.kind and (None in (one.colour, other.colour) or one.colour == other.colour)
