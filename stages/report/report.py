"""Pages of the dataset: `python -m stages.report.report`, a leaf of its pipeline."""

from __future__ import annotations

from pathlib import Path

from stages.dataset.shared.parameters import Params
from stages.project.stage import main
from stages.report.dataset.writing import write_dataset
from stages.report.site.folder import Folder

DATASET = Path("report/dataset")
"""Where the dataset's pages lie."""


def report(_: Params, place: Path = DATASET) -> None:
    """Write the dataset's pages."""
    folder = Folder(place)
    folder.write_assets()
    shown = write_dataset(folder)
    folder.forget_others()
    print(f"report: {shown:,} pictures on {len(folder.written):,} files; open {place / 'index.html'}")


if __name__ == "__main__":
    main("report", report, Params)
