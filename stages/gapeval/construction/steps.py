"""The steps that make cases of GapEval, and the stages in which they run. A row is a case."""

from gamut.evaluation.construction.slots import PICTURES, TEXT, Construction, Stage, Step
from gamut.evaluation.construction.stages import main_of
from stages.gapeval.construction.draw_problems import draw_problems
from stages.gapeval.construction.list_cases import list_cases
from stages.gapeval.construction.parameters import Params
from stages.gapeval.construction.pictures import answer_cases, count_things, recount_things, show_cases, write_edits
from stages.gapeval.construction.propose import propose

KINDS = {"category": TEXT, "subcategory": TEXT}
WORDS = {"question": TEXT, "prompt": TEXT, "reference_text": TEXT, "case": TEXT}
DRAFT = Stage(
    "draft",
    steps=(
        Step(draw_problems, {**KINDS, **WORDS, "images": PICTURES}),
        Step(list_cases, {**KINDS, **WORDS, "painted": TEXT}),  # each later step is about some of these
        Step(show_cases, {"images": PICTURES}),
        Step(count_things, {**WORDS, "painted": TEXT}),
        Step(write_edits, WORDS),
        Step(answer_cases, {"images": PICTURES}),
        Step(recount_things, {"found": TEXT}),
    ),
    asks=("writer", "author", "detector"),
    parameters=("pools", "drafts", "pictures", "width", "height"),
    shared=("seed",),
    data=("${gapeval.pictures}",),
    remark="Problems are drawn by rule; entities, numbers and edits are shown, counted, written and answered.",
)
PROPOSE = Stage("propose", parameters=("similarity",), figures=propose, metrics="construction")
GAPEVAL = Construction("gapeval", Params, (DRAFT, PROPOSE))

if __name__ == "__main__":
    main_of(GAPEVAL)
