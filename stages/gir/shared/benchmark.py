"""What GIR-Bench is: pictures of riddles, edits of puzzles, entities by name and description, scored by programs.

An item's score is 0..1, what is reported in percent; a subset's is the mean over its tasks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Annotated

import numpy as np
from pydantic import AfterValidator, Field

from gamut.evaluation.defining import parameters
from gamut.evaluation.defining.benchmark import Benchmark, ReleasedArithmetic
from gamut.evaluation.defining.measures import Column, Linear, Metric, PaperTable, TableColumn
from gamut.evaluation.defining.parameters import RULES, BenchmarkParameters
from gamut.project.validation import require_distinct
from stages.gir.shared.checks import MEASURES, checks
from stages.gir.shared.items import SUBSETS, TASKS, GirItem
from stages.gir.shared.prompts import SETTINGS, Setting, prompt, reference, settings_of


class Gir(BenchmarkParameters):
    """GIR-Bench: what every benchmark has, and the settings on which cases are put."""

    settings: Annotated[list[Setting], Field(min_length=1), AfterValidator(require_distinct)]


class Params(parameters.Params):
    gir: Gir


DOMAINS = SUBSETS["ugc"]
SCORED: Mapping[str, Mapping[str, str]] = {
    "t2i": {"quantity": "counts", "spatial": "places", "text": "words"},
    "edit": {"jigsaw": "tiles", "sudoku": "digits", "perception": "region"},
    "category": dict.fromkeys(DOMAINS, "similarity"),
    "prompt": dict.fromkeys(DOMAINS, "similarity"),
    "name": dict.fromkeys(DOMAINS, "named"),
    "choice": dict.fromkeys(DOMAINS, "chosen"),
}
"""By setting, the measure of every task that counts in the overall value."""
BESIDE_SCORED: Mapping[str, Mapping[str, str]] = {"t2i": {"spatial": "relations"}, "edit": {"jigsaw": "likeness"}}
"""Measures that stand beside it."""
GAPS = {"transfer": ("category", "prompt"), "naming": ("name", "prompt"), "choosing": ("choice", "prompt")}
"""What is told of entities across two settings: by how much they do better on the first than on the second. `transfer`:
by their names than by descriptions (section 4.2); `naming`, `choosing`: recognised than painted.
"""
UNDERSTANDING = "How the paper asks about understanding was not published: here an entity is chosen of four."
TITLES = {
    "t2i": "Text to image",
    "edit": "Editing",
    "category": "Entities painted by name",
    "prompt": "Entities painted by description",
    "name": "Entities named",
    "choice": "Entities chosen of four",
    "transfer": "Painted by name over by description",
    "naming": "Named over painted",
    "choosing": "Chosen over painted",
}


def setting_metric(setting: str) -> Metric:
    scored, beside = SCORED[setting], BESIDE_SCORED.get(setting, {})
    columns = [Column(task, setting, measure) for table in (scored, beside) for task, measure in table.items()]
    each = np.eye(len(columns)) * 100
    reported = {"overall": Linear(each[: len(scored)].mean(axis=0))}
    reported |= {task: Linear(each[number]) for number, task in enumerate(scored)}
    reported |= {measure: Linear(each[len(scored) + number]) for number, measure in enumerate(beside.values())}
    return Metric(
        setting, (setting,), columns, reported, ("overall", *scored), tuple(beside.values()), title=TITLES[setting]
    )


def gap_metric(name: str) -> Metric:
    settings = GAPS[name]
    columns = [Column(domain, setting, measure) for setting in settings for domain, measure in SCORED[setting].items()]
    signs = {settings[0]: 1.0, settings[1]: -1.0}

    def weighted(factors: Mapping[str, float], among: Collection[str]) -> Linear:
        weights = [factors[column.setting] * (column.group in among) / len(among) for column in columns]
        return Linear(100 * np.array(weights))

    reported = {"both": weighted(dict.fromkeys(settings, 0.5), DOMAINS), "gap": weighted(signs, DOMAINS)}
    reported |= {f"gap.{domain}": weighted(signs, (domain,)) for domain in DOMAINS}
    return Metric(name, settings, columns, reported, tuple(reported), paired=True, title=TITLES[name])


def metrics(block: Gir) -> Iterator[Metric]:
    yield from (setting_metric(setting) for setting in SETTINGS if setting in block.settings)
    yield from (gap_metric(name) for name, settings in GAPS.items() if {*settings} <= {*block.settings})


TASK_WORDS = {"quantity": "Quantity Reasoning", "spatial": "Spatial Layout", "text": "Text Rendering"}
EDIT_WORDS = {"jigsaw": "Visual Jigsaw", "sudoku": "Visual Logic", "perception": "Reasoning Perception"}


def tables() -> list[PaperTable]:
    """Return the tables of the three subsets, 0..1. What the released scripts can say of our answers is as they say it;
    an edit's overall is the mean with exp(-FID/60), which takes features by Inception.
    """

    def released(setting: str, of: str) -> str:
        return f"{setting}.{{judge}}.{{contestant}}.{of}"

    overall = TableColumn("Overall", "overall")
    painted = [*(TableColumn(f"Generation {one.capitalize()}", released=released("prompt", one)) for one in DOMAINS)]
    painted.append(TableColumn("Generation Overall", released=released("prompt", "overall")))
    painted.append(TableColumn("Generation Overall, by category", released=released("category", "overall")))
    chosen = TableColumn("Understanding Overall", "overall", "choice")
    edited = [TableColumn(words, released=released("edit", one)) for one, words in EDIT_WORDS.items()]
    edited.append(TableColumn("Overall", released=released("edit", "overall")))
    asked = [*(TableColumn(words, one) for one, words in TASK_WORDS.items()), overall]
    return [
        PaperTable("table_ugc", "subset UGC", [*painted, chosen], {"prompt": ""}, 3, 0.01, UNDERSTANDING),
        PaperTable("table_t2i", "subset T2I", asked, {"t2i": ""}, 3, 0.01),
        PaperTable("table_edit", "subset Edit", edited, {"edit": ""}, 3, 0.01),
    ]


GIR: Benchmark[Gir, GirItem] = Benchmark(
    name="gir",
    title="GIR-Bench",
    about="Pictures that take reasoning, checked by programs: counts, places, words, puzzles, edits.",
    params=Params,
    item=GirItem,
    settings=lambda block: block.settings,
    settings_of=lambda item, settings: settings_of(item),
    other_settings=SETTINGS,
    published_settings=("t2i", "edit", "prompt"),
    prompt=lambda block, item, setting, pictures: prompt(item, setting, pictures),
    strata=TASKS,
    stratum=lambda item: item.task,
    measures=MEASURES,
    checks=checks,
    observers=("detector", "reader", "image_embedder", RULES),
    metrics=lambda block: list(metrics(block)),
    tables=lambda block: tables(),
    printed="stages/gir/printed.json",
    reference=reference,
    keys={"settings": ("answer", "judge")},
    released=ReleasedArithmetic("stages.gir.released"),
)
