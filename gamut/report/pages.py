"""Pages of a benchmark."""

from __future__ import annotations

from pathlib import Path

from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.parameters import Params
from gamut.project.plain_text import amount
from gamut.report.benchmarks.boards import write_boards, write_contestants
from gamut.report.benchmarks.comparisons import write_comparisons
from gamut.report.benchmarks.items import write_items
from gamut.report.benchmarks.judges import write_judges
from gamut.report.benchmarks.results import read_results
from gamut.report.site.folder import REPORT, Folder, claim


def pages(benchmark: AnyBenchmark, params: Params, report: Path = REPORT, stale: str | None = None) -> None:
    """`stale`: that the benchmark's board was not built with these parameters."""
    claim(report)
    folder = Folder(report / "benchmarks" / benchmark.name)
    found = read_results(benchmark, params)
    folder.write_assets()
    index = write_items(folder, found)
    write_boards(folder, found, index, stale)
    write_contestants(folder, found, index)
    write_comparisons(folder, found, index)
    write_judges(folder, found)
    folder.forget_others()
    first = folder.path / "index.html"
    print(f"{benchmark.name}.pages: {amount(len(folder.written), 'file')}; open {first}")
