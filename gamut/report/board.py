"""The board of a benchmark and its other results: what rules find, scores, agreement, people's corrections, values by
the authors' released code, the tables of the paper, and the pages. No model is asked.
"""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module
from pathlib import Path

from gamut.evaluation.boards import agree, rank, score
from gamut.evaluation.defining.benchmark import AnyBenchmark, benchmark_of
from gamut.evaluation.defining.cells import record_of
from gamut.evaluation.defining.parameters import RULES, Params
from gamut.evaluation.scoring.paper_tables import write_paper_tables
from gamut.project.files import delete_unwanted
from gamut.project.plain_text import amount
from gamut.project.stage import main
from gamut.report.benchmarks.boards import write_boards, write_contestants
from gamut.report.benchmarks.items import write_items
from gamut.report.benchmarks.judges import write_judges
from gamut.report.benchmarks.results import read_results
from gamut.report.site.folder import REPORT, Folder, claim


def board(benchmark: AnyBenchmark, params: Params) -> None:
    benchmark.require_watched(params)
    for contestant in benchmark.contestants(params):
        if benchmark.rules:
            score.measure(benchmark, params, contestant)
        score.score(benchmark, params, contestant)
    labels = agree.agree(benchmark, params)
    if benchmark.has_observers:
        agree.observer_errors(benchmark, params, labels)
    boards = rank.rank(benchmark, params)
    if benchmark.released:
        import_module(benchmark.released.module).released(params)
    write_paper_tables(benchmark, params, boards)
    pages(benchmark, params)


def forget_others(benchmark: AnyBenchmark, params: Params) -> None:
    delete_unwanted(benchmark.answers, [*benchmark.contestants(params)])
    raters = [place for place in benchmark.raters(benchmark.block(params)) if place != RULES]
    delete_unwanted(
        benchmark.judgments, [f"{one}/{other}" for one in benchmark.contestants(params) for other in raters]
    )


def pages(benchmark: AnyBenchmark, params: Params, report: Path = REPORT, stale: str | None = None) -> None:
    """Write the pages of a benchmark. `stale` says why its board does not fit these parameters, if so."""
    claim(report)
    folder = Folder(report / "benchmarks" / benchmark.name)
    found = read_results(benchmark, params)
    folder.write_assets()
    index = write_items(folder, found)
    write_boards(folder, found, index, stale)
    write_contestants(folder, found, index)
    write_judges(folder, found)
    folder.forget_others()
    first = folder.path / "index.html"
    print(f"{benchmark.name}.pages: {amount(len(folder.written), 'file')}; open {first}")


if __name__ == "__main__":
    benchmark = benchmark_of(sys.argv[1])
    forget, record = partial(forget_others, benchmark), record_of(benchmark, "board")
    run = partial(board, benchmark)
    main(f"{benchmark.name}.board", run, benchmark.params, *sys.argv[2:], before=forget, record=record)
