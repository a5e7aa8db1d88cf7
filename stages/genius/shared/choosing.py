"""How the answer to a probe is scored: by rule, 1 where it chooses the right option, 0 where it chooses another.

What chooses none, or several, has no score: that a letter is missing says nothing of what is known.
"""

from __future__ import annotations

from collections.abc import Sequence

from stages.asking.requests import Part
from stages.asking.seeing import Computing
from stages.evaluation.defining.inquiries import Judged, Seen, Sighting, Wording
from stages.genius.shared.items import GeniusItem
from stages.genius.shared.probes import LETTERS, chosen
from stages.genius.shared.putting import PROBE, probe_of

CHOSEN = "chosen"
"""The measure."""


def sightings(item: GeniusItem, side: str) -> Sequence[Sighting]:
    """Return what is to be found in an answer without a judge: in words the letter that they choose."""
    return [choice(item)] if side == PROBE else []


def choice(item: GeniusItem) -> Sighting:
    """Look for the letter that an answer chooses."""
    probe = probe_of(item)
    options, right = probe.options, probe.right
    listed = " ".join(f"{letter}) {option}" for letter, option in zip(LETTERS, options, strict=True))

    def values(made: Sequence[Seen], beside: Sequence[Seen]) -> Sequence[Judged]:
        letter = chosen("\n".join(one.part for one in made), options)
        return [Judged(float(letter == right), letter)]

    wording = Wording(f"Does the answer choose {right}, and no other? {listed}")
    return Sighting("choice", "rules", as_it_is, (CHOSEN,), values, of="text", wording=(wording,))


def as_it_is(part: Part) -> Computing:
    """Look at a text as it is."""
    return Computing(lambda: part)
