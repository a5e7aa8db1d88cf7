"""Pages of a benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from stages.evaluation.defining.benchmark import Benchmark
from stages.evaluation.defining.parameters import Params
from stages.project.plain_text import amount
from stages.report.benchmarks.boards import write_boards
from stages.report.benchmarks.comparisons import write_comparisons
from stages.report.benchmarks.contestants import write_contestants
from stages.report.benchmarks.items import write_items
from stages.report.benchmarks.judges import write_judges
from stages.report.benchmarks.measured import measured
from stages.report.site.folder import REPORT, Folder, claim


def pages(benchmark: Benchmark[Any, Any], params: Params, report: Path = REPORT, stale: str | None = None) -> None:
    """Write a benchmark's pages below the report's folder. `stale`: that its board was not built with these
    parameters.
    """
    claim(report)
    folder = Folder(report / "benchmarks" / benchmark.name)
    found = measured(benchmark, params)
    folder.write_assets()
    write_boards(folder, found, stale)
    write_contestants(folder, found, write_items(folder, found))
    write_comparisons(folder, found)
    write_judges(folder, found)
    folder.forget_others()
    first = folder.path / "index.html"
    print(f"{benchmark.name}.pages: {amount(len(folder.written), 'file')}; open {first}")
