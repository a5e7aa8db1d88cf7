"""What GENIUS is: pictures made by rules that stand only in a context of texts and pictures.

"GENIUS: Generative Fluid Intelligence Evaluation Suite": rule compliance, what has to stay, and looks, 6 : 3.5 : 0.5.
"""

from __future__ import annotations

from gamut.evaluation.defining.benchmark import Benchmark, Released
from gamut.evaluation.defining.parameters import RULES
from stages.genius.shared.items import TASKS, GeniusItem
from stages.genius.shared.judging import checks, judge_questions
from stages.genius.shared.metrics import JOINT, MEASURES, metrics
from stages.genius.shared.parameters import Genius, Params
from stages.genius.shared.prompts import SETTINGS, prompt, settings_of

GENIUS: Benchmark[Genius, GeniusItem] = Benchmark(
    name="genius",
    title="GENIUS",
    params=Params,
    item=GeniusItem,
    settings=lambda block: block.settings,
    settings_of=lambda item, settings: settings_of(item),
    prompt=lambda block, item, setting, pictures: prompt(item, setting, pictures, block.reflection.rounds),
    strata=TASKS,
    stratum=lambda item: item.task,
    groups=lambda item: item.groups,
    measures=MEASURES,
    judge_questions=lambda block, item, setting: judge_questions(item, setting),
    checks=checks,
    observers=(RULES,),
    joint=JOINT,
    metrics=lambda block: list(metrics(block.settings)),
    agreement_by=lambda item: item.dimension,
    labelled_by=lambda item: item.dimension,
    other_settings=SETTINGS,
    keys={"settings": ("answer", "judge"), "reflection": ("answer",)},
    released=Released("stages.genius.released"),
)
