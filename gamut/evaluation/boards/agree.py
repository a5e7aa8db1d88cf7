"""How far judges agree with each other, with themselves and with people on the edition's answers, and where the
variance of scores comes from. People's scores (`labelling.labels`) also correct what judges say (`correct`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from gamut.evaluation.boards.correct import correct
from gamut.evaluation.boards.score import OBSERVED
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.parameters import Params
from gamut.evaluation.labelling.labels import all_labels, changed_since, labels_of_scored_answers, labels_path, task_of
from gamut.evaluation.running.checklists import VERDICTS
from gamut.evaluation.scoring.agreement import Rating, agreements, flat_agreement, ratings_of_judge
from gamut.evaluation.scoring.conditions import conditional_in, counted_rows
from gamut.evaluation.scoring.reliability import flat_reliability, purchases_in_words, reliabilities
from gamut.project.decisions import FOLDER
from gamut.project.files import write_json
from gamut.project.plain_text import amount
from gamut.tables.reading import read_rows


def agree(benchmark: AnyBenchmark, params: Params) -> None:
    changed = changed_since(benchmark, params)
    if changed:
        where = f"{FOLDER}/*/{task_of(benchmark, params)}.jsonl"
        print(f"{benchmark.name}.board: {where}: {amount(len(changed), 'label')} of answers that are others by now")
    labels = all_labels(benchmark, params, changed)
    compare_raters(benchmark, params, labels)
    correct(benchmark, params, [one for one in labels if not one.repeat])


def compare_raters(benchmark: AnyBenchmark, params: Params, labels: Sequence[Rating]) -> None:
    """Compare verdicts as they were given; split the variance of what they count."""
    items, scores, counting = benchmark.items(params), list[Rating](), list[Rating]()
    conditional, block = conditional_in(benchmark, items), benchmark.block(params)
    raters = [*block.judges] or benchmark.raters(block)  # without judges, observers
    for contestant, judge in product(benchmark.contestants(params), raters):
        rows = list(read_rows(benchmark.said(contestant, judge), OBSERVED))
        scores += ratings_of_judge(contestant, judge, rows)
        counting += ratings_of_judge(contestant, judge, counted_rows(rows, conditional))
    verdicts = [measure for measure, scale in benchmark.measures.items() if scale == VERDICTS]
    by = benchmark.agreement_by
    groups = {} if by is None else {str(item.id): by(item) for item in items}
    people, passed_over = labels_of_scored_answers(labels, scores)
    if passed_over:
        print(f"{benchmark.name}.board: {labels_path(benchmark, params)}: {passed_over}")
    found = agreements(scores, people, params.seed, verdicts, groups)
    strata = dict(zip((str(item.id) for item in items), benchmark.strata_of(items).tolist(), strict=True))
    reliable = [*reliabilities(counting, strata)]
    path = benchmark.metrics_folder(params) / "agreement.json"
    write_json(path, flat_agreement(found) | flat_reliability(reliable))
    if not found:
        wanted = "name another judge or observer, more repeats, or put people's scores in"
        print(f"{benchmark.name}.board: nothing was scored twice: {wanted} {labels_path(benchmark, params)}")
    for setting, measure, split in reliable:
        print(f"To halve the interval of {measure} ({setting}): {purchases_in_words(split)}")
    print(f"{benchmark.name}.board: who agrees with whom, and where variance comes from, stands in {path}")
