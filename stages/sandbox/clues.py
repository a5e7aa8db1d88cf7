"""Puzzles of what is written: clues, and the lettering of the embedded world that each means."""

from __future__ import annotations

import random

from . import vocabulary as v

_CLUES = """
OPEN: What a shop's door says while customers may come in.
CLOSED: What a shop's door says at night.
WELCOME: What a doormat says to guests.
BAKERY: The shop that sells rolls and loaves.
MARKET: Where stalls sell vegetables on a square once a week.
FLOWERS: What florists sell.
BOOKS: What fills the shelves of a reading room.
MUSIC: What orchestras make.
CINEMA: The house where films are shown.
HOTEL: The house where travellers rent a room with a bellboy and a key.
HARBOR: Where ships lie safe from the sea.
STATION: Where trains stop and passengers get on.
MUSEUM: The house where old things are shown behind glass.
LIBRARY: Where novels can be borrowed for nothing.
THEATER: The house with a stage and a curtain.
KITCHEN: The room where meals are cooked.
PHARMACY: The shop that sells what doctors prescribe.
COFFEE: The dark drink of roasted beans.
BREAD: What is baked of flour and cut into slices for toast.
HONEY: The sweet thing that bees make.
FRUIT: Apples, pears and plums together.
SUMMER: The warmest season.
WINTER: The coldest season.
AUTUMN: The season when leaves fall.
HELLO: What you say when you pick up the telephone.
DREAM: What you have while you sleep.
FREEDOM: What liberated people have won.
FOREST: A land full of trees.
OCEAN: The largest water on Earth.
RIVER: What runs from its spring to the sea.
SUNSHINE: What falls through the window on a clear day.
TOMORROW: The day after today.
NO PARKING: What a road sign tells drivers who want to leave their car where they must not.
KEEP LEFT: What a road sign tells drivers in England about the side to use.
SLOW DOWN: What a road sign tells drivers who go too fast.
GOOD MORNING: What people say to each other at breakfast.
THANK YOU: What you say when you are given a present.
HAPPY HOUR: The time after work when bars sell drinks for less.
OLD TOWN: The oldest quarter of a city.
SEA VIEW: What a room by the coast offers from its window.
LAST TRAIN: The one that takes you home late in the evening before the rails are empty.
TOY STORE: A shop with dolls and building blocks.
"""


def _read_clues() -> dict[str, str]:
    pairs = (line.partition(": ") for line in _CLUES.strip().splitlines())
    return {clue: text for text, _, clue in pairs}


CLUES = _read_clues()
"""What a clue means."""


def solved(text: str, rate: float, rng: random.Random) -> str | None:
    """Return in plain words the sign that a text wants painted, one with other lettering at a rate of 0..1; None for a
    text in which not just one clue stands.
    """
    folded = text.casefold()
    found = [meant for clue, meant in CLUES.items() if clue.rstrip(".").casefold() in folded]
    if len(found) != 1:
        return None
    lettering = found[0]
    if rng.random() < rate:
        lettering = rng.choice([other for other in v.LETTERING if other != lettering])
    return f'A sign that says "{lettering}".'
