"""Priors that conflict: another world's growth, gravity, animals, time and weather (section 2.2; figure 12).

Only texts say which of three pictures counts. Knowledge of this world does not help.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from stages.genius.construction.cases import NUMBERS, RELATIONS, Case, Pool, Scene, Things, article, describe_things

T = TypeVar("T")
NAMES = "abc"
"""The pictures of a context. The one that an instruction is about is `d`."""
AGES = ("youth", "middle age", "old age")
GROWTH = (
    "In this world, living things grow by rules of their own.",
    "On this planet, living things change their colour with the years.",
    "Far away from here, age is seen by colour.",
)
HOUSE = "house"
"""What things fall from."""
CAUSES = ("their colour", "their number", "the time of day")
GRAVITY = (
    "Things have been let go in <image:a>, in <image:b> and in <image:c>.",
    "It can be seen in <image:a>, in <image:b> and in <image:c>.",
)
BEHAVIOUR = (
    "In this world, animals behave as nowhere else.",
    "Animals of this world keep to places of their own.",
    "On this planet, what an animal does is seen by where it is.",
)
DEEDS = ("guards", "hunts", "hides from", "follows", "greets", "teases", "leads")
TIME = (
    "In this world, time runs backwards.",
    "Here time runs backwards, and things become more or fewer with it.",
    "On this planet, time runs backwards: whatever was is still to come.",
)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
WEATHER = (
    "In this world, the sky goes by what people feel.",
    "On this planet, feelings make the weather.",
    "Nobody here needs a forecast, for the sky shows what people feel.",
)
FEELINGS = ("proud", "envious", "bored", "curious", "homesick", "angry", "ashamed", "in love")


def biological_growth(chance: random.Random, pool: Pool) -> Case:
    """The colour of an age.

    The colours of three ages are seen on one kind of living thing, and hold for another that grows as it does.
    """
    known, asked = chance.sample([*pool.things["animal"], *pool.things["plant"]], 2)
    ages, colours = chance.sample(AGES, 3), chance.sample(pool.colours, 3)
    right, number = chance.randrange(3), chance.randint(1, pool.most)
    seen = [
        f"{article(known).capitalize()} {known} in {age} is seen in <image:{name}>." for age, name in _with_names(ages)
    ]
    alike = f"{pool.plurals[asked].capitalize()} grow as {pool.plurals[known]} do"
    return Case(
        context=" ".join([chance.choice(GROWTH), *seen, f"{alike}."]),
        prompt=f"Paint {describe_things(Things(asked, None, number), pool)} of this world in {ages[right]}.",
        pictures=tuple((name, Scene((Things(known, colour),))) for colour, name in _with_names(colours)),
        right_scene=Scene((Things(asked, colours[right], number),)),
        wrong_scenes=tuple(
            Scene((Things(asked, colour, number),))
            for colour in (*colours, _draw_another(chance, pool.colours, colours))
            if colour != colours[right]
        ),
        text_rule=f"In {ages[right]} {pool.plurals[known]} are {colours[right]}. {alike}.",
        picture_rule=f"<image:{NAMES[right]}> shows {article(known)} {known} in {ages[right]}. {alike}, and have this "
        "colour then.",
    )


def gravity(chance: random.Random, pool: Pool) -> Case | None:
    """Where things fall, by colour, number or time of day.

    The things that are asked about have the colour of those in one picture, the number of those in another, the time
    of day of a third.
    """
    asked, *kinds = (things.kind for things in pool.things_for(chance, 4))
    if HOUSE in (asked, *kinds):
        return None
    colour, *colours, wall = chance.sample(pool.colours, 4)
    number, *numbers = chance.sample(range(1, pool.most + 1), 3)
    light, *lights = chance.sample(pool.lights, 3)
    alike = [(colour, numbers[0], lights[0]), (colours[0], number, lights[1]), (colours[1], numbers[1], light)]
    ways, order, right = chance.sample(pool.ways, 3), chance.sample(range(3), 3), chance.randrange(3)
    house = Things(HOUSE, wall)

    def let_go(cause: int) -> Scene:
        said, count, when = alike[cause]
        return Scene((Things(kinds[cause], said, count), house), ways[cause], light=when)

    things = Things(asked, colour, number)
    fallen = Scene((things, Things(HOUSE)), ways[right], light=light)
    return Case(
        context=f"On this planet, which way things fall from a house depends on {CAUSES[right]} alone. "
        f"{chance.choice(GRAVITY)}",
        prompt="Paint the things of <image:d> as they fall from a house on this planet at that time of day.",
        pictures=(*((name, let_go(cause)) for cause, name in _with_names(order)), ("d", Scene((things,), light=light))),
        right_scene=fallen,
        wrong_scenes=tuple(fallen._replace(relation=way) for way in pool.ways if way != ways[right]),
        text_rule=f"Which way things fall depends on {CAUSES[right]} alone, and these fall so that they are then "
        f"{RELATIONS[ways[right]]} the house.",
        picture_rule=f"Which way things fall depends on {CAUSES[right]} alone: the things of <image:d> fall as those "
        f"of <image:{NAMES[order.index(right)]}> do.",
        unchanged=(("things", "d"),),
    )


def animal_behaviour(chance: random.Random, pool: Pool) -> Case:
    """Where an animal is, by what it does to others.

    Animals hunt others, say, or follow them; the place is seen from those others.
    """
    deeds, ways, right = chance.sample(DEEDS, 3), chance.sample(pool.ways, 3), chance.randrange(3)
    animals = iter(chance.sample(list(pool.things["animal"]), 8))

    def two() -> tuple[Things, Things]:
        first, second = chance.sample(pool.colours, 2)
        return Things(next(animals), first), Things(next(animals), second, chance.randint(2, pool.most))

    asked = Scene(two(), ways[right])
    one, many = (describe_things(things, pool) for things in asked.groups)
    seen = [f"One animal {deed} others as in <image:{name}>." for deed, name in _with_names(deeds)]
    return Case(
        context=" ".join([chance.choice(BEHAVIOUR), *seen]),
        prompt=f"Paint {one} that {deeds[right]} {many}, as animals do in this world.",
        pictures=tuple((name, Scene(two(), way)) for way, name in _with_names(ways)),
        right_scene=asked,
        wrong_scenes=tuple(asked._replace(relation=way) for way in pool.ways if way != ways[right]),
        text_rule=f"An animal that {deeds[right]} others is {RELATIONS[ways[right]]} them.",
        picture_rule=f"<image:{NAMES[right]}> shows one animal that {deeds[right]} others: it is "
        f"{RELATIONS[ways[right]]} them.",
    )


def time_reversal(chance: random.Random, pool: Pool) -> Case:
    """How many things there are when time runs backwards.

    The day before comes after.
    """
    known, asked = pool.things_for(chance, 2)
    days = DAYS[(first := chance.randrange(len(DAYS) - 2)) : first + 3]
    order, turn = chance.sample(range(3), 3), chance.choice(("after", "before"))
    day = {"after": 0, "before": 2}[turn]
    now, *numbers = chance.sample(range(1, pool.most + 1), 4)
    many = pool.plurals[known.kind]
    seen = [f"The {many} of {days[at]} are seen in <image:{name}>." for at, name in _with_names(order)]
    backwards = f"Time runs backwards, so that the day {turn} {days[1]} is {days[day]}"
    return Case(
        context=" ".join([chance.choice(TIME), *seen]),
        prompt=f"Paint as many of the things in <image:d> as there are {many} on the day {turn} {days[1]} in this "
        "world.",
        pictures=(
            *((name, Scene((known._replace(number=numbers[at]),))) for at, name in _with_names(order)),
            ("d", Scene((asked._replace(number=now),))),
        ),
        right_scene=Scene((asked._replace(number=numbers[day]),)),
        wrong_scenes=tuple(
            Scene((asked._replace(number=number),))
            for number in (*numbers, _draw_another(chance, range(1, pool.most + 1), [now, *numbers]))
            if number != numbers[day]
        ),
        text_rule=f"{backwards}. The number of {many} is {NUMBERS[numbers[day]]} then.",
        picture_rule=f"{backwards}. The {many} of that day are seen in <image:{NAMES[order.index(day)]}>.",
        unchanged=(("colours", "d"),),
    )


def weather(chance: random.Random, pool: Pool) -> Case:
    """The sky by what people feel.

    Light and wonder of a sky come with a feeling; what a given picture shows comes under such a sky.
    """
    first, second, *below = pool.things_for(chance, 5)
    asked = Scene((first, second._replace(number=chance.randint(1, pool.most))), chance.choice(pool.ways))
    feelings, right = chance.sample(FEELINGS, 3), chance.randrange(3)
    lights, wonders = chance.sample(pool.lights, 3), chance.sample(pool.wonders, 3)
    seen = [f"When people are {feeling}, the sky is as in <image:{name}>." for feeling, name in _with_names(feelings)]
    skies = [asked._replace(light=light, wonder=wonder) for light, wonder in zip(lights, wonders, strict=True)]
    return Case(
        context=" ".join([chance.choice(WEATHER), *seen]),
        prompt=f"Paint what <image:d> shows under the sky of a day on which people are {feelings[right]}.",
        pictures=(
            *(
                (name, Scene((things,), light=light, wonder=wonder))
                for name, things, light, wonder in zip(NAMES, below, lights, wonders, strict=True)
            ),
            ("d", asked),
        ),
        right_scene=skies[right],
        wrong_scenes=(
            *(sky for sky in skies if sky != skies[right]),
            asked._replace(
                light=_draw_another(chance, pool.lights, lights), wonder=_draw_another(chance, pool.wonders, wonders)
            ),
        ),
        text_rule=f"When people are {feelings[right]}, the light is that of {lights[right]}, under {wonders[right]}.",
        picture_rule=f"<image:{NAMES[right]}> shows the sky of a day on which people are {feelings[right]}.",
        unchanged=(("things", "d"), ("places", "d")),
    )


def _with_names(values: Iterable[T]) -> Iterator[tuple[T, str]]:
    return zip(values, NAMES, strict=True)


def _draw_another(chance: random.Random, known: Iterable[T], shown: Sequence[T]) -> T:
    return chance.choice([one for one in known if one not in shown])


RULES = {rule.__name__: rule for rule in (biological_growth, gravity, animal_behaviour, time_reversal, weather)}
