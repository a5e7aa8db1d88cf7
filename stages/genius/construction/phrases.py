"""Phrases with two meanings, literal and figurative, as pictures show (section 2.2; figure 12)."""

from __future__ import annotations

import random
from functools import cache, partial
from pathlib import Path

from gamut.project.validation import Strict, read_checked
from stages.genius.construction.cases import NUMBERS, PEOPLE, Case, Pool, Scene, Things, article, describe_things

POOL = Path(__file__).with_name("pools") / "phrases.yaml"
SENSES = ("literal", "figurative")
CONTEXTS = (
    '{0} says "{phrase}" and means it as in <image:a>. {1} says it too, and means it as in <image:b>.',
    'When {0} says "{phrase}", it is meant as in <image:a>. When {1} says so, it is meant as in <image:b>.',
    'By "{phrase}" {0} means what <image:a> shows. What {1} means by it is seen in <image:b>.',
)
PROMPTS = (
    "Paint {wish} at {light}, meant literally or figuratively as {who} would mean {them}.",
    "At {light}, paint {wish}, literally or figuratively, whichever {who} would mean.",
    "Paint what {who} would mean by {wish} at {light}, be it literal or figurative.",
)


class Depiction(Strict):
    """A picture of a meaning. `things`: how many of each kind, with an optional colour."""

    things: dict[str, int]
    relation: str | None = None
    light: str | None = None
    mood: str | None = None
    wonder: str | None = None

    def scene(self, pool: Pool) -> Scene:
        groups = []
        for name, number in self.things.items():
            colour, _, kind = name.partition(" ")
            coloured = colour in pool.colours
            groups.append(Things(kind, colour, number) if coloured else Things(name, None, number))
        return Scene(tuple(groups), self.relation, light=self.light, mood=self.mood, wonder=self.wonder)


class PhrasePictures(Strict):
    """The pictures of a phrase in both senses."""

    literal: Depiction
    figurative: Depiction


class NamedThing(Strict):
    """A name of a thing, its plural, and its kind of thing in both senses."""

    many: str
    literal: str
    figurative: str


class Phrases(Strict):
    asked: dict[str, NamedThing]
    noun_phrase: dict[str, PhrasePictures]
    verb_phrase: dict[str, PhrasePictures]
    adjective_phrase: dict[str, PhrasePictures]


@cache
def read_phrases() -> Phrases:
    return read_checked(Phrases, POOL)


def draw_phrase_case(sort: str, chance: random.Random, pool: Pool) -> Case | None:
    """A name taken literally or figuratively.

    Two people say a phrase of this sort, one literally, one figuratively; the name is taken as one of them would mean
    it. None where a picture of the phrase shows what the name may mean.
    """
    words, phrase = chance.choice(list(getattr(read_phrases(), sort).items()))
    asked, named = chance.choice(list(read_phrases().asked.items()))
    kinds = {"literal": named.literal, "figurative": named.figurative}
    scenes = {"literal": phrase.literal.scene(pool), "figurative": phrase.figurative.scene(pool)}
    if {things.kind for scene in scenes.values() for things in scene.groups} & set(kinds.values()):
        return None
    people, senses = chance.sample(PEOPLE, 2), chance.sample(SENSES, 2)
    speaker = chance.randrange(2)
    who, sense, other = people[speaker], senses[speaker], senses[1 - speaker]
    number, light = chance.randint(1, 3), chance.choice(pool.lights)
    what = {sense: Things(kind, None, number) for sense, kind in kinds.items()}
    right_scene = Scene((what[sense],), light=light)
    wish = f"{article(asked)} {asked}" if number == 1 else f"{NUMBERS[number]} {named.many}"
    meant = f"speaks {sense}ly: {wish} {'is' if number == 1 else 'are'} {describe_things(what[sense], pool)}."
    return Case(
        context=chance.choice(CONTEXTS).format(*people, phrase=words),
        prompt=chance.choice(PROMPTS).format(wish=wish, light=light, who=who, them="it" if number == 1 else "them"),
        pictures=(("a", scenes[senses[0]]), ("b", scenes[senses[1]])),
        right_scene=right_scene,
        wrong_scenes=(
            right_scene._replace(groups=(what[other],)),
            right_scene._replace(groups=(what["literal"], what["figurative"])),
            scenes[chance.choice(SENSES)]._replace(light=light),
        ),
        text_rule=f"{who} {meant}",
        picture_rule=f'<image:{"ab"[speaker]}> shows "{words}" as it is meant {sense}ly, and {who} {meant}',
        absent=(kinds[other],),
    )


RULES = {sort: partial(draw_phrase_case, sort) for sort in ("noun_phrase", "verb_phrase", "adjective_phrase")}
