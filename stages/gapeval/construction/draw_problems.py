"""Problems of reasoning as cases: drawn by a seed, with their pictures and what is right, each with its proof (2.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from stages.evaluation.construction.slots import Slots, case_row
from stages.gapeval.construction import choices, diagrams, levers, mirrors, runs, sequences, tanks
from stages.gapeval.construction.cases import Case, Prompts, in_columns
from stages.gapeval.construction.parameters import Params
from stages.gapeval.construction.pictures import REFERENCE
from stages.tables.columns import Row


class Kind(NamedTuple):
    """A kind of problem. `draw`: draws so many by a seed, none twice; `case_of`: draws the pictures of one."""

    draw: Callable[[int, int], Iterator[Any]]
    case_of: Callable[[Any], Case]

    def cases(self, seed: int, count: int) -> Iterator[Case]:
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


def draw_problems(slots: Slots[Params]) -> None:
    cases = in_turn(slots.seed("problems"), slots.params.propose.drafts.reasoning)
    slots.write([row_of(number, case) for number, case in enumerate(cases)])


def in_turn(seed: int, count: int) -> Iterator[Case]:
    """Yield so many cases: the first of every kind, then the second of every kind, and so on."""
    most = -(-count // len(KINDS))
    drawn = [kind.cases(seed, most) for kind in KINDS.values()]
    for number in range(count):
        yield next(drawn[number % len(drawn)])


def row_of(number: int, case: Case) -> Row:
    pictures = {f"question_{place}": picture for place, picture in enumerate(case.pictures, start=1)}
    words = in_columns(Prompts(case.question, case.prompt, case.reference_text), {"drawn": True, "proof": [case.proof]})
    kinds = {"category": "reasoning", "subcategory": case.subcategory}
    return case_row("reasoning", number, pictures | {REFERENCE: case.reference}, **kinds, **words)
