"""All pages of the dataset, from whatever of its tables and metric files is there."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import SpooledTemporaryFile

from stages.dataset.reporting.outputs import METRICS, PLOTS
from stages.report.dataset.figures import calibrated, curves, funnel, grid, histograms, sections
from stages.report.dataset.finding import write_finding
from stages.report.dataset.gallery import Gathered, write_gallery, write_unpainted
from stages.report.dataset.records import Gallery, gallery
from stages.report.dataset.sample import LIMIT
from stages.report.dataset.word_index import WordIndex
from stages.report.site.folder import Folder
from stages.report.site.metric_files import metric_file
from stages.report.site.pages import page

CALIBRATION = Path("metrics/calibration.json")
CURVES = Path("metrics/precision_recall")
IN_MEMORY = 16_000_000
"""Bytes of a small index of words, which needs no disk."""


def write_dataset(folder: Folder, limit: int = LIMIT) -> int:
    """Write the pages of the dataset and return how many pictures they show, `limit` at most."""
    shown = gallery(limit)
    with SpooledTemporaryFile(max_size=IN_MEMORY) as aside:
        gathered = Gathered(WordIndex(aside))
        if shown is not None:
            write_gallery(folder, shown, gathered)
            write_finding(folder, shown, gathered)
    unpainted = write_unpainted(folder, shown, gathered, limit)
    write_overview(folder, shown, gathered, unpainted)
    return gathered.count


def write_overview(folder: Folder, shown: Gallery | None, gathered: Gathered, unpainted: Counter[str]) -> None:
    """Write the first page: the dataset's figures as charts, and the ways to its rows."""
    found, calibration = metric_file(METRICS), calibrated(CALIBRATION)
    folder.write(
        "index.html",
        page(
            "dataset_overview.html",
            root="",
            here="overview",
            title="The dataset",
            shown=shown,
            outcomes=gathered.counts(),
            unpainted=unpainted,
            funnel=funnel(found),
            sections=list(sections(found)),
            calibration=grid("filter", calibration, "") if calibration else None,
            scores=histograms(PLOTS / "scores.csv", "score"),
            lengths=histograms(PLOTS / "word_counts.csv", "words"),
            curves=curves(CURVES, calibration),
        ),
    )
