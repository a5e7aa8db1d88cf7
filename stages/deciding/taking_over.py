"""What was said elsewhere about the cards of a task, checked as their page checks it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path

from stages.deciding.cards import Card, Task, mistakes_in
from stages.deciding.exports import read_export
from stages.project.decisions import Decision


def take_over(task: Task, path: Path, person: str | None, people: Path | None) -> Iterator[str]:
    """Add an export of Label Studio or Argilla to the logs of a task, and yield what to tell; see `read_export`."""
    return read_export(task.name, path, person, lambda ids: keeping(task, ids), people)


def keeping(task: Task, ids: Collection[str]) -> Callable[[Decision], Decision]:
    """Return what makes of a decision about some cards the one to be kept; ValueError for what the page would refuse.

    Cards are read once, and held without what they show.
    """
    put, rounds = {one for one, _ in task.places}, {number for _, number in task.places}
    cards = {card.id: replace(card, shown=()) for card in task.cards(put & set(ids))}

    def keep(said: Decision) -> Decision:
        if said.id not in cards:
            raise ValueError("there is no such thing to be decided, or not any more")
        if said.round not in rounds:
            raise ValueError(f"round {said.round}: this is put in {' and '.join(map(str, sorted(rounds)))} alone")
        return kept(cards[said.id], said)

    return keep


def kept(card: Card, said: Decision) -> Decision:
    """Return what is said of a card as its log has it: with its digest, and a choice, in its words or in small letters,
    as its value. ValueError for what cannot be said, or was said of what has changed since.
    """
    if said.about not in ("", card.about):
        raise ValueError("what was shown has changed since: decide again about what it is now")
    words = {choice.words.casefold(): choice.value for choice in card.choices}
    values = {choice.value.casefold(): choice.value for choice in card.choices}
    decision = (words | values).get(said.decision.casefold(), said.decision)
    found = said.model_copy(update={"about": card.about, "decision": decision})
    if mistakes := mistakes_in(card, found):
        raise ValueError("; ".join(mistakes))
    return found
