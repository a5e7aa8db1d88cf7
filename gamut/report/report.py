"""Pages of the dataset, and the first page: `python -m gamut.report.report`, after the pages of all benchmarks."""

from __future__ import annotations

from pathlib import Path

from gamut.dataset.reporting.outputs import METRICS
from gamut.pipeline.entries import PERSISTED
from gamut.pipeline.steps import Makes, StepParameters, start
from gamut.project.plain_text import amount
from gamut.report.dataset.gallery import write_dataset
from gamut.report.dataset.records import TABLES
from gamut.report.front import write_front
from gamut.report.site.folder import REPORT, Folder, claim


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


STEP = Makes(
    "report",
    module="gamut.report.report",
    run=report,
    reads=f"{' '.join(map(str, TABLES))} datasets/boards {METRICS} metrics/calibration.json report/benchmarks",
    tracked=("contestants", "models"),
    outs=({"report/dataset": PERSISTED}, {"report/assets": PERSISTED}, "report/index.html"),
    remark="Pages: kept beside what they are made from (pulled and checked out with it), written over when changed",
)

if __name__ == "__main__":
    start(STEP)
