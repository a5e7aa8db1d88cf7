"""Problems of reasoning as cases: drawn by a seed, with pictures, right answers and proofs (2.2)."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any, NamedTuple

from gamut.evaluation.construction.drawing import distinct_cases
from gamut.evaluation.construction.slots import Slots, digest_of, drawn_case_row
from gamut.tables.columns import Row
from stages.gapeval.construction import choices, diagrams, patterns, physics
from stages.gapeval.construction.cases import Case, Prompts, case_columns
from stages.gapeval.construction.parameters import Params
from stages.gapeval.construction.pictures import REFERENCE


class Kind(NamedTuple):
    """A kind of problem. `name`: seeds its draws. `drawn`: draws one, or None. `sameness`: a key that is equal for two
    alike problems. `case_of`: draws the pictures of one.
    """

    name: str
    drawn: Callable[[random.Random], Any]
    sameness: Callable[[Any], Hashable]
    case_of: Callable[[Any], Case]

    def draw(self, seed: int, count: int) -> Iterator[Any]:
        return distinct_cases(self.name, seed, count, self.drawn, self.sameness)


KINDS: Mapping[str, Kind] = {
    "choice": Kind("choice", choices.draw_choice, choices.sameness, choices.choice_case),
    "diagram": Kind("diagram", diagrams.draw_diagram, diagrams.sameness, diagrams.diagram_case),
    "balance": Kind("lever", physics.draw_lever, lambda lever: lever.weights, physics.lever_case),
    "float": Kind("tank", physics.draw_tank, lambda tank: tank.blocks, physics.tank_case),
    "ramp": Kind("run", physics.draw_run, lambda run: run, physics.run_case),
    "mirror": Kind("mirror", patterns.draw_mirror, lambda mirror: mirror.left, patterns.mirror_case),
    "sequence": Kind("sequence", patterns.draw_sequence, lambda sequence: sequence.states, patterns.sequence_case),
}
"""By the subcategory of their cases, all in the category reasoning. Every reference is drawn from what is given."""


def draw_problems(slots: Slots[Params]) -> None:
    cases = cases_in_turn(slots.seed("problems"), slots.params.propose.drafts.reasoning)
    slots.write([row_of(number, case) for number, case in enumerate(cases)])


def cases_in_turn(seed: int, count: int) -> Iterator[Case]:
    """Yield `count` cases: the first of every kind, then the second of every kind, and so on."""
    most = -(-count // len(KINDS))
    drawn = [map(kind.case_of, kind.draw(seed, most)) for kind in KINDS.values()]
    for number in range(count):
        yield next(drawn[number % len(drawn)])


def row_of(number: int, case: Case) -> Row:
    pictures = {f"question_{place}": picture for place, picture in enumerate(case.pictures, start=1)}
    proof = [case.proof, f"pictures {digest_of(b''.join(case.pictures))}"]  # all mirrors have the same words and proof
    words = case_columns(Prompts(case.question, case.prompt, case.reference_text), {"drawn": True, "proof": proof})
    kinds = {"category": "reasoning", "subcategory": case.subcategory}
    return drawn_case_row("reasoning", number, pictures | {REFERENCE: case.reference}, **kinds, **words)
