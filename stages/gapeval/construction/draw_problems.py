"""Problems of reasoning as cases: drawn by a seed, with their pictures and what is right, each with its proof (2.2)."""

import sys
from collections.abc import Iterator

from stages.evaluation.curating.slots import OwnPictures
from stages.gapeval.construction.cases import Case
from stages.gapeval.construction.problems import KINDS
from stages.gapeval.construction.tables import REFERENCE, packed, seed_for, slots_of
from stages.gapeval.shared.parameters import Params
from stages.project.stage import main
from stages.tables.columns import Row, make_id

ORIGIN = "drawn by rule"


def draw_problems(params: Params, edition: str) -> None:
    """Draw the problems of an edition, its kinds in turn."""
    cases = in_turn(seed_for(params, edition, "problems"), params.gapeval.propose.drafts.reasoning)
    slots_of(params, edition).write("draw_problems", [row_of(number, case) for number, case in enumerate(cases)])


def in_turn(seed: int, count: int) -> Iterator[Case]:
    """Yield so many cases: the first of every kind, then the second of every kind, and so on."""
    most = -(-count // len(KINDS))
    drawn = [kind.cases(seed, most) for kind in KINDS.values()]
    for number in range(count):
        yield next(drawn[number % len(drawn)])


def row_of(number: int, case: Case) -> Row:
    """Return a case as a row."""
    row_id = make_id("reasoning", number)
    named = [(f"question_{place}", picture) for place, picture in enumerate(case.pictures, start=1)]
    images = [OwnPictures().image(row_id, name, data, ORIGIN) for name, data in [*named, (REFERENCE, case.reference)]]
    words = {"question": case.question, "prompt": case.prompt, "reference_text": case.reference_text}
    own = {"case": packed({"drawn": True, "proof": [case.proof]}), "images": images}
    return {"id": row_id, "status": "ok", "category": "reasoning", "subcategory": case.subcategory, **words, **own}


if __name__ == "__main__":
    main("gapeval.draw_problems", draw_problems, Params, *sys.argv[1:])
