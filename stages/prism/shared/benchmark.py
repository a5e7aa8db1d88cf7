"""What PRISM-Bench is: pictures of seven tracks of prompts in two languages, judged for fit and looks (section 3.2).

Reported are means times ten by track and axis, track averages, and overall, the mean over tracks and axes, unrounded:
the paper rounds its two axes first, which moves its overall averages by up to 0.1.
"""

from __future__ import annotations

from gamut.evaluation.defining.benchmark import Benchmark
from gamut.evaluation.defining.measures import Scale, averages
from gamut.evaluation.defining.questions import Prompt
from stages.prism.shared.items import AXES, TRACKS, PrismItem
from stages.prism.shared.judging import judge_questions, remarks
from stages.prism.shared.parameters import Params, Prism

MEASURES = {axis: Scale(0, 10) for axis in AXES}

PRISM: Benchmark[Prism, PrismItem] = Benchmark(
    name="prism",
    title="PRISM-Bench",
    params=Params,
    item=PrismItem,
    settings=lambda block: block.languages,
    prompt=lambda block, item, language, pictures: Prompt((item.prompt_in(language),)),
    strata=TRACKS,
    stratum=lambda item: item.track,
    measures=MEASURES,
    judge_questions=judge_questions,
    keys={"languages": ("answer", "judge"), "instructions": ("judge",), "release": ("judge",)},
    pictured=False,
    remarks=remarks,
    metrics=lambda block: [averages(language, TRACKS, MEASURES) for language in block.languages],
)
