"""The steps that make cases of GENIUS, and the stages in which they run."""

import pyarrow as pa

from gamut.evaluation.construction.slots import PICTURES, TEXT, Construction, Stage, Step
from gamut.evaluation.construction.stages import main_of
from stages.genius.construction.draw_cases import draw_cases, paint_pictures
from stages.genius.construction.parameters import Params
from stages.genius.construction.propose import TEXTS, propose

CASE = {
    "task": TEXT,
    "sub_task": TEXT,
    **dict.fromkeys(TEXTS, TEXT),
    "consistency_hints": TEXT,  # as JSON
    "pictures": pa.list_(pa.struct([pa.field("name", TEXT), pa.field("shows", TEXT)])),  # a plain description of each
}
DRAFT = Stage(
    "draft",
    steps=(
        Step(draw_cases, CASE),
        Step(paint_pictures, {"name": TEXT, "images": PICTURES}),  # one row per picture
    ),
    asks=("author",),
    parameters=("pool", "cases", "similarity", "pictures", "width", "height"),
    shared=("seed",),
    data=("${genius.pictures}",),
    remark="Cases are drawn by rule, with the options of their probes; their pictures are painted.",
)
PROPOSE = Stage("propose", parameters=("similarity",), figures=propose, metrics="construction")
GENIUS = Construction("genius", Params, (DRAFT, PROPOSE))

if __name__ == "__main__":
    main_of(GENIUS)
