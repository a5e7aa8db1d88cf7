"""Where a person decides: what was said of which card, and what is on the disk before the next is shown."""

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
"""Cards that stay in memory, with their pictures."""


class Refused(Exception):
    """Why a card is not shown, or something said is not kept: an HTTP status, and lines of words."""

    def __init__(self, status: int, *lines: str) -> None:
        super().__init__(*lines)
        self.status, self.lines = status, lines


class Counts(NamedTuple):
    """Of a task: cards; those decided; those decided about what has changed since; decisions about what is gone."""

    cards: int
    decided: int
    changed: int
    gone: int


class Desk:
    """One task and the open log of one person; many threads may ask. `said`: what counts, by the card's number.

    What was said of something that looks otherwise by now does not count: it is put again.
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
        """Return a card by its number; Refused where there is none, or it cannot be read any more."""
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
                    raise Refused(500, f"{in_one_line(card_id)} is not there any more: end this, and begin again")
                self.near[card_id] = found
                if len(self.near) > KEPT:
                    del self.near[next(iter(self.near))]
            return self.near[card_id]

    def picture(self, number: int, which: int) -> Picture:
        """Return a picture of a card as everybody sees it, judges too; Refused where it is none."""
        pictures = self.card(number).pictures
        if not 0 <= which < len(pictures):
            raise Refused(404, f"there is no picture {which} of card {number}")
        try:
            return picture_as_shown(pictures[which].data)
        except ValueError as error:
            raise Refused(500, f"this picture {error}") from None

    def decide(self, number: int, about: str, decision: str, texts: Mapping[str, str], remark: str) -> list[str]:
        """Keep what is said of a card, unless it was said before: it is on the disk then. Return why it cannot be said,
        and write nothing. Refused: it is about something else than would be shown now.
        """
        with self.lock:
            if not self.open:
                raise Refused(503, "this was ended: begin again")
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
                    raise Refused(507, f"{self.log.path}: {error.strerror}: make room, then say it again") from None
                except UserError as error:
                    raise Refused(409, *str(error).splitlines()) from None
            if decision:
                self.said[number] = said
            else:
                self.said.pop(number, None)
            return []

    def close(self) -> None:
        """Take nothing more: whoever is being written is written first."""
        with self.lock:
            self.open = False


def count_decided(task: Task, before: Decisions) -> tuple[dict[int, Decision], Counts]:
    """Return what was said before of a task's cards as they are now, by their number, and how much that is."""
    decided = {key for key in task.places if key in before}
    about = task.digests({card_id for card_id, _ in decided}) if decided else {}
    said = {
        number: before[key]
        for number, key in enumerate(task.places)
        if key in decided and before[key].about == about.get(key[0])
    }
    return said, Counts(len(task.places), len(said), len(decided) - len(said), len(before) - len(decided))
