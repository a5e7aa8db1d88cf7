"""What GENIUS is: pictures made by rules that stand only in a context of texts and pictures.

"GENIUS: Generative Fluid Intelligence Evaluation Suite": rule compliance, what has to stay, and looks, 6 : 3.5 : 0.5.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from gamut.evaluation.defining import parameters
from gamut.evaluation.defining.benchmark import Benchmark, ReleasedArithmetic
from gamut.evaluation.defining.parameters import RULES, BenchmarkParameters
from gamut.project.validation import Strict, require_distinct
from stages.genius.shared.items import TASKS, GeniusItem
from stages.genius.shared.judging import checks, judge_questions
from stages.genius.shared.metrics import JOINT, MEASURES, metrics, table_2
from stages.genius.shared.probes import WRITING
from stages.genius.shared.prompts import SETTINGS, Setting, prompt, settings_of


class Rounds(Strict):
    """How often contestants reflect in a picture on setting `post_reflection`; each round asks them twice more."""

    rounds: Annotated[int, Field(ge=1, le=10)] = 1


class Genius(BenchmarkParameters):
    """GENIUS: what every benchmark has, and the settings on which items are put.

    `settings`: the forms of contexts, those from which something was taken, those with hints, and with reflection
    (`prompts.SETTINGS`). A contestant that cannot be put to all of them names its own
    (`contestants.<name>.settings.genius`).
    """

    settings: Annotated[list[Setting], Field(min_length=1), AfterValidator(require_distinct)]
    reflection: Rounds = Field(default_factory=Rounds)


class Params(parameters.Params):
    genius: Genius


GENIUS: Benchmark[Genius, GeniusItem] = Benchmark(
    name="genius",
    title="GENIUS",
    about="Whether a picture follows a rule that stands only in a context of texts and pictures.",
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
    writing=WRITING,
    observers=(RULES,),
    joint=JOINT,
    metrics=lambda block: list(metrics(block.settings)),
    tables=lambda block: [table_2()],
    printed="stages/genius/printed.json",
    agreement_by=lambda item: item.dimension,
    labelled_by=lambda item: item.dimension,
    other_settings=SETTINGS,
    keys={"settings": ("answer", "judge"), "reflection": ("answer",)},
    released=ReleasedArithmetic("stages.genius.released"),
)
