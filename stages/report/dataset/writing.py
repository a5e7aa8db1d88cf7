"""All pages of the dataset, from whatever of its tables and metric files is there."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import SpooledTemporaryFile

from stages.dataset.reporting.outputs import METRICS
from stages.dataset.shared.parameters import CHARACTERISTICS
from stages.report.dataset.figures import calibrated, funnel, grid, sections
from stages.report.dataset.gallery import PER_PAGE, Gathered, write_gallery, write_unpainted
from stages.report.dataset.records import LIMIT, Gallery, gallery
from stages.report.dataset.word_index import WordIndex
from stages.report.site.folder import Folder
from stages.report.site.metric_files import metric_file
from stages.report.site.pages import page, script_of

CALIBRATION = Path("metrics/calibration.json")
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
        ),
    )


def write_finding(folder: Folder, shown: Gallery, gathered: Gathered) -> None:
    """Write the search, and its index in scripts beside it: a page from disk can load nothing else."""
    names = gathered.words.write(folder)
    scores = {name: values for name, values in gathered.scores.items() if any(one is not None for one in values)}
    facets = {
        "rows": gathered.count,
        "perPage": PER_PAGE,
        "waves": list(gathered.waves),
        "outcomes": list(gathered.outcomes),
        "categories": list(CHARACTERISTICS),
        "wave": gathered.wave,
        "outcome": gathered.outcome,
        "category": gathered.category,
        "scores": scores,
        "buckets": names,
    }
    folder.write("index/facets.js", script_of("facets", facets))
    values = {"gathered": gathered, "shown": shown, "categories": CHARACTERISTICS, "scores": list(scores), "root": ""}
    folder.write("search.html", page("dataset_search.html", here="search", title="Search the pictures", **values))
