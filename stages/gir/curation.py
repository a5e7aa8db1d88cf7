"""GIR-Bench's curation: how its items are proposed and imported."""

from __future__ import annotations

from gamut.evaluation.curating.curation import Curation
from stages.gir.construction import parameters as proposing
from stages.gir.construction.propose import CONTEXT_COLUMNS, GROUP_COLUMN, TEXTS, item_of, objections
from stages.gir.layout import NAMES, REFERENCE
from stages.gir.shared.benchmark import GIR

CURATION = Curation(
    benchmark=GIR,
    proposing=proposing.Params,
    texts=TEXTS,
    beside=CONTEXT_COLUMNS,
    among=GROUP_COLUMN,
    objections=objections,
    items_of=lambda accepted: [item_of(row) for row in accepted],
    released=REFERENCE,
    is_proposed=lambda item: str(item.id).partition("/")[0] not in NAMES.values(),
)
