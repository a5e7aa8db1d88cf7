"""GapEval's curation: how its items are proposed and imported."""

from __future__ import annotations

from gamut.evaluation.curating.curation import Curation
from stages.gapeval.construction import parameters as proposing
from stages.gapeval.construction.propose import CONTEXT_COLUMNS, GROUP_COLUMN, REPEATABLE, TEXTS, item_of, objections
from stages.gapeval.layout import FOLDER
from stages.gapeval.shared.benchmark import GAPEVAL

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
    is_proposed=lambda item: not str(item.id).startswith("data_"),
)
