"""Phrases that mean two things, as the embedded world knows them."""

from __future__ import annotations

from .vocabulary import plural_of

_THINGS = """
axe: axe, guitar
chopper: axe, helicopter
dandy horse: horse, bicycle
flying fortress: castle, airplane
golden cadillac: car, cocktail
hog: pig, motorcycle
horse's neck: horse, cocktail
iron bird: bird, airplane
iron horse: horse, train
jungle bird: bird, cocktail
land yacht: sailboat, car
paper plane: airplane, cocktail
red snapper: fish, cocktail
screwdriver: screwdriver, cocktail
sidecar: motorcycle, cocktail
steel horse: horse, motorcycle
whirlybird: bird, helicopter
"""
_SAYINGS = """
cash cow: cow
cold fish: fish
copycat: cat
dark horse: horse
early bird: bird
lame duck: duck
loan shark: shark
lucky duck: duck
nest egg: egg
night owl: owl
snake in the grass: snake
social butterfly: butterfly
top dog: dog
white elephant: elephant
bury the hatchet: axe
feed the kitty: cat
hang up your hat: hat
hold your horses: horse
horse around: horse
kill time: clock
let the cat out of the bag: cat
paint the town red: house
rain cats and dogs: cat
ride the pine: pine tree
see the light: lighthouse
shoot for the moon: rocket
turn turtle: turtle
walk on eggshells: egg
down in the dumps: trash bin
fit as a fiddle: violin
green with envy: cat
head over heels: sneaker
in hot water: kettle
in the doghouse: dog
on the ball: soccer ball
over the moon: cow
quiet as a mouse: mouse
slow as a snail: snail
tickled pink: rabbit
under the weather: umbrella
up in the air: hot air balloon
"""


def _table(text: str) -> dict[str, tuple[str, ...]]:
    rows = (line.partition(": ") for line in text.strip().splitlines())
    return {phrase: tuple(kinds.split(", ")) for phrase, _, kinds in rows}


NAMES = _table(_THINGS)
"""Names of things → the kind that is meant literally, and the one that is meant figuratively."""
LITERALLY = {phrase: kinds[0] for phrase, kinds in _table(_SAYINGS).items()}
"""Sayings → what is only there where one is meant literally."""


def named_by(words: str) -> tuple[str, str] | None:
    """Return which kinds a name, in the singular or plural, may mean: literally, figuratively; None: no such name."""
    return next(((kinds[0], kinds[1]) for name, kinds in NAMES.items() if words in (name, plural_of(name))), None)
