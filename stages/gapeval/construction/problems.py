"""All kinds of problems that are drawn: how, and what case each makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from stages.gapeval.construction import choices, diagrams, levers, mirrors, runs, sequences, tanks
from stages.gapeval.construction.cases import Case


class Kind(NamedTuple):
    """A kind of problem. `draw`: draws so many by a seed, none twice; `case_of`: draws the pictures of one."""

    draw: Callable[[int, int], Iterator[Any]]
    case_of: Callable[[Any], Case]

    def cases(self, seed: int, count: int) -> Iterator[Case]:
        """Draw so many cases; the same seed, the same cases, and fewer are the first of more."""
        return map(self.case_of, self.draw(seed, count))


KINDS: Mapping[str, Kind] = {
    "choice": Kind(choices.choices, choices.case_of),
    "diagram": Kind(diagrams.diagrams, diagrams.case_of),
    "balance": Kind(levers.levers, levers.case_of),
    "float": Kind(tanks.tanks, tanks.case_of),
    "ramp": Kind(runs.runs, runs.case_of),
    "mirror": Kind(mirrors.mirrors, mirrors.case_of),
    "sequence": Kind(sequences.sequences, sequences.case_of),
}
"""By the subcategory of their cases, all of the category reasoning. Every reference is drawn from what is given."""
