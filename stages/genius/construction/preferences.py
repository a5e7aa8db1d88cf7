"""Implicit patterns: what somebody likes must be found out from pictures, and applied (section 2.2; figure 11)."""

from __future__ import annotations

import random
from itertools import product

from stages.genius.construction.cases import PEOPLE, RELATIONS, Case, Pool, Scene, Things, describe_things, noun_of

LIKINGS = (("likes", "dislikes"), ("dislikes", "likes"))
"""For two pictures, which of them is liked."""


def preferred_style(chance: random.Random, pool: Pool) -> Case:
    """A thing in the style that somebody likes.

    Another style is disliked.
    """
    first, second, asked = pool.things_for(chance, 3)
    styles = chance.sample(pool.styles, 2)
    pictures = (("a", Scene((first,), style=styles[0])), ("b", Scene((second,), style=styles[1])))
    liked = chance.randrange(2)
    verbs = ("like", "dislike") if liked == 0 else ("dislike", "like")
    others = [styles[1 - liked], *chance.sample([style for style in pool.styles if style not in styles], 2)]
    subject = describe_things(asked, pool)
    return Case(
        context=f"I {verbs[0]} the style of <image:a>. I {verbs[1]} the style of <image:b>.",
        prompt=f"Paint {subject} in the style that I like.",
        pictures=pictures,
        right_scene=Scene((asked,), style=styles[liked]),
        wrong_scenes=tuple(Scene((asked,), style=style) for style in others),
        text_rule=f"The style that I like is that of a {styles[liked]}.",
        picture_rule=f"<image:{'ab'[liked]}> is a {styles[liked]}, and that is the style that I like.",
    )


def preferred_feature(chance: random.Random, pool: Pool) -> Case:
    """A picture with the light and the mood that somebody likes in others.

    Both may be of one picture. The third picture's own are neither, so that a right light is one of four, a right mood
    one of five.
    """
    who = chance.choice(PEOPLE)
    *shown, kept = pool.things_for(chance, 3)
    kept = kept._replace(number=chance.randint(1, 3))
    lights, moods = chance.sample(pool.lights, 3), chance.sample(pool.moods, 3)
    light, mood = chance.randrange(2), chance.randrange(2)
    sentences = [
        f"{who} {LIKINGS[liked][0]} the {feature} of <image:a> and {LIKINGS[liked][1]} that of <image:b>."
        for feature, liked in (("light", light), ("mood", mood))
    ]
    chance.shuffle(sentences)
    scenes = [Scene((things,), light=lights[at], mood=moods[at]) for at, things in enumerate((*shown, kept))]
    readings = {
        both: scenes[2]._replace(light=lights[both[0]], mood=moods[both[1]]) for both in product((0, 1), (0, 1))
    }
    wanted = readings.pop((light, mood))
    return Case(
        context=" ".join(sentences),
        prompt=f"Give {_definite(kept, pool)} in <image:c> the light and the mood that {who} likes.",
        pictures=tuple(zip("abc", scenes, strict=True)),
        right_scene=wanted,
        wrong_scenes=tuple(readings.values()),
        text_rule=f"{who} likes the light of {wanted.light} and a {wanted.mood} mood.",
        picture_rule=f"<image:{'ab'[light]}> has the light that {who} likes, {wanted.light}; "
        f"<image:{'ab'[mood]}> has the mood that {who} likes, which is {wanted.mood}.",
        unchanged=(("things", "c"),),
    )


def preferred_relation(chance: random.Random, pool: Pool) -> Case:
    """A thing moved to where somebody likes it.

    Two people like it elsewhere, and it stands in neither way now, so that three places are left.
    """
    people = chance.sample(PEOPLE, 2)
    moved, *beside = pool.things_for(chance, 4)
    relations = chance.sample(list(RELATIONS), 4)
    asked = chance.randrange(2)
    pictures = [Scene((moved, beside[at]), relation) for at, relation in enumerate(relations[:3])]
    name = _definite(moved, pool)
    where = RELATIONS[relations[asked]]
    return Case(
        context=f"{people[0]} likes where {name} stands in <image:a>. {people[1]} likes where it stands in <image:b>.",
        prompt=f"Move {name} in <image:c> to where {people[asked]} likes it.",
        pictures=tuple(zip("abc", pictures, strict=True)),
        right_scene=pictures[2]._replace(relation=relations[asked]),
        wrong_scenes=tuple(pictures[2]._replace(relation=one) for one in relations if one != relations[asked]),
        text_rule=f"{people[asked]} likes {name} {where} what else there is.",
        picture_rule=f"In <image:{'ab'[asked]}> {name} stands {where} {describe_things(beside[asked], pool)}, "
        f"which is how {people[asked]} likes it.",
        unchanged=(("things", "c"),),
    )


def preferred_palette(chance: random.Random, pool: Pool) -> Case:
    """A picture in the two colours that somebody likes.

    From left to right. The picture has neither these two nor two disliked ones: two of six.
    """
    who = chance.choice(PEOPLE)
    things = pool.things_for(chance, 6)
    pictures = [Scene(tuple(things[at : at + 2]), "left") for at in (0, 2, 4)]
    liked = chance.randrange(2)
    palettes = [[thing.colour for thing in picture.groups] for picture in pictures]
    both = pictures[2].groups
    right, wrong = palettes[liked], palettes[1 - liked]
    return Case(
        context=f"{who} {LIKINGS[liked][0]} the palette of <image:a>. "
        f"{who} {LIKINGS[liked][1]} the palette of <image:b>.",
        prompt=f"Repaint the {both[0].kind} and the {both[1].kind} in <image:c> in the palette that {who} likes, "
        "colour by colour from left to right.",
        pictures=tuple(zip("abc", pictures, strict=True)),
        right_scene=_recolour(pictures[2], right),
        wrong_scenes=tuple(_recolour(pictures[2], palette) for palette in (wrong, right[::-1], wrong[::-1])),
        text_rule=f"The palette that {who} likes is {right[0]} and {right[1]}, from left to right.",
        picture_rule=f"<image:{'ab'[liked]}> is {right[0]} on the left and {right[1]} on the right, "
        f"and that is the palette that {who} likes.",
        unchanged=(("kinds", "c"), ("places", "c")),
    )


def _recolour(scene: Scene, colours: list[str | None]) -> Scene:
    recoloured = (thing._replace(colour=colour) for thing, colour in zip(scene.groups, colours, strict=True))
    return scene._replace(groups=tuple(recoloured))


def preferred_entity(chance: random.Random, pool: Pool) -> Case:
    """The liked things of two pictures in a third.

    Of each picture the left or the right thing is liked; the third shows none of their groups and colours. At best two
    kinds out of the smallest groups that are left are guessed, in either order, and both colours.
    """
    who = chance.choice(PEOPLE)
    *things, replaced = pool.things_for(chance, 5)
    pairs = (tuple(things[:2]), tuple(things[2:]))
    light, mood = chance.choice(pool.lights), chance.choice(pool.moods)
    liked = (chance.randrange(2), chance.randrange(2))
    sides = ("left", "right")
    sentences = [
        f"In <image:{name}> {who} likes the thing on the {sides[at]}, but not the one on the {sides[1 - at]}."
        for name, at in zip("ab", liked, strict=True)
    ]
    readings = {
        both: Scene((pairs[0][both[0]], pairs[1][both[1]]), light=light, mood=mood) for both in product((0, 1), (0, 1))
    }
    wanted = readings.pop(liked)
    first, second = (_definite(thing, pool) for thing in wanted.groups)
    return Case(
        context=" ".join(sentences),
        prompt=f"Replace {_definite(replaced, pool)} in <image:c> by the two things that {who} likes.",
        pictures=(
            ("a", Scene(pairs[0], "left")),
            ("b", Scene(pairs[1], "left")),
            ("c", Scene((replaced,), light=light, mood=mood)),
        ),
        right_scene=wanted,
        wrong_scenes=tuple(readings.values()),
        text_rule=f"{who} likes {first} and {second}.",
        picture_rule=f"{who} likes {first} in <image:a> and {second} in <image:b>.",
        unchanged=(("light and mood", "c"),),
    )


def _definite(thing: Things, pool: Pool) -> str:
    return f"the {thing.colour} {noun_of(thing, pool)}"


RULES = {
    rule.__name__: rule
    for rule in (preferred_style, preferred_feature, preferred_relation, preferred_palette, preferred_entity)
}
