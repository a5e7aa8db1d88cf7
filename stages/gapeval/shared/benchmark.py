"""What GapEval is: one question put twice, answered in text and in a picture, each judged right or not.

"Quantifying the Gap between Understanding and Generation within Unified Multimodal Models".
"""

from __future__ import annotations

from stages.evaluation.defining.benchmark import Benchmark
from stages.gapeval.shared.items import CATEGORIES, SIDES, GapItem, put, reference
from stages.gapeval.shared.judging import inquiries, posed
from stages.gapeval.shared.parameters import GapEval, Params
from stages.gapeval.shared.views import JOINT, MEASURES, views

GAPEVAL: Benchmark[GapEval, GapItem] = Benchmark(
    name="gapeval",
    title="GapEval",
    params=Params,
    item=GapItem,
    sides=lambda block: SIDES,
    put=put,
    strata=CATEGORIES,
    stratum=lambda item: item.category,
    measures=MEASURES,
    joint=JOINT,
    inquiries=inquiries,
    posed=posed,
    views=views,
    reference=reference,
    agreement_by=lambda item: item.category,
)
