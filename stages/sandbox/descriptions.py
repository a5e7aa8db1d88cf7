"""Descriptions of things that name neither them nor their colour: written, and understood again."""

from __future__ import annotations

import random
import re
from functools import cache

from . import vocabulary as v
from .answering import Unsupported
from .naming import any_of, named, plain

# Kind: what it is described as, without its article. No word of its names stands in it, nor does another description.
_KINDS = """
bat: flying mammal that hangs upside down in caves by day and hunts by echoes at night
bird: feathered animal that builds a nest and lays eggs
butterfly: insect with four colourful wings that was a caterpillar when it was young
cat: pet that purrs, chases mice and lands on its feet
cow: farm animal that gives milk and chews the cud
dinosaur: giant reptile that died out sixty-six million years ago
dog: pet that barks, wags its tail and fetches sticks
dolphin: clever mammal of the sea that leaps and whistles
duck: water bird with a flat bill that quacks
elephant: largest animal on land, with a trunk and tusks
fish: animal with gills and scales that never leaves the water
horse: animal with a mane that is ridden with a saddle
kangaroo: animal that hops through Australia with its young in a pouch
mouse: tiny rodent that squeaks and is fond of cheese
owl: bird of the night that turns its head almost all the way round and hoots
panda: animal that eats bamboo and has dark patches round its eyes
penguin: bird in a dinner jacket that swims in icy seas and cannot fly
pig: farm animal with a curly tail that grunts and wallows in mud
rabbit: animal with long ears and a short tail that lives in burrows and nibbles carrots
shark: hunter of the seas with a fin on its back and many rows of teeth
snail: slow animal that carries its spiral shell on its back
snake: reptile without legs that sheds its skin and hisses
turkey: bird that gobbles and is roasted at Thanksgiving
turtle: reptile that can draw its head and legs into its armour
cactus: plant of the desert that stores water and has spines for leaves
flower: blossom with petals that bees visit for nectar
mushroom: fungus with a stem and a cap that comes up in autumn woods
palm tree: plant of the tropics with a tall bare trunk, fronds on top and coconuts
pine tree: conifer of the mountains with needles and cones
tree: tall plant with a trunk, branches and leaves
tulip: bulb plant that Holland is famous for
airplane: vehicle with wings and jet engines that takes off from runways
bicycle: vehicle with two wheels that is moved by pedals
car: vehicle with four wheels and an engine that families drive on roads
helicopter: vehicle that is lifted by a rotor and hovers
hot air balloon: basket that floats through the sky beneath a great bag which a flame heats
motorcycle: vehicle with two wheels and an engine whose rider wears a helmet
rocket: vehicle that carries astronauts into space
sailboat: vessel with a mast that the wind drives over the water
skateboard: plank on four small rollers that is ridden standing and makes jumps in parks
train: row of carriages that a locomotive pulls along rails
truck: large vehicle for the road that carries heavy freight
castle: fortress with towers and battlements where knights lived
house: building with a roof that a family lives in
lighthouse: tower on the coast whose lamp warns ships at night
volcano: mountain that spits lava and ash
apple: fruit that fell on Newton and that keeps the doctor away
carrot: crunchy root vegetable that grows underground and is said to be good for the eyes
cocktail: mixed drink in a stemmed glass that a bartender shakes
coffee mug: vessel with a handle for a hot drink at breakfast
egg: oval thing with a shell that hens lay
hamburger: patty in a bun with ketchup and lettuce
pineapple: tropical fruit with a rough skin and a tuft on top
slice of pizza: wedge from a round Italian dish with melted cheese
wine bottle: glass vessel with a cork for what vintners make
anchor: heavy iron hook that keeps ships in their place
axe: tool with a wedge on a long handle that fells trees and splits logs
clock: device with two hands and twelve hours that tells the time
fire hydrant: post on the pavement that gives water when houses burn
hammer: tool that drives nails
handsaw: tool with teeth along its blade that cuts planks
key: small piece of metal that opens a lock
kettle: vessel with a spout that whistles when its water boils
ladder: two rails with rungs that are climbed to reach high places
light bulb: invention of Edison's that is screwed into a lamp
pair of scissors: tool with two crossing blades that cuts paper
screwdriver: tool with a tip that is turned in slots
trash bin: container for what is thrown away
umbrella: thing that is opened over the head when it rains
guitar: wooden instrument with six strings and frets that is plucked at campfires
piano: large instrument with eighty-eight keys and three pedals
violin: instrument with four strings that is held under the chin and played with a bow
basketball: sphere that is dribbled and thrown through a hoop
bench: long seat in a park for several people
camera: device with a lens that takes photographs
chair: piece of furniture with a back for one person to sit on
chess knight: figure on a board of sixty-four squares that jumps in the shape of an L
chess queen: mightiest figure on a board of sixty-four squares
crown: golden ring with points that kings wear on their heads
flag: cloth on a pole that stands for a country
ghost: spirit in a white sheet that haunts old houses
gift: parcel with a bow that is handed over on a birthday
hat: piece of clothing with a brim that is worn on the head
pair of headphones: device for listening to music that is worn over both ears
robot: machine in the shape of a person that does work by itself
sneaker: thing with laces and a rubber sole that runners wear on their feet
soccer ball: sphere that eleven players kick into a net
sofa: upholstered piece of furniture on which several people sit in front of the television
sword: long blade with a hilt that knights fight with
T-shirt: piece of clothing with short sleeves that is pulled over the head
teddy bear: stuffed toy that children take to bed
television: device with a screen that shows the news in living rooms
toy brick: small plastic piece with studs on top that snaps onto others of its sort
treasure chest: box full of gold that pirates bury
circle: round shape all of whose points are equally far from its centre
cube: solid with six equal faces, like a die
heart: symbol of love on valentines
square: shape with four equal sides and four right angles
star: shape with five points like that of a sheriff's badge
triangle: shape with three sides
"""
_COLOURS = """
red: ripe tomatoes
orange: ripe pumpkins
yellow: lemons
green: fresh grass
blue: a cloudless sky
purple: lavender
pink: flamingos
black: coal
"""


def _table(lines: str) -> dict[str, str]:
    pairs = (line.partition(": ") for line in lines.strip().splitlines())
    return {name: words for name, _, words in pairs}


KINDS = _table(_KINDS)
COLOURS = _table(_COLOURS)
"""What things of a colour are compared with."""


def describe(name: str) -> str:
    """Return the description of what a name such as "a red car" says, as one sentence. Unsupported for another text."""
    thing = named(plain(name))
    if thing is None or thing.number not in (None, 1):
        raise Unsupported(f"the embedded world knows no one thing that is called {name[:120]!r}")
    words = KINDS[thing.kind]
    colour = f", in the colour of {COLOURS[thing.colour]}" if thing.colour else ""
    return f"{article(words).capitalize()} {words}{colour}."


def kinds_described(text: str) -> tuple[str, str | None] | None:
    """Return the kind that a text describes and its colour, None where that is left open; None where the text describes
    nothing, or several things.
    """
    found = {_meant(match) for match in _pattern().finditer(text)}
    return found.pop() if len(found) == 1 else None


def named_plainly(text: str, rate: float = 0.0, rng: random.Random | None = None) -> str:
    """Return a text with names in the place of descriptions, each taken at a rate of 0..1 for another of its group.

    For that `rng` is needed; a text without descriptions draws nothing from it, and stays as it is.
    """

    def name(match: re.Match[str]) -> str:
        kind, colour = _meant(match)
        if rng is not None and rng.random() < rate:
            kind = rng.choice([one for one in v.KINDS if one != kind and v.KINDS[one].group == v.KINDS[kind].group])
        words = f"{colour} {kind}" if colour else kind
        words = f"{article(words)} {words}"
        return words.capitalize() if match[0][0].isupper() else words

    return _pattern().sub(name, text)


def article(words: str) -> str:
    """Return the article of a singular that begins so."""
    return "an" if words[0].lower() in "aeiou" else "a"


def _meant(match: re.Match[str]) -> tuple[str, str | None]:
    kinds, colours = ({words.lower(): name for name, words in table.items()} for table in (KINDS, COLOURS))
    return kinds[match["kind"].lower()], colours[match["colour"].lower()] if match["colour"] else None


@cache
def _pattern() -> re.Pattern[str]:
    """Return what a description looks like in a text."""
    kind, colour = any_of(KINDS.values()), any_of(COLOURS.values())
    return re.compile(
        rf"\b(?:an?|the) (?P<kind>{kind})(?:,? in the colour of (?P<colour>{colour}))?(?!\w)", re.IGNORECASE
    )
