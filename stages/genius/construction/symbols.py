"""Symbolic constraints: pictures define what a symbol does, and the answer must apply it (section 2.2).

Symbols are drawn for every case, and so are their order in the context and which of them count.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from stages.genius.construction.cases import NUMBERS, RELATIONS, Case, Pool, Scene, Things, describe_things, noun_of

PLACES = {"left": ("on the left", "on the right"), "above": ("at the top", "at the bottom")}
"""Where the first and the second things of a scene are, by their relation."""


class Operation(NamedTuple):
    """Which `place`, 0 or 1, of a scene of two groups gets another colour or number. None: both change places."""

    place: int | None = None
    colour: str | None = None
    number: int | None = None


EXCHANGE = Operation()


def operations(colours: Sequence[str], most: int) -> list[Operation]:
    """Return all that bring one of these colours, or two to `most` things of a kind, to one of two places."""
    brought = [(colour, None) for colour in colours] + [(None, number) for number in range(2, most + 1)]
    return [Operation(place, *one) for place in (0, 1) for one in brought]


def apply_operations(scene: Scene, *performed: Operation) -> Scene:
    """Return the scene, of two groups, after these operations in order."""
    for one in performed:
        first, second = (_change_things(things, one, place) for place, things in enumerate(scene.groups))
        scene = scene._replace(groups=(second, first) if one.place is None else (first, second))
    return scene


def confusable_scenes(scene: Scene, changes: Sequence[Operation]) -> list[Scene]:
    """Return four scenes that do not reveal the right one: each change, and the same change in the other place."""
    both = (one for change in changes for one in (change, change._replace(place=1 - (change.place or 0))))
    return [apply_operations(scene, one) for one in [*dict.fromkeys(both)][:4]]


def _change_things(things: Things, one: Operation, place: int) -> Things:
    if place != one.place:
        return things
    return things._replace(colour=one.colour or things.colour, number=one.number or things.number)


def describe_operation(one: Operation, relation: str) -> str:
    """Return what an operation does for this relation: `gives what stands on the left the colour green`."""
    if one.place is None:
        return "makes the things change places"
    what = f"what stands {PLACES[relation][one.place]}"
    return f"gives {what} the colour {one.colour}" if one.colour else f"makes {NUMBERS[one.number or 0]} of {what}"


SIGNS = ("★", "◆", "●", "■", "♣", "♠")
WORDS = ("zorp", "blick", "dax", "wug", "fep", "tulver")
NAMES = ("Dex", "Mia", "Bo", "Ida", "Ned", "Zoe", "Kim", "Ravi")
CHARACTERS = ("bird", "cat", "cow", "duck", "elephant", "horse", "owl", "penguin", "pig", "rabbit", "snail", "turtle")
SORTS = ("animal", "plant", "vehicle", "building", "instrument")
"""Groups of the pool with a common word."""
LOOKS: Mapping[str, str] = {"light": "at {}", "mood": "in a {} mood", "wonder": "under {}"}
"""Features of a picture, and how they are said."""
FEATURES: Mapping[str, str] = {
    "colour": "the colour of the things in",
    "number": "the number of things in",
    "style": "the style of",
    "light": "the light of",
}


def operation(chance: random.Random, pool: Pool) -> Case:
    """One or both of two operations that pictures show.

    Each is shown by a picture before it and one after. Of both, one makes things change places, so that their order
    matters.
    """
    relation = chance.choice(pool.relations)
    kinds = [things.kind for things in pool.things_for(chance, 6)]
    colours = chance.sample(pool.colours, len(pool.colours))
    known = operations(colours[2:], pool.most)
    both = chance.random() < 0.5
    performed = chance.sample([EXCHANGE, chance.choice(known)] if both else known, 2)
    spare = [colour for colour in colours[2:] if colour not in [one.colour for one in performed]]

    def pair(place: int, colours: list[str]) -> Scene:
        groups = (Things(kinds[place], colours[0]), Things(kinds[place + 1], colours[1]))
        return Scene(groups, relation, light=chance.choice(pool.lights))

    given = pair(0, colours)
    examples = list(zip(chance.sample(SIGNS, 2), performed, (pair(2, spare), pair(4, spare[2:])), strict=True))
    listed = list(zip((("a", "b"), ("c", "d")), chance.sample(examples, 2), strict=True))
    first, second = performed
    wanted = apply_operations(given, first, second) if both else apply_operations(given, first)
    unlike = [one for one in known if one[1:] not in [shown[1:] for shown in performed]]
    changes = [*(one for one in performed if one != EXCHANGE), chance.choice(unlike)]
    readings = confusable_scenes(apply_operations(given, EXCHANGE) if both else given, changes)
    then = f" and then operation {examples[1][0]} to what comes of it" if both else ""
    return Case(
        context=" ".join(
            f"Operation {sign} turns <image:{before}> into <image:{after}>." for (before, after), (sign, *_) in listed
        ),
        prompt=f"Apply operation {examples[0][0]} to <image:e>{then}.",
        pictures=(
            *(
                picture
                for (before, after), (_, one, scene) in listed
                for picture in ((before, scene), (after, apply_operations(scene, one)))
            ),
            ("e", given),
        ),
        right_scene=wanted,
        wrong_scenes=tuple(scene for scene in readings if scene != wanted),
        text_rule=" ".join(f"Operation {sign} {describe_operation(one, relation)}." for _, (sign, one, _) in listed),
        picture_rule=" ".join(
            f"From <image:{before}> to <image:{after}> operation {sign} {describe_operation(one, relation)}."
            for (before, after), (sign, one, _) in listed
        ),
        unchanged=(("kinds", "e"),),
    )


def visual_metaphor(chance: random.Random, pool: Pool) -> Case:
    """A look that a word stands for.

    The context shows the same thing in two lights, in two moods or under two wonders, which are said to look this way
    and that.
    """
    subject, asked = pool.things_for(chance, 2)
    asked = asked._replace(number=chance.randint(1, pool.most))
    given, plain = (
        Scene((one,), light=chance.choice(pool.lights), mood=chance.choice(pool.moods)) for one in (asked, subject)
    )
    values = {"light": pool.lights, "mood": pool.moods, "wonder": pool.wonders}
    known = [(part, value) for part in values for value in values[part] if value != getattr(given, part)]
    part, value = chance.choice(known)
    others = [one for name, one in known if name == part and one != value]
    other = chance.choice(others)
    others.remove(other)
    words = chance.sample(WORDS, 2)
    looks = list(zip(words, (value, other), strict=True))
    chance.shuffle(looks)
    return Case(
        context=" ".join(
            f"The {subject.kind} in <image:{name}> looks {word}." for name, (word, _) in zip("ab", looks, strict=True)
        ),
        prompt=f"Make the {noun_of(asked, pool)} in <image:c> look {words[0]} as that word is meant here.",
        pictures=(
            *((name, _with_look(plain, part, one)) for name, (_, one) in zip("ab", looks, strict=True)),
            ("c", given),
        ),
        right_scene=_with_look(given, part, value),
        wrong_scenes=tuple(_with_look(given, part, one) for one in (other, *chance.sample(others, 2))),
        text_rule=" ".join(f"What is {LOOKS[part].format(one)} looks {word}." for word, one in looks),
        picture_rule=" ".join(
            f"<image:{name}> shows the {subject.kind} {LOOKS[part].format(one)}, and that is how it looks {word}."
            for name, (word, one) in zip("ab", looks, strict=True)
        ),
        unchanged=(("things", "c"),),
    )


def layout(chance: random.Random, pool: Pool) -> Case:
    """Things in one of three layouts that have names.

    Three pictures show how two sorts of things stand.
    """
    sorts = chance.sample(SORTS, 2)
    *relations, last = chance.sample(list(RELATIONS), 4)

    def pair(relation: str, most: int) -> Scene:
        colours = chance.sample(pool.colours, 2)
        return Scene(
            tuple(
                Things(chance.choice(list(pool.things[sort])), colour, chance.randint(1, most))
                for sort, colour in zip(sorts, colours, strict=True)
            ),
            relation,
        )

    given = pair(last, 3)
    signs = chance.sample(SIGNS, 3)
    asked = chance.randrange(3)
    stand = [
        f"The {sorts[0]} and the {sorts[1]} in <image:a> stand",
        "In <image:b> they stand",
        "In <image:c> they stand",
    ]
    places = [f"the {sorts[0]} stands {RELATIONS[relation]} the {sorts[1]}" for relation in relations]
    return Case(
        context=" ".join(f"{where} in layout {sign}." for where, sign in zip(stand, signs, strict=True)),
        prompt=f"Bring the things in <image:d> into layout {signs[asked]}.",
        pictures=(*((name, pair(relation, 1)) for name, relation in zip("abc", relations, strict=True)), ("d", given)),
        right_scene=given._replace(relation=relations[asked]),
        wrong_scenes=tuple(given._replace(relation=one) for one in RELATIONS if one != relations[asked]),
        text_rule=" ".join(f"In layout {sign} {place}." for sign, place in zip(signs, places, strict=True)),
        picture_rule=f"In <image:{'abc'[asked]}>, which is layout {signs[asked]}, {places[asked]}.",
        unchanged=(("things", "d"),),
    )


def visual_feature(chance: random.Random, pool: Pool) -> Case:
    """The colour of one picture and a feature of another.

    Features have signs, which the context binds to pictures.
    """
    things = pool.things_for(chance, 3)
    numbers = chance.sample(range(1, pool.most + 1), 3)
    styles, lights = chance.sample(pool.styles, 3), chance.sample(pool.lights, 3)
    scenes = [
        Scene((one._replace(number=number),), style=style, light=light)
        for one, number, style, light in zip(things, numbers, styles, lights, strict=True)
    ]
    *shown, given = scenes
    parts = chance.sample(("colour", chance.choice([part for part in FEATURES if part != "colour"])), 2)
    signs = chance.sample(SIGNS, 2)
    features = list(zip("ab", signs, parts, shown, strict=True))
    wanted = with_features(given, dict(zip(parts, shown, strict=True)))
    first, then = chance.sample(signs, 2)
    mistaken = chance.choice([part for part in FEATURES if part not in ("colour", *parts)])
    readings = [
        with_features(given, {"colour": one, part: other})
        for one, other in (shown, shown[::-1])
        for part in (*parts, mistaken)
        if part != "colour"
    ]
    return Case(
        context=" ".join(f"Feature {sign} is {FEATURES[part]} <image:{name}>." for name, sign, part, _ in features),
        prompt=f"Repaint the things in <image:c> with feature {first} and feature {then}.",
        pictures=(("a", shown[0]), ("b", shown[1]), ("c", given)),
        right_scene=wanted,
        wrong_scenes=tuple(scene for scene in readings if scene != wanted),
        text_rule=" ".join(f"Feature {sign} is {_feature(one, part)}." for _, sign, part, one in features),
        picture_rule=" ".join(
            f"In <image:{name}> feature {sign} is {_feature(one, part)}." for name, sign, part, one in features
        ),
        unchanged=(("kinds", "c"),),
    )


def instance_binding(chance: random.Random, pool: Pool) -> Case:
    """One of three animals that have names, in a fourth picture."""
    names = chance.sample(NAMES, 3)
    bearers = [Things(kind, chance.choice(pool.colours)) for kind in chance.sample(CHARACTERS, 3)]
    host = next(one for one in pool.things_for(chance, 2) if one.kind not in pool.things["animal"])
    host = host._replace(number=chance.randint(1, 3))
    given = Scene((host,), style=chance.choice(pool.styles), light=chance.choice(pool.lights))
    relation = chance.choice(list(RELATIONS))
    asked = chance.randrange(3)
    known = [describe_things(one, pool) for one in bearers]
    stranger = chance.choice([kind for kind in CHARACTERS if kind not in [one.kind for one in bearers]])

    def joined(bearer: Things) -> Scene:
        return given._replace(groups=(bearer, host), relation=relation)

    return Case(
        context=" ".join(
            f"The animal in <image:{picture}> is called {name}." for picture, name in zip("abc", names, strict=True)
        ),
        prompt=f"Let {names[asked]} stand {RELATIONS[relation]} the {noun_of(host, pool)} in <image:d>.",
        pictures=(*((name, Scene((one,))) for name, one in zip("abc", bearers, strict=True)), ("d", given)),
        right_scene=joined(bearers[asked]),
        wrong_scenes=(
            *(joined(one) for one in bearers if one != bearers[asked]),
            joined(Things(stranger, chance.choice(pool.colours))),
        ),
        text_rule=" ".join(f"{name} is {one}." for name, one in zip(names, known, strict=True)),
        picture_rule=f"<image:{'abc'[asked]}> shows {names[asked]}, {known[asked]}.",
        unchanged=(("style", "d"),),
    )


def _with_look(scene: Scene, part: str, value: str) -> Scene:
    looks: dict[str, Any] = {part: value}
    return scene._replace(**looks)


def with_features(scene: Scene, taken: Mapping[str, Scene]) -> Scene:
    """Return a scene of one group with features, each taken from another such scene."""
    for part, of in taken.items():
        if part in Things._fields:
            scene = scene._replace(groups=(scene.groups[0]._replace(**{part: getattr(of.groups[0], part)}),))
        else:
            scene = scene._replace(**{part: getattr(of, part)})
    return scene


def _feature(scene: Scene, part: str) -> str:
    things = scene.groups[0]
    return {
        "colour": f"the colour {things.colour}",
        "number": f"the number {NUMBERS[things.number]}",
        "style": f"the style of a {scene.style}",
        "light": f"the light at {scene.light}",
    }[part]


RULES = {rule.__name__: rule for rule in (operation, visual_metaphor, layout, visual_feature, instance_binding)}
