"""GIR-Bench as the commands see it: how its items come in."""

from __future__ import annotations

from gamut.evaluation.curating.curation import Curation, Published
from stages.gir.construction import parameters as proposing
from stages.gir.construction.propose import CONTEXT_COLUMNS, GROUP_COLUMN, TEXTS, item_of, objections
from stages.gir.layout import NAMES, REFERENCE
from stages.gir.shared.benchmark import GIR

PLACE = "https://huggingface.co/datasets/lihxxx/GIR-Bench"
PUBLISHED = Published(
    place=PLACE,
    by_hand=f"put the folder reference of {PLACE} into a folder DIR, then `gamut import gir DIR/reference released`",
    # 300 entities, 300 riddles and 370 edits; how these fall on tasks is not said
    sizes={**dict.fromkeys(NAMES, 100), "jigsaw": 130, "sudoku": 120, "perception": 120},
    repo="lihxxx/GIR-Bench",
    files=("reference/prompt/SpatialLayout.json", "reference/*"),
    source="reference",
)

CURATION = Curation(
    benchmark=GIR,
    proposing=proposing.Params,
    texts=TEXTS,
    beside=CONTEXT_COLUMNS,
    among=GROUP_COLUMN,
    objections=objections,
    items_of=lambda accepted: [item_of(row) for row in accepted],
    released=REFERENCE,
    published=PUBLISHED,
    is_proposed=lambda item: str(item.id).partition("/")[0] not in NAMES.values(),
)
