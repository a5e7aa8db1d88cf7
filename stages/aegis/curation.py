"""AEGIS's curation: how its items are reviewed, proposed and imported."""

from __future__ import annotations

from gamut.evaluation.curating.curation import Curation
from stages.aegis.construction import parameters as proposing
from stages.aegis.construction.propose import BESIDE, REPEATABLE, TEXTS, items_of, objections
from stages.aegis.layout import ANNOTATIONS
from stages.aegis.shared.benchmark import AEGIS

CURATION = Curation(
    benchmark=AEGIS,
    proposing=proposing.Params,
    texts=TEXTS,
    beside=BESIDE,
    repeatable=REPEATABLE,
    objections=objections,
    items_of=items_of,
    released=ANNOTATIONS,
    is_proposed=lambda item: isinstance(item.id, str),
)
