"""The tables behind `dvc plots`, one CSV file each: word counts, scores, sources, reasons, captions per picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stages.dataset.reporting.counts import DESCRIPTIONS, WORDS_PER_BIN
from stages.dataset.reporting.figures import Build, Report, own_reasons
from stages.project.files import write_csv

Table = tuple[Sequence[str], Iterable[Sequence[object]]]
"""Column names, and rows."""


def write_plots(build: Build, folder: Path) -> None:
    for name, (columns, rows) in tables(build).items():
        write_csv(folder / f"{name}.csv", columns, rows)


def tables(build: Build) -> dict[str, Table]:
    report = build.report
    lengths = {name: build.captions.lengths[name] for name in DESCRIPTIONS}
    pictures = build.captions.pictures
    return {
        "word_counts": histograms("words", until_the_last(lengths), WORDS_PER_BIN),
        "scores": histograms("score", build.scores, 1),
        "sources": (("source", "pictures"), [(wave, of["released"]) for wave, of in report["sources"].items()]),
        "reasons": (("reason", "rows"), reasons(report)),
        "captions_per_picture": (
            ("captions", "pictures"),
            [(number, pictures[number]) for number in range(1, max(pictures, default=1) + 1)],
        ),
    }


def histograms(x: str, counts: Mapping[str, NDArray[np.int64]], width: int) -> Table:
    """Return histograms side by side: where each bin begins, then a column for each."""
    rows = zip(*(column.tolist() for column in counts.values()), strict=True)
    return (x, *counts), [(number * width, *row) for number, row in enumerate(rows)]


def until_the_last(counts: Mapping[str, NDArray[np.int64]]) -> dict[str, NDArray[np.int64]]:
    """Return histograms without the bins at their end that are empty in all of them; the first bin stays."""
    filled = np.flatnonzero(np.sum(list(counts.values()), axis=0))
    end = filled.max(initial=0) + 1
    return {name: column[:end] for name, column in counts.items()}


def reasons(report: Report) -> list[tuple[str, int]]:
    """Return how many rows each filter left out for each reason of its own, in the order of the filters."""
    return [
        (f"{name}: {reason.removeprefix(f'{name}_')}", count)
        for name, own in own_reasons(report).items()
        for reason, count in own.items()
        if reason != "kept"
    ]
