"""The steps that make cases of GIR-Bench, and the stages in which they run. A row is a case, with the same columns for
all tasks: `case` holds the item's own keys as JSON, with the `proof` that there is one right answer.
"""

from gamut.evaluation.construction.slots import PICTURES, TEXT, Construction, Stage, Step
from gamut.evaluation.construction.stages import main_of
from stages.gir.construction.cut_jigsaw import cut_jigsaw
from stages.gir.construction.draw_lettering import draw_lettering
from stages.gir.construction.draw_quantity import draw_quantity
from stages.gir.construction.draw_spatial import draw_spatial
from stages.gir.construction.draw_sudoku import draw_sudoku
from stages.gir.construction.entities import describe, guess, list_entities, show_entities
from stages.gir.construction.list_regions import list_regions
from stages.gir.construction.parameters import Params
from stages.gir.construction.propose import propose

CASE = {"task": TEXT, "case": TEXT}
WHOLE_CASE = {**CASE, "prompt": TEXT, "images": PICTURES}
DRAFT = Stage(
    "draft",
    steps=(
        *(Step(run, WHOLE_CASE) for run in (draw_quantity, draw_spatial, draw_lettering, draw_sudoku)),
        Step(cut_jigsaw, WHOLE_CASE),
        Step(list_regions, WHOLE_CASE),
        Step(list_entities, CASE),
        Step(show_entities, {"images": PICTURES}),  # one row per picture
        Step(describe, {"prompt": TEXT}),
        Step(guess, {"guess": TEXT}),
    ),
    asks=("writer", "author", "guesser"),
    parameters=("pools", "drafts", "pictures", "references", "tiles", "grid", "width", "height"),
    shared=("seed",),
    data=("${gir.pictures}",),
    remark="Cases are drawn by rule, pictures painted and cut, entities shown, described and guessed.",
)
PROPOSE = Stage("propose", parameters=("similarity",), figures=propose, metrics="construction")
GIR = Construction("gir", Params, (DRAFT, PROPOSE))

if __name__ == "__main__":
    main_of(GIR)
