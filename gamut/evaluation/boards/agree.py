"""How far judges agree with each other, with themselves and with people on the edition's answers, and where the
variance of scores comes from. People's scores (`labelling.labels`) also correct what judges say (`correct`).
"""

from __future__ import annotations

from collections.abc import Sequence

from gamut.evaluation.boards.correct import correct
from gamut.evaluation.boards.score import OBSERVED
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.parameters import Params
from gamut.evaluation.labelling.labels import all_said, changed_since, labels_path, scored_too, task_of
from gamut.evaluation.running.checklists import VERDICTS
from gamut.evaluation.scoring.agreement import Rating, agreements, flat, ratings
from gamut.evaluation.scoring.conditions import conditional_in, counted_rows
from gamut.evaluation.scoring.reliability import flat_reliability, next_in_words, reliabilities
from gamut.project.decisions import FOLDER
from gamut.project.files import write_json
from gamut.project.plain_text import amount
from gamut.tables.reading import read_rows


def agree(benchmark: AnyBenchmark, params: Params) -> None:
    changed = changed_since(benchmark, params)
    if changed:
        where = f"{FOLDER}/*/{task_of(benchmark, params)}.jsonl"
        print(f"{benchmark.name}.board: {where}: {amount(len(changed), 'label')} of answers that are others by now")
    said = all_said(benchmark, params, changed)
    compare(benchmark, params, said)
    correct(benchmark, params, [one for one in said if not one.repeat])


def compare(benchmark: AnyBenchmark, params: Params, said: Sequence[Rating]) -> None:
    """Compare all that was scored more than once, verdicts as they were given; of variance what these count."""
    items, scores, counting = benchmark.items(params), list[Rating](), list[Rating]()
    conditional = conditional_in(benchmark, items)
    for contestant, judge in cells(benchmark, params):
        rows = list(read_rows(benchmark.said(contestant, judge), OBSERVED))
        scores += ratings(contestant, judge, rows)
        counting += ratings(contestant, judge, counted_rows(rows, conditional))
    verdicts = [measure for measure, scale in benchmark.measures.items() if scale == VERDICTS]
    by = benchmark.agreement_by
    groups = {} if by is None else {str(item.id): by(item) for item in items}
    people, passed_over = scored_too(said, scores)
    if passed_over:
        print(f"{benchmark.name}.board: {labels_path(benchmark, params)}: {passed_over}")
    found = agreements(scores, people, params.seed, verdicts, groups)
    strata = dict(zip((str(item.id) for item in items), benchmark.strata_of(items).tolist(), strict=True))
    reliable = [*reliabilities(counting, strata)]
    path = benchmark.metrics_folder(params) / "agreement.json"
    write_json(path, flat(found) | flat_reliability(reliable))
    if not found:
        wanted = "name another judge or observer, more repeats, or put people's scores in"
        print(f"{benchmark.name}.board: nothing was scored twice: {wanted} {labels_path(benchmark, params)}")
    for setting, measure, split in reliable:
        print(f"To halve the interval of {measure} ({setting}): {next_in_words(split)}")
    print(f"{benchmark.name}.board: who agrees with whom, and where variance comes from, stands in {path}")


def cells(benchmark: AnyBenchmark, params: Params) -> list[tuple[str, str]]:
    """Return who is judged by whom; where there are no judges, who is looked at by which observer."""
    block = benchmark.block(params)
    raters = [*block.judges] or benchmark.raters(block)
    return [(contestant, judge) for contestant in benchmark.contestants(params) for judge in raters]
