"""What made-up symbols, words and names stand for: Operation ★ turns #1 into #2."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from . import vocabulary as v
from .answering import Unsupported
from .context_rules import Rule, Told, found, imagined, shown
from .material import made
from .naming import any_of, relations
from .scene import Group, Scene, canonical

_TURNS = r"operation (?P<label>\S+) turns (?P<before>#\w) into (?P<picture>#\w)"
_LOOKS = r"the .+ in (?P<picture>#\w) looks (?P<label>\w+)"
_STAND = r".*\bin (?P<picture>#\w) (?:they )?stand in layout (?P<label>\S+)"
_FEATURE = r"feature (?P<label>\S+) is the (?P<part>colour|number|style|light) of (?:.+ )?(?P<picture>#\w)"
_CALLED = r"the animal in (?P<picture>#\w) is called (?P<label>\w+)"
_ABOUT: Mapping[str, Mapping[str, v.Word]] = {"light": v.LIGHTS, "mood": v.MOODS, "surreal": v.SURREALS}
"""What may be about a thing."""
_BEARERS = ("bird", "cat", "cow", "duck", "elephant", "horse", "owl", "penguin", "pig", "rabbit", "snail", "turtle")
"""Animals that bear names."""


def _said_of(label: str, pattern: str, told: Told) -> re.Match[str]:
    matches = [match for match in found(pattern, told.context) if match["label"] == label]
    if len(matches) != 1:
        raise Unsupported(f"{len(matches)} sentences of the context say what {label} is, one is wanted")
    return matches[0]


def _shuffled(labels: Sequence[str], count: int, chance: random.Random) -> Sequence[str]:
    """Return so many labels in any order: those that are known, and others."""
    every = [*labels, *(f"other{number}" for number in range(count - len(labels)))]
    return chance.sample(every, len(every))


def _labelled(words: str, ask: Sequence[str]) -> Callable[[re.Match[str], Sequence[str], random.Random], Sequence[str]]:
    """Return what says of each picture, in these words, which label it has; `ask`: where an instruction has labels."""

    def said(asked: re.Match[str], pictures: Sequence[str], chance: random.Random) -> Sequence[str]:
        labels = _shuffled([asked[name] for name in ask], len(pictures), chance)
        return [words.format(picture, label) for picture, label in zip(pictures, labels, strict=False)]

    return said


# Operations


def _operated(told: Told) -> Scene:
    """Operation ★ turns #1 into #2. Apply operation ★ to #3 and then operation ◆ to what comes of it."""
    scene = canonical(shown(told, told.asked["shown"]))
    for label in _operations_asked(told.asked):
        match = _said_of(label, _TURNS, told)
        scene = _performed(canonical(shown(told, match["before"])), canonical(shown(told, match["picture"])), scene)
    return scene


def _operations_asked(asked: re.Match[str]) -> list[str]:
    return [asked[name] for name in ("first", "then") if asked[name]]


def _performed(before: Scene, after: Scene, scene: Scene) -> Scene:
    """Do with a scene what was done between two others; all of them have things on the left or above first."""
    if any(len(one.groups) != 2 for one in (before, after, scene)):
        raise Unsupported("operations are done with two groups of things")
    if after.groups == before.groups[::-1]:
        return replace(scene, groups=scene.groups[::-1])
    groups = list(scene.groups)
    for place, (old, new) in enumerate(zip(before.groups, after.groups, strict=True)):
        if new.colour != old.colour:
            groups[place] = replace(groups[place], colour=new.colour)
        if new.count != old.count:
            groups[place] = replace(groups[place], count=new.count)
    return made(scene, groups=tuple(groups))


def _operations_said(asked: re.Match[str], pictures: Sequence[str], chance: random.Random) -> Sequence[str]:
    """A picture before and one after it take turns."""
    pairs = list(zip(pictures[::2], pictures[1::2], strict=False))
    labels = _shuffled(_operations_asked(asked), len(pairs), chance)
    return [
        f"operation {label} turns {before} into {after}" for label, (before, after) in zip(labels, pairs, strict=False)
    ]


def _operations_shown(told: Told, missing: Sequence[str], chance: random.Random) -> Mapping[str, Scene]:
    """Each operation changes one side, but where two are asked about one of them is an exchange."""
    labels = _operations_asked(told.asked)
    exchange = chance.choice(labels) if len(labels) == 2 else None
    before = canonical(shown(told, told.asked["shown"]))
    scenes = dict.fromkeys(missing, before)
    for match in found(_TURNS, told.context):
        changed = before.groups[::-1] if match["label"] == exchange else _one_changed(before.groups, chance)
        scenes[match["picture"]] = made(before, groups=changed)
    return {name: scenes[name] for name in missing}


def _one_changed(groups: tuple[Group, ...], chance: random.Random) -> tuple[Group, ...]:
    """Change the colour or the number on one side to one that neither has."""
    place = chance.randrange(len(groups))
    old, colours, counts = groups[place], [one.colour for one in groups], [one.count for one in groups]
    new = [replace(old, colour=colour) for colour in v.COLOURS if colour not in colours]
    new += [replace(old, count=count) for count in v.COUNTS if count not in counts]
    return (*groups[:place], chance.choice(new), *groups[place + 1 :])


# Metaphors


def _looking(told: Told) -> Scene:
    """The cat in #1 looks zorp. Make the dog in #2 look zorp as that word is meant here."""
    asked = shown(told, told.asked["shown"])
    one = shown(told, _said_of(told.asked["label"], _LOOKS, told)["picture"])
    rest = [shown(told, match["picture"]) for match in found(_LOOKS, told.context)]
    parts = [part for part in _ABOUT if len({getattr(scene, part) for scene in rest}) > 1]
    if len(parts) != 1:
        raise Unsupported("the pictures do not differ in one thing alone")
    return made(asked, **{parts[0]: getattr(one, parts[0])})


def _looks_shown(told: Told, missing: Sequence[str], chance: random.Random) -> Mapping[str, Scene]:
    """One thing in several looks, none of which the thing that is asked about has."""
    asked = shown(told, told.asked["shown"])
    known = [(part, value) for part, table in _ABOUT.items() for value in table if value != getattr(asked, part)]
    part = chance.choice(known)[0]
    values = [value for name, value in known if name == part]
    scene = imagined(chance)
    return {
        name: made(scene, **{part: value})
        for name, value in zip(missing, chance.sample(values, len(missing)), strict=True)
    }


# Layouts


def _laid_out(told: Told) -> Scene:
    """In #1 they stand in layout ★. Bring the things in #2 into layout ★."""
    asked = shown(told, told.asked["shown"])
    example = shown(told, _said_of(told.asked["label"], _STAND, told)["picture"])
    sorts, others = (tuple(v.KINDS[group.kind].group for group in scene.groups) for scene in (asked, example))
    if example.relation is None or others not in (sorts, sorts[::-1]):
        raise Unsupported("the layout is not one of such things")
    return made(asked, relation=example.relation if others == sorts else v.OPPOSITE[example.relation])


def _layouts_shown(told: Told, missing: Sequence[str], chance: random.Random) -> Mapping[str, Scene]:
    """Things as they are in the picture that is asked about, in other layouts."""
    asked = shown(told, told.asked["shown"])
    others = [relation for relation in v.RELATIONS if relation != asked.relation]
    return {name: made(asked, relation=chance.choice(others)) for name in missing}


# Features


def _featured(told: Told) -> Scene:
    """Feature ★ is the colour of the things in #1. Repaint the things in #2 with feature ★ and feature ◆."""
    scene = shown(told, told.asked["shown"])
    for name in ("first", "then"):
        match = _said_of(told.asked[name], _FEATURE, told)
        scene = _with_feature(scene, match["part"], shown(told, match["picture"]))
    return scene


def _with_feature(scene: Scene, part: str, of: Scene) -> Scene:
    if len(scene.groups) != 1 or len(of.groups) != 1:
        raise Unsupported("features are taken over from one group of things to another")
    match part:
        case "colour":
            return replace(scene, groups=(replace(scene.groups[0], colour=of.groups[0].colour),))
        case "number":
            return replace(scene, groups=(replace(scene.groups[0], count=of.groups[0].count),))
        case _:
            return made(scene, **{part: getattr(of, part)})


def _features_said(asked: re.Match[str], pictures: Sequence[str], chance: random.Random) -> Sequence[str]:
    """One is the colour, the other something else."""
    labels = chance.sample([asked["first"], asked["then"]], 2)
    parts = chance.sample(["colour", chance.choice(["number", "style", "light"])], 2)
    return [
        f"feature {label} is the {part} of {picture}"
        for label, part, picture in zip(labels, parts, pictures, strict=False)
    ]


def _features_shown(told: Told, missing: Sequence[str], chance: random.Random) -> Mapping[str, Scene]:
    """Scenes in all unlike the one that is asked about."""
    asked = shown(told, told.asked["shown"])
    return {name: next(_unlike(asked, chance)) for name in missing}


def _unlike(asked: Scene, chance: random.Random) -> Iterator[Scene]:
    while True:
        scene = imagined(chance)
        if all(_with_feature(asked, part, scene) != asked for part in ("colour", "number", "style", "light")):
            yield scene


# Names


def _joined(told: Told) -> Scene:
    """The animal in #1 is called Dex. Let Dex stand to the left of the sofa in #2."""
    host = shown(told, told.asked["shown"])
    bearer = shown(told, _said_of(told.asked["label"], _CALLED, told)["picture"])
    return made(host, groups=(*bearer.groups, *host.groups), relation=relations()[told.asked["relation"]])


def _bearer(chance: random.Random) -> Scene:
    return Scene((Group(chance.choice(_BEARERS), chance.choice(list(v.COLOURS))),))


RULES = (
    Rule(
        re.compile(
            r"apply operation (?P<first>\S+) to (?P<shown>#\w)"
            r"(?: and then operation (?P<then>\S+) to what comes of it)?"
        ),
        _operated, _operations_said, 4, imagined, _operations_shown,
    ),
    Rule(
        re.compile(r"make the .+ in (?P<shown>#\w) look (?P<label>\w+) as that word is meant here"),
        _looking, _labelled("the thing in {} looks {}", ["label"]), 2, imagined, _looks_shown,
    ),
    Rule(
        re.compile(r"bring the things in (?P<shown>#\w) into layout (?P<label>\S+)"),
        _laid_out, _labelled("in {} they stand in layout {}", ["label"]), 3, imagined, _layouts_shown,
    ),
    Rule(
        re.compile(
            r"repaint the things in (?P<shown>#\w) with feature (?P<first>\S+) and feature (?P<then>\S+)"
        ),
        _featured, _features_said, 2, imagined, _features_shown,
    ),
    Rule(
        re.compile(
            rf"let (?P<label>\w+) stand (?P<relation>{any_of(relations())}) the .+ in (?P<shown>#\w)"
        ),
        _joined, _labelled("the animal in {} is called {}", ["label"]), 3, _bearer,
    ),
)  # fmt: skip
