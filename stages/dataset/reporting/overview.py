"""The build at a glance, after figure 4 of FLUX-Reason-6M: tables for `dvc plots`, and one picture of the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from stages.dataset.reporting.counts import DESCRIPTIONS, WORDS_PER_BIN
from stages.dataset.reporting.figures import Build, Report, own_reasons
from stages.project.files import write_csv, write_whole
from stages.tables.drawing import FAINT, INK, PAPER, font, lossless

Table = tuple[Sequence[str], Iterable[Sequence[object]]]
"""Column names, and rows."""
WIDTH, MARGIN, GUTTER = 1200, 28, 44
COLUMN = (WIDTH - 2 * MARGIN - GUTTER) // 2
BAR, PITCH, LABELS, NUMBERS = 16, 24, 224, 108
PLOT_HEIGHT, PLOT_PITCH, PLOTS_PER_ROW = 84, 132, 4
GREEN, RED, BLUE, GREY = "#3f8f6b", "#c1584f", "#4a78b5", "#d9dee2"
Bar = tuple[str, int, str]
"""A label, a number, and what stands behind the number."""


def write_plots(build: Build, folder: Path) -> None:
    for name, (columns, rows) in tables(build).items():
        write_csv(folder / f"{name}.csv", columns, rows)


def tables(build: Build) -> dict[str, Table]:
    report = build.report
    lengths = {name: build.captions.lengths[name] for name in DESCRIPTIONS}
    pictures = build.captions.pictures
    return {
        "word_counts": side_by_side("words", until_the_last(lengths), WORDS_PER_BIN),
        "scores": side_by_side("score", build.scores, 1),
        "sources": (("source", "pictures"), [(wave, of["released"]) for wave, of in report["sources"].items()]),
        "reasons": (("reason", "rows"), reasons(report)),
        "captions_per_picture": (
            ("captions", "pictures"),
            [(number, pictures[number]) for number in range(1, max(pictures, default=1) + 1)],
        ),
    }


def side_by_side(x: str, counts: Mapping[str, NDArray[np.int64]], width: int) -> Table:
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


def overview(path: Path, build: Build) -> None:
    report = build.report
    sources = [(wave, of["released"], f"{of['share']:.1%}") for wave, of in report["sources"].items()]
    described = [(n, of["captions"], f"{of['share_of_pictures']:.1%}") for n, of in report["descriptions"].items()]
    left_out = [(reason, count, "") for reason, count in reasons(report)]
    lengths = until_the_last(build.captions.lengths)
    rows = len(sources) + len(described) + len(left_out)
    plots = rows_of(lengths) + rows_of(build.scores)
    sheet = Image.new("RGB", (WIDTH, 400 + rows * PITCH + plots * PLOT_PITCH), PAPER)  # more than enough, cut below
    draw = ImageDraw.Draw(sheet)
    right = MARGIN + COLUMN + GUTTER
    y = bars(draw, (MARGIN, MARGIN), "Released pictures by source", sources, BLUE)
    y = bars(draw, (MARGIN, y), "Captions by description, and share of pictures", described, GREEN)
    other = bars(draw, (right, MARGIN), "Left out, by filter and reason", left_out, RED)
    y = histograms(draw, max(y, other), "Words in English captions", lengths, WORDS_PER_BIN, GREEN)
    y = histograms(draw, y, "Scores", build.scores, 1, BLUE)
    write_whole(path, lossless(sheet.crop((0, 0, WIDTH, y))))


def bars(draw: ImageDraw.ImageDraw, corner: tuple[int, int], title: str, rows: Sequence[Bar], colour: str) -> int:
    """Draw horizontal bars with their numbers; return where the next thing begins."""
    x, y = corner
    draw.text((x, y), title, INK, font(19))
    y += 36
    longest = max((number for _, number, _ in rows), default=0) or 1
    for label, number, share in rows:
        middle = y + BAR // 2
        length = round(number / longest * (COLUMN - LABELS - NUMBERS))
        draw.text((x, middle), label, INK, font(14), anchor="lm")
        if number:
            draw.rectangle((x + LABELS, y, x + LABELS + length, y + BAR), colour)
        draw.text((x + LABELS + length + 8, middle), f"{number:,}", INK, font(14), anchor="lm")
        draw.text((x + COLUMN, middle), share, FAINT, font(14), anchor="rm")
        y += PITCH
    return y + 20


def histograms(
    draw: ImageDraw.ImageDraw, y: int, title: str, counts: Mapping[str, NDArray[np.int64]], width: int, colour: str
) -> int:
    """Draw histograms of the same bins in rows, each scaled to its own peak; return where the next thing begins."""
    draw.text((MARGIN, y), title, INK, font(19))
    y += 40
    across = (WIDTH - 2 * MARGIN - (PLOTS_PER_ROW - 1) * GUTTER) // PLOTS_PER_ROW
    for number, (name, column) in enumerate(counts.items()):
        row, place = divmod(number, PLOTS_PER_ROW)
        left, top = MARGIN + place * (across + GUTTER), y + row * PLOT_PITCH
        floor = top + 20 + PLOT_HEIGHT
        draw.text((left, top), name, INK, font(14))
        draw.text((left + across, top), f"{column.sum():,}", FAINT, font(14), anchor="ra")
        edges = [left + round(across * bin_ / len(column)) for bin_ in range(len(column) + 1)]
        for count, start, end in zip(column, edges, edges[1:], strict=False):
            if count:
                tall = max(1, round(PLOT_HEIGHT * count / column.max()))
                draw.rectangle((start, floor - tall, end - 2, floor), colour)
        draw.line((left, floor + 1, left + across, floor + 1), GREY)
        draw.text((left, floor + 4), "0", FAINT, font(12))
        draw.text((left + across, floor + 4), f"{(len(column) - 1) * width}", FAINT, font(12), anchor="ra")
    return y + rows_of(counts) * PLOT_PITCH + 12


def rows_of(plots: Sized) -> int:
    return -(-len(plots) // PLOTS_PER_ROW)
