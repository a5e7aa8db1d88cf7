"""What a person is asked: a question with texts and pictures, and the possible decisions."""

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
"""The key for 10, the only number of usual scales without a key of its own."""
Place = tuple[str, int]
"""The id of a card, and the round in which it is shown."""


class Choice(NamedTuple):
    """One possible decision: its value in the log, its words, and its key ("" for none)."""

    value: str
    words: str
    key: str


REWRITING = Choice(REWRITE, REWRITE, "w")
"""The additional choice for cards with texts that may be rewritten."""


@dataclass(frozen=True)
class Card:
    """One thing that a person decides about: `shown` in a frame named `frame`, next to what was `given`. `about` is a
    digest of what is shown.

    Without `choices`, the decision is typed, and `wanted` says what is allowed; `check` raises ValueError for anything
    else. `texts` may be rewritten; `objections` yields what is wrong with new ones. With `given_is_judged`, no decision
    counts before the person has also seen what was given.
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
        """Return the pictures in order. Pages name them only by number: a digest or a path would reveal something."""
        return [one.part for one in (*self.given, *self.shown) if isinstance(one.part, Picture)]

    @property
    def wording(self) -> tuple[str, str, str]:
        """Return the question, its explanation, and the possible answers if the last paragraph names them."""
        asked, _, rest = self.question.partition("\n")
        guide, _, replies = rest.strip().rpartition("\n\n")
        return (asked, guide, replies) if guide and len(replies) <= 120 else (asked, rest.strip(), "")


def headed(parts: Iterable[ShownPart]) -> list[tuple[str, list[Part]]]:
    """Return parts under their headings; adjacent parts with the same heading are together."""
    return [(name, [one.part for one in of_name]) for name, of_name in groupby(parts, key=lambda one: one.name)]


@dataclass(frozen=True)
class Task:
    """All cards for one person, with the log `name`. Function `cards` reads cards by their ids, in any order; `abouts`
    reads only their digests, if that needs no pictures. At the end, `afterwards` says what to do; `fewer` says how to
    get fewer questions.
    """

    name: str
    title: str
    places: Sequence[Place]
    cards: Callable[[Collection[str]], Iterator[Card]]
    afterwards: Sequence[str] = ()
    abouts: Callable[[Collection[str]], Iterator[tuple[str, str]]] | None = None
    fewer: str = "Stop when you like: what is decided counts"

    def digests(self, ids: Collection[str]) -> dict[str, str]:
        """Return the digests of these cards as they are now, by id; missing cards are left out."""
        return dict(self.abouts(ids)) if self.abouts else {card.id: card.about for card in self.cards(ids)}


def expectation(task: Task, left: int) -> str:
    """Return how long the questions may take, and how to get fewer."""
    return f"about {duration(left * SECONDS)} if each takes {SECONDS} s. {task.fewer}."


SECONDS = 10
"""The time assumed for a question before a person's pace is known."""


def rows_by_ids(folder: Path, ids: Collection[str], columns: Sequence[str] | None = None) -> Iterator[Row]:
    """Yield those rows of a table that cards are about, shard by shard."""
    for shard, of_shard in groupby(sorted(ids, key=place), lambda row_id: place(row_id)[0]):
        yield from shard_rows(folder, shard, columns, set(of_shard))


def choices_of(values: Sequence[str], words: Mapping[str, str] | None = None) -> list[Choice]:
    """Give choices their keys. A number has its digit as key. Words have their first letter if these letters differ;
    otherwise, if there are no numbers among the choices, words are numbered from 1.
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
    """Return the key for a whole number, "" if there is no single key."""
    return LAST_KEY if number == "10" else number if len(number) == 1 else ""


def mistakes_in(card: Card, decision: Decision) -> list[str]:
    if not decision.decision:
        return []
    if decision.decision == REWRITE and card.texts:
        return list(mistakes_in_rewrite(card, decision.texts))
    if decision.texts:
        return ["new texts are for the decision `rewrite`, where texts may be rewritten"]
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
"""One of this many cards is shown a second time."""
APART = 100
"""How many other cards lie between (or half of all, if that is less): nobody remembers that many."""


def shuffle(names: Iterable[str], seed: str) -> list[str]:
    """Return names in an order that reveals nothing about them, the same for the same seed."""
    return sorted(names, key=lambda name: (lot(name, seed, "order"), name))


def add_repeats(ids: Sequence[str], seed: str) -> list[Place]:
    """Show a random tenth of the cards again as round 1, far from the first time. Repeats are spread over all cards
    except the beginning, so a person who stops early has also decided some cards twice.
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
