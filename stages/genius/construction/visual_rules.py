"""Visual constraints: pictures stand for numbers, directly or under a condition (section 2.2; figure 12)."""

from __future__ import annotations

import random
from collections.abc import Mapping

from stages.genius.construction.cases import NUMBERS, Case, Pool, Scene, Things, describe_things

WORTHS = (1, 2, 3, 4, 5)
CONDITIONS: Mapping[str, str] = {"light": "lights", "mood": "moods", "style": "styles"}
"""Features of a picture that may be a condition, and their key in the pool."""
CONSISTENCY: Mapping[str, str] = {"light": "light and mood", "mood": "light and mood", "style": "style"}
"""What stays in a picture if a condition continues to hold."""


def simple_constraint(chance: random.Random, pool: Pool) -> Case:
    """As many things as another thing is worth.

    Three things are worth numbers; the one that is asked about stands elsewhere than in the context.
    """
    *things, counted = pool.things_for(chance, 4)
    worths = chance.sample(WORTHS, 3)
    styles, lights = chance.sample(pool.styles, 4), chance.sample(pool.lights, 4)
    asked = chance.randrange(3)
    shown = [*things, things[asked]]
    places = zip("abcd", shown, styles, lights, strict=True)
    unsaid = chance.choice([worth for worth in WORTHS if worth not in worths])
    named = [describe_things(one, pool) for one in things]
    return Case(
        context=" ".join(
            f"The thing in <image:{name}> is worth {NUMBERS[worth]}." for name, worth in zip("abc", worths, strict=True)
        ),
        prompt=f"Paint as many {_plural(counted, pool)} as the thing in <image:d> is worth.",
        pictures=tuple((name, Scene((one,), style=style, light=light)) for name, one, style, light in places),
        right_scene=_counted_scene(counted, worths[asked]),
        wrong_scenes=tuple(_counted_scene(counted, worth) for worth in (*worths, unsaid) if worth != worths[asked]),
        text_rule=" ".join(
            f"{one.capitalize()} is worth {NUMBERS[worth]}." for one, worth in zip(named, worths, strict=True)
        ),
        picture_rule=f"<image:d> and <image:{'abc'[asked]}> show {named[asked]}, "
        f"which is worth {NUMBERS[worths[asked]]}.",
    )


def complex_constraint(chance: random.Random, pool: Pool) -> Case:
    """As many things as another is worth in this light, mood or style.

    A picture shows one of two things under one of two such conditions, which is to go on.
    """
    condition = chance.choice(list(CONDITIONS))
    first, second, *beside, counted = pool.things_for(chance, 5)
    elsewhere, *values = chance.sample(getattr(pool, CONDITIONS[condition]), 3)
    things, likes = {"a": first, "c": second}, dict(zip("bd", values, strict=True))
    cells = [(thing, like) for like in likes for thing in things]
    worths = dict(zip(cells, chance.sample(WORTHS, 4), strict=True))
    thing, like = asked = chance.choice(cells)
    pictures = {
        "a": Scene((first,), **{condition: elsewhere}),
        "b": Scene((beside[0],), **{condition: values[0]}),
        "c": Scene((second,), **{condition: elsewhere}),
        "d": Scene((beside[1],), **{condition: values[1]}),
        "e": Scene((things[thing],), **{condition: likes[like]}),
    }
    named = {name: describe_things(one, pool) for name, one in things.items()}

    def so_many(worth: int) -> Scene:
        return _counted_scene(counted, worth)._replace(**{condition: likes[like]})

    return Case(
        context=" ".join(
            f"The thing in <image:{one}> is worth {NUMBERS[worth]} in the {condition} of <image:{other}>."
            for (one, other), worth in worths.items()
        ),
        prompt=(
            f"Paint as many {_plural(counted, pool)} as the thing in <image:e> is worth in the {condition} that it "
            f"has, and keep the {CONSISTENCY[condition]} of that picture."
        ),
        pictures=tuple(pictures.items()),
        right_scene=so_many(worths[asked]),
        wrong_scenes=tuple(so_many(worth) for worth in worths.values() if worth != worths[asked]),
        text_rule=" ".join(
            f"Where the {condition} is that of {_condition_text(condition, likes[other])}, "
            f"{named[one]} is worth {NUMBERS[worth]}."
            for (one, other), worth in worths.items()
        ),
        picture_rule=(
            f"<image:e> shows {named[thing]}, as <image:{thing}> does, in the {condition} of <image:{like}>, "
            f"where it is worth {NUMBERS[worths[asked]]}."
        ),
        unchanged=((CONSISTENCY[condition], "e"),),
    )


def _condition_text(condition: str, value: str) -> str:
    return {"light": value, "mood": f"a {value} picture", "style": f"a {value}"}[condition]


def _counted_scene(counted: Things, number: int) -> Scene:
    return Scene((counted._replace(number=number),))


def _plural(counted: Things, pool: Pool) -> str:
    return f"{counted.colour} {pool.plurals[counted.kind]}"


RULES = {"simple_constraint": simple_constraint, "complex_constraint": complex_constraint}
