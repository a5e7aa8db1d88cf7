"""Pages of the dataset, and the first page: `python -m stages.report.report`, behind the pages of all benchmarks."""

from __future__ import annotations

from pathlib import Path

from stages.dataset.shared.parameters import Params
from stages.project.plain_text import amount
from stages.project.stage import main
from stages.report.dataset.writing import write_dataset
from stages.report.front import write_front
from stages.report.site.folder import REPORT, Folder, claim


def report(_: Params) -> None:
    """Write the dataset's pages, and the first page."""
    claim(REPORT)
    dataset_pages(REPORT)
    write_front(REPORT)


def dataset_pages(place: Path) -> None:
    """Write the dataset's pages below the report's folder."""
    folder = Folder(place / "dataset")
    folder.write_assets()
    shown = write_dataset(folder)
    folder.forget_others()
    extent = f"{amount(shown, 'picture')} on {amount(len(folder.written), 'file')}"
    print(f"report: {extent}; open {folder.path / 'index.html'}", flush=True)


if __name__ == "__main__":
    main("report", report, Params)
