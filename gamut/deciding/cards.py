"""What is put to a person: a question with texts and pictures, and what may be said to it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from gamut.asking.progress import duration
from gamut.asking.requests import Part, Picture
from gamut.evaluation.labelling.shown import ANSWER, ShownPart
from gamut.project.decisions import Decision
from gamut.tables.columns import Row, place
from gamut.tables.reading import shard_rows

ACCEPT, REJECT, REWRITE = "accept", "reject", "rewrite"
TAKEN_KEYS = "mopuwz"
"""Keys that mean something on every card: remark, next open, pause, undo, rewrite, pictures large."""
LAST_KEY = "x"
"""What stands for 10, the one number of usual scales that has no key."""
Place = tuple[str, int]
"""The id of a card, and the round in which it is put."""


class Choice(NamedTuple):
    """One thing that may be said: as it stands in the log, in words, and the key that says it ("" for none)."""

    value: str
    words: str
    key: str


REWRITING = Choice(REWRITE, REWRITE, "w")
"""What may be said too where there are texts to be rewritten."""


@dataclass(frozen=True)
class Card:
    """One thing about which a person decides: `shown`, in a frame of this name, with what was `given` beside it.
    `about`: a digest of what is shown.

    Where there are no `choices`, what is said is typed: `wanted` tells what that may be. `check`: ValueError for what
    cannot be said. `texts`: by name those that may be rewritten, and `objections` to new ones. `given_is_judged`:
    nothing counts before what is given was in view as well.
    """

    id: str
    about: str
    question: str
    shown: Sequence[ShownPart]
    choices: Sequence[Choice] = ()
    wanted: str = ""
    check: Callable[[str], object] = str  # takes whatever is said
    texts: Mapping[str, str] = field(default_factory=dict)
    objections: Callable[[Mapping[str, str]], Iterable[str]] = lambda texts: ()
    given: Sequence[ShownPart] = ()
    frame: str = ANSWER
    given_is_judged: bool = False

    @property
    def pictures(self) -> list[Picture]:
        """Return its pictures in order: they are named by their number alone, for a digest or a path would tell."""
        return [one.part for one in (*self.given, *self.shown) if isinstance(one.part, Picture)]

    @property
    def wording(self) -> tuple[str, str, str]:
        """Return what is asked, what this means, and what may be said, where a last line says it."""
        asked, _, rest = self.question.partition("\n")
        guide, _, replies = rest.strip().rpartition("\n\n")
        return (asked, guide, replies) if guide and len(replies) <= 120 else (asked, rest.strip(), "")


def headed(parts: Iterable[ShownPart]) -> list[tuple[str, list[Part]]]:
    """Return parts under their headings, those in a row that share one together."""
    return [(name, [one.part for one in of_name]) for name, of_name in groupby(parts, key=lambda one: one.name)]


@dataclass(frozen=True)
class Task:
    """All that is put to one person: `name` is that of the log; `cards` reads some by their ids, in any order;
    `abouts` their digests alone, where that takes no look at pictures; `afterwards`: what to do when all is decided;
    `fewer`: how to be asked less.
    """

    name: str
    title: str
    places: Sequence[Place]
    cards: Callable[[Collection[str]], Iterator[Card]]
    afterwards: Sequence[str] = ()
    abouts: Callable[[Collection[str]], Iterator[tuple[str, str]]] | None = None
    fewer: str = "Stop when you like: what is decided counts"

    def digests(self, ids: Collection[str]) -> dict[str, str]:
        """Return what stands for some cards as they are now, by their ids; without those that are not there."""
        return dict(self.abouts(ids)) if self.abouts else {card.id: card.about for card in self.cards(ids)}


def expectation(task: Task, left: int) -> str:
    """Return how long questions may take, and how to be asked less."""
    return f"about {duration(left * SECONDS)} if each takes {SECONDS} s. {task.fewer}."


SECONDS = 10
"""How long a question is taken to last before a person's pace is known."""


def rows_by_ids(folder: Path, ids: Collection[str], columns: Sequence[str] | None = None) -> Iterator[Row]:
    """Yield those rows of a table that cards are about, shard by shard."""
    for shard, of_shard in groupby(sorted(ids, key=place), lambda row_id: place(row_id)[0]):
        yield from shard_rows(folder, shard, columns, set(of_shard))


def choices_of(values: Sequence[str], words: Mapping[str, str] | None = None) -> list[Choice]:
    """Give choices their keys: a number has its digit and no other, words the first letter where that tells them apart,
    else, where no number is among them, their number from 1.
    """
    words = words or {}
    numbers = {value: digit_of(value) for value in values if value.lstrip("-").isdecimal()}
    letters = [value[:1].lower() for value in values if value not in numbers]
    taken = [*TAKEN_KEYS, *numbers.values()]
    if len({*letters} - {*taken}) < len(letters) or not "".join(letters).isalnum():
        letters = ["" if numbers or number > 9 else str(number) for number, _ in enumerate(letters, start=1)]
    others = iter(letters)
    return [Choice(one, words.get(one, one), numbers[one] if one in numbers else next(others)) for one in values]


def digit_of(number: str) -> str:
    """Return the key that says a whole number, "" where no single key does."""
    return LAST_KEY if number == "10" else number if len(number) == 1 else ""


def mistakes_in(card: Card, decision: Decision) -> list[str]:
    if not decision.decision:
        return []
    if decision.decision == REWRITE and card.texts:
        return list(mistakes_in_rewrite(card, decision.texts))
    if decision.texts:
        return ["new texts belong to a rewrite, where there are texts to be rewritten"]
    if card.choices and decision.decision not in [choice.value for choice in card.choices]:
        return [f"{decision.decision!r}: {' or '.join(choice.value for choice in card.choices)} is expected"]
    try:
        card.check(decision.decision)
    except ValueError as mistake:
        return [str(mistake)]
    return []


def mistakes_in_rewrite(card: Card, texts: Mapping[str, str]) -> Iterator[str]:
    if unknown := [name for name in texts if name not in card.texts]:
        yield f"there is no text {unknown[0]!r} to be rewritten"
    elif not texts:
        yield "nothing is rewritten: change a text, or accept"
    elif empty := [name for name, text in texts.items() if not text.strip()]:
        yield f"{empty[0]} is empty: write it, or reject"
    else:
        yield from card.objections(texts)


REPEATED = 10
"""One of so many cards is put a second time."""
APART = 100
"""So many other cards lie between, or half of all where they are fewer: nobody remembers that many."""


def shuffle(names: Iterable[str], seed: str) -> list[str]:
    """Return names in an order that tells nothing of them, the same for the same seed."""
    return sorted(names, key=lambda name: (lot(name, seed, "order"), name))


def add_repeats(ids: Sequence[str], seed: str) -> list[Place]:
    """Put every tenth card by lot again as round 1, far from its first. Second ones lie all along the way but in its
    beginning: who stops early has said some things twice.
    """
    apart = min(len(ids) // 2, APART)
    drawn = set(sorted(ids[: len(ids) - apart], key=lambda one: lot(one, seed, "again"))[: len(ids) // REPEATED])
    places: list[Place] = []
    for number, one in enumerate(ids):
        places.append((one, 0))
        if number >= apart and (earlier := ids[number - apart]) in drawn:
            places.append((earlier, 1))
    return places


def lot(name: str, seed: str, use: str) -> bytes:
    return hashlib.sha256(f"{seed}:{use}:{name}".encode()).digest()
