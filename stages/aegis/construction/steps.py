"""The steps that make items of AEGIS, and the stages in which they run."""

import pyarrow as pa

from gamut.evaluation.construction.slots import PICTURES, TEXT, TEXTS, Construction, Stage, Step
from gamut.evaluation.construction.stages import main_of
from stages.aegis.construction.checklists import COUNTED, check, checklist_figures, extract, refine
from stages.aegis.construction.parameters import Params
from stages.aegis.construction.propose import propose
from stages.aegis.construction.tasks import choose, draft, enhance, picture, refer

ATTEMPT = {"topic": TEXT, "task": TEXT, "direction": TEXT, "clear_prompt": TEXT, "pictures": TEXTS}
QUESTION = pa.struct([*((name, TEXT) for name in ("question", "about", "keyword")), ("inverted", pa.bool_())])
DRAFT = Stage(
    "draft",
    steps=(
        Step(draft, ATTEMPT),  # one row per attempt
        Step(choose, ATTEMPT),
        Step(enhance, {"reasoning": TEXT, "prompt": TEXT}),
        Step(picture, {"name": TEXT, "described": TEXT, "images": PICTURES}),  # one row per picture
        Step(refer, {"reference": TEXT, "images": PICTURES}),
    ),
    asks=("writer", "author"),
    parameters=("taxonomy", "topics", "drafts", "attempts", "similarity", "pictures", "width", "height"),
    shared=("seed",),
    data=("${aegis.pictures}",),
    remark="Tasks are drafted, chosen, put as people put them, and answered by the author.",
)
CHECKLISTS = Stage(
    "checklists",
    steps=(
        Step(extract, {"keywords": TEXTS}),
        Step(check, {"questions": pa.list_(QUESTION)}),
        Step(refine, {"checklist": TEXT, "remarks": TEXT, **dict.fromkeys(COUNTED, pa.int32())}),
    ),
    asks=("writer",),
    shared=("seed",),
    figures=checklist_figures,
    metrics="checklists",
    remark="Key points of the references, and the questions by which answers are judged.",
)
PROPOSE = Stage("propose", parameters=("taxonomy", "similarity"), figures=propose, metrics="construction")
AEGIS = Construction("aegis", Params, (DRAFT, CHECKLISTS, PROPOSE))

if __name__ == "__main__":
    main_of(AEGIS)
