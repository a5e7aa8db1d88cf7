"""What GapEval is: one question put twice, answered in text and in a picture, each judged right or not.

"Quantifying the Gap between Understanding and Generation within Unified Multimodal Models".
"""

from __future__ import annotations

from gamut.evaluation.defining.benchmark import Benchmark, Released
from stages.gapeval.shared.items import CATEGORIES, SIDES, GapItem, put, reference
from stages.gapeval.shared.judging import inquiries
from stages.gapeval.shared.parameters import GapEval, Params
from stages.gapeval.shared.views import JOINT, MEASURES, views

GAP_MAP = {
    "template": "gap_map",
    "title": "gap over both scores; the ground is what the formula gives at independence",
    "x": "und",
    "y": "gen",
    "x_label": "right in words",
    "y_label": "right as a picture",
}
GAPEVAL: Benchmark[GapEval, GapItem] = Benchmark(
    name="gapeval",
    title="GapEval",
    params=Params,
    item=GapItem,
    sides=lambda block: SIDES,
    put=lambda block, item, side, pictures: put(item, side, pictures),
    strata=CATEGORIES,
    stratum=lambda item: item.category,
    measures=MEASURES,
    joint=JOINT,
    inquiries=inquiries,
    views=views,
    reference=reference,
    agreement_by=lambda item: item.category,
    keys={"second_look": ("judge",)},
    released=Released("stages.gapeval.released", plots={"gap_map.csv": GAP_MAP}),
    stages=["stages.gapeval.relations"],
)
