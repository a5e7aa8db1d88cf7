"""GapEval as the commands see it: how its items come in."""

from __future__ import annotations

from gamut.evaluation.curating.curation import Curation, Published
from stages.gapeval.construction import parameters as proposing
from stages.gapeval.construction.propose import CONTEXT_COLUMNS, GROUP_COLUMN, REPEATABLE, TEXTS, item_of, objections
from stages.gapeval.layout import FOLDER
from stages.gapeval.shared.benchmark import GAPEVAL

PUBLISHED = Published(
    place="https://github.com/Lucky-Wang-Chenlong/GapEval",
    by_hand="https://github.com/Lucky-Wang-Chenlong/GapEval said that they come soon; `gamut import gapeval DIR "
    "released` takes the folder in which data_1, data_2, … lie",
    sizes={"world_knowledge": 147, "numerical": 100, "instruction_following": 94, "reasoning": 305},
)

CURATION = Curation(
    benchmark=GAPEVAL,
    proposing=proposing.Params,
    texts=TEXTS,
    beside=CONTEXT_COLUMNS,
    among=GROUP_COLUMN,
    repeatable=REPEATABLE,
    objections=objections,
    items_of=lambda accepted: [item_of(row) for row in accepted],
    released=FOLDER,
    published=PUBLISHED,
    is_proposed=lambda item: not str(item.id).startswith("data_"),
)
