"""GENIUS as the commands see it: how its items are reviewed, come in, and what its card says."""

from __future__ import annotations

from stages.evaluation.curating.room import Room
from stages.genius.card import CARD, withheld
from stages.genius.construction.reviewed import AMONG, BESIDE, REPEATABLE, TEXTS, items_of, objections
from stages.genius.layout import FOLDER
from stages.genius.shared.benchmark import GENIUS

ROOM = Room(
    benchmark=GENIUS,
    texts=TEXTS,
    beside=BESIDE,
    among=AMONG,
    repeatable=REPEATABLE,
    objections=objections,
    items_of=items_of,
    released=FOLDER,
    withheld=withheld,
    card=CARD,
)
