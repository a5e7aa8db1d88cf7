"""The state of a person's decisions: which cards are decided. Each decision is on the disk before the next card."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import NamedTuple

from gamut.asking.as_shown import picture_as_shown
from gamut.asking.requests import Picture
from gamut.deciding.cards import Card, Task, mistakes_in
from gamut.project.decisions import Decision, Decisions, Log
from gamut.project.errors import UserError, in_one_line

KEPT = 8
"""How many cards stay in memory, with their pictures."""


class Refused(Exception):
    """Why a card is not shown, or a decision is not saved: an HTTP status, and lines of words."""

    def __init__(self, status: int, *lines: str) -> None:
        super().__init__(*lines)
        self.status, self.lines = status, lines


class Counts(NamedTuple):
    """Numbers of a task: cards, decided cards, cards changed after the decision, decisions about missing things."""

    cards: int
    decided: int
    changed: int
    gone: int


class Desk:
    """One task and the open log of one person; many threads may use it. `said`: the decisions that count, by card
    number.

    A decision about something that looks different now does not count: its card is shown again.
    """

    def __init__(self, task: Task, log: Log) -> None:
        self.task, self.log, self.lock = task, log, threading.RLock()
        self.open = True
        self.near: dict[str, Card] = {}
        self.said, self.counts = count_decided(task, log.said)

    def standing(self) -> Mapping[int, Decision]:
        with self.lock:
            return dict(self.said)

    def card(self, number: int) -> Card:
        """Return a card by its number; Refused if it does not exist or cannot be read any more."""
        if not 0 <= number < len(self.task.places):
            raise Refused(404, f"there is no card {number}")
        card_id = self.task.places[number][0]
        with self.lock:
            if card_id not in self.near:
                try:
                    found = next(self.task.cards({card_id}), None)
                except UserError as error:
                    raise Refused(500, *str(error).splitlines()) from None
                if found is None:
                    raise Refused(500, f"{in_one_line(card_id)} does not exist any more: start the command again")
                self.near[card_id] = found
                if len(self.near) > KEPT:
                    del self.near[next(iter(self.near))]
            return self.near[card_id]

    def picture(self, number: int, which: int) -> Picture:
        """Return a picture of a card as judges see it too; Refused if it does not exist or cannot be shown."""
        pictures = self.card(number).pictures
        if not 0 <= which < len(pictures):
            raise Refused(404, f"there is no picture {which} of card {number}")
        try:
            return picture_as_shown(pictures[which].data)
        except ValueError as error:
            raise Refused(500, f"this picture {error}") from None

    def decide(self, number: int, about: str, decision: str, texts: Mapping[str, str], remark: str) -> list[str]:
        """Save a decision about a card, unless it is saved already; then it is on the disk. If it is not allowed, write
        nothing and return why. Refused if it is not about what would be shown now.
        """
        with self.lock:
            if not self.open:
                raise Refused(503, "this page has ended: start the command again")
            card = self.card(number)
            if about != card.about:
                raise Refused(409, "this card has changed since it was shown: load the page again")
            card_id, of_round = self.task.places[number]
            said = Decision(
                id=card_id,
                round=of_round,
                about=about if decision else "",
                decision=decision,
                texts=dict(texts) if decision else {},
                remark=remark.strip() if decision else "",
            )
            if mistakes := mistakes_in(card, said):
                return mistakes
            if self.log.said.get(said.key) != (said if decision else None):
                try:
                    self.log.add(said)
                except OSError as error:
                    raise Refused(507, f"{self.log.path}: {error.strerror}: fix that, then decide again") from None
                except UserError as error:
                    raise Refused(409, *str(error).splitlines()) from None
            if decision:
                self.said[number] = said
            else:
                self.said.pop(number, None)
            return []

    def close(self) -> None:
        """Accept no more decisions; one that is being written is finished first."""
        with self.lock:
            self.open = False


def count_decided(task: Task, before: Decisions) -> tuple[dict[int, Decision], Counts]:
    """Return the earlier decisions about a task's cards as they are now, by number of the card, and counts."""
    decided = {key for key in task.places if key in before}
    about = task.digests({card_id for card_id, _ in decided}) if decided else {}
    said = {
        number: before[key]
        for number, key in enumerate(task.places)
        if key in decided and before[key].about == about.get(key[0])
    }
    return said, Counts(len(task.places), len(said), len(decided) - len(said), len(before) - len(decided))
