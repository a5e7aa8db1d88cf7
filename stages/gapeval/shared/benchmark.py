"""What GapEval is: one question put twice, answered in text and in a picture, each judged right or not.

"Quantifying the Gap between Understanding and Generation within Unified Multimodal Models".
"""

from __future__ import annotations

from gamut.evaluation.defining import parameters
from gamut.evaluation.defining.benchmark import Benchmark, ReleasedArithmetic
from stages.gapeval.shared.items import CATEGORIES, SETTINGS, GapItem, prompt, reference
from stages.gapeval.shared.judging import GapEval, judge_questions
from stages.gapeval.shared.metrics import JOINT, MEASURES, metrics, table_2


class Params(parameters.Params):
    gapeval: GapEval


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
    about="How far what a model answers in words lies apart from what it paints of the same question.",
    params=Params,
    item=GapItem,
    settings=lambda block: SETTINGS,
    prompt=lambda block, item, setting, pictures: prompt(item, setting, pictures),
    strata=CATEGORIES,
    stratum=lambda item: item.category,
    measures=MEASURES,
    joint=JOINT,
    judge_questions=judge_questions,
    tables=lambda block: [table_2()],
    printed="stages/gapeval/printed.json",
    metrics=metrics,
    reference=reference,
    agreement_by=lambda item: item.category,
    keys={"second_look": ("judge",)},
    released=ReleasedArithmetic("stages.gapeval.released", plots={"gap_map.csv": GAP_MAP}),
    stages=["stages.gapeval.relations"],
)
