"""Pages of the dataset, and the first page: `python -m gamut.report.report`, behind the pages of all benchmarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gamut.dataset.reporting.outputs import METRICS
from gamut.evaluation.defining.benchmark import benchmark_of
from gamut.evaluation.defining.boards import BOARDS, reason_of
from gamut.evaluation.defining.parameters import Params
from gamut.pipeline.entries import PERSISTED
from gamut.pipeline.steps import Makes, StepParameters, start
from gamut.project.errors import UserError
from gamut.project.parameters import load
from gamut.project.plain_text import amount, harmless_text
from gamut.report.benchmarks.boards import Board, Row, boards
from gamut.report.benchmarks.results import Results, as_number, read_results
from gamut.report.dataset.gallery import write_dataset
from gamut.report.dataset.records import TABLES
from gamut.report.site.folder import REPORT, Folder, claim
from gamut.report.site.metric_files import read_metric_file
from gamut.report.site.pages import write_page


def report(_: StepParameters) -> None:
    claim(REPORT)
    dataset_pages(REPORT)
    write_front(REPORT)


def dataset_pages(place: Path) -> None:
    folder = Folder(place / "dataset")
    folder.write_assets()
    shown = write_dataset(folder)
    folder.forget_others()
    extent = f"{amount(shown, 'picture')} on {amount(len(folder.written), 'file')}"
    print(f"report: {extent}; open {folder.path / 'index.html'}", flush=True)


class Column(NamedTuple):
    """A board as a column of the first page. `start`: what its keys begin with in metrics/leaderboard.json."""

    results: Results
    board: Board
    start: str
    rows: dict[str, Row]


def write_front(place: Path, stale: Mapping[str, str] | None = None) -> None:
    """`stale`: what was not built with these parameters, by name. A board that cannot be read hides no other."""
    folder = Folder(place)
    found, left_out, columns = list[Results](), dict[str, str](), list[Column]()
    for path in sorted(BOARDS.glob("*.json")):
        name = path.name.partition(".")[0]
        if path == reason_of(name):
            left_out[name] = " ".join(map(str, read_metric_file(path).values()))
            continue
        try:
            benchmark = benchmark_of(name)
            one = read_results(benchmark, load(benchmark.params))
            for board in boards(one):
                rows = {row.name: row for row in board.rows if not row.control}
                columns.append(Column(one, board, f"{one.name}.{one.block.edition}.", rows))
            found.append(one)
        except UserError as error:
            left_out[name] = str(error)
            print(f"front: {name} is left out: {harmless_text(str(error))}", flush=True)
    folder.write_assets()
    write_page(
        folder,
        "index.html",
        "front.html",
        "What was built and measured",
        "front",
        home="index.html",
        released=release_figures(read_metric_file(METRICS)),
        benchmarks=found,
        left_out=left_out,
        stale=stale or {},
        columns=columns,
        contestants=contestants_of(columns),
    )
    print(f"report: open {folder.path / 'index.html'}", flush=True)


def release_figures(metrics: Mapping[str, Any]) -> dict[str, float]:
    found = metrics.get("release")
    return {name: one for name, one in found.items() if as_number(one) is not None} if isinstance(found, dict) else {}


def contestants_of(columns: Sequence[Column]) -> list[str]:
    """Return all who stand on some board, in the order of params.yaml."""
    known = list(load(Params).contestants) if columns else []
    there = {name for column in columns for name in column.rows}
    return [name for name in known if name in there] + sorted(there - {*known})


STEP = Makes(
    "report",
    module="gamut.report.report",
    run=report,
    reads=f"{' '.join(map(str, TABLES))} datasets/boards {METRICS} metrics/calibration.json report/benchmarks",
    tracked=("contestants",),
    outs=({"report/dataset": PERSISTED}, {"report/assets": PERSISTED}, "report/index.html"),
    remark="Pages: kept beside what they are made from (pulled and checked out with it), written over when changed",
)

if __name__ == "__main__":
    start(STEP)
