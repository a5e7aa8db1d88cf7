"""Boards as one picture: a panel a view and judge, in it bars with intervals, groups of ties, and profiles over strata.

`dvc plots` shows the same and compares versions, in a page that has to be made and opened.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from PIL import Image, ImageDraw

from stages.evaluation.defining.parameters import CONTROL
from stages.evaluation.scoring.board import (
    NOT_ALL,
    NOTE,
    Board,
    Standing,
    is_whole,
    marked,
    rank_in_words,
    without_rank,
)
from stages.evaluation.scoring.estimates import Estimate
from stages.evaluation.scoring.plots import is_control
from stages.project.files import write_whole
from stages.project.plain_text import decimals
from stages.tables.drawing import FAINT, INK, PAPER, font, lossless

WIDTH, MARGIN, GUTTER = 1200, 28, 16
RANKS, NAMES, BARS, NUMBERS = 54, 190, 330, 56
PITCH, BAR, HEADINGS, GAP, LINE = 26, 14, 46, 14, 18
BLUE, GREY, BAND, GRID = "#4a78b5", "#b4bbc1", "#f1f4f7", "#d9dee2"
PALE, DEEP = (244, 248, 252), (88, 138, 196)
"""Colours of the lowest and the highest cell of a profile."""


def draw_board(path: Path, title: str, boards: Sequence[Board], remarks: Sequence[str] = ()) -> None:
    """Draw the boards as a lossless WebP file: bars of the reported value that ranks, and cells of those in the view's
    profile; below stands what a reader has to know, and `remarks`.
    """
    rows = sum(len(board.rows) for board in boards)
    below = [*notes(boards), *remarks]
    lines = len(below) + sum(len(board.said) for board in boards)
    height = 2 * MARGIN + 60 + rows * PITCH + len(boards) * (HEADINGS + GAP + 36) + lines * LINE  # cut below
    canvas = Image.new("RGB", (WIDTH, height), PAPER)
    draw = ImageDraw.Draw(canvas)
    draw.text((MARGIN, MARGIN), title, INK, font(22))
    y = MARGIN + 42
    for board in boards:
        y = panel(draw, y, board)
    for line in below:
        draw.text((MARGIN, y), shortened(line, WIDTH - 2 * MARGIN, 12), FAINT, font(12))
        y += LINE
    write_whole(path, lossless(canvas.crop((0, 0, WIDTH, y + 4 + MARGIN))))


def notes(boards: Sequence[Board]) -> list[str]:
    """Return what a reader has to know, line by line."""
    ranking = ", ".join(dict.fromkeys(board.view.shown[0] for board in boards))
    lines = [
        f"Bars: {ranking}, with 95 % intervals. A stroke on the left joins contestants that cannot be told from the "
        "best of them; ranks are those that each may have.",
        "Ranks come from pairs, on the items that both were asked. Grey: controls, answers whose worth is known, and "
        "boards of judges that failed their trial.",
    ]
    in_part = (board for board in boards if not all(map(is_whole, board.rows)))
    lines += [NOTE] if any(in_part) else []
    return lines + [f"{board.view.name}, {board.judge}: {one}" for board in boards for one in without_rank(board.rows)]


def end_of(board: Board) -> float:
    """Return where the axis of bars ends: at the highest value that can be, else at the highest that is there."""
    found = (row.estimates.get(board.view.shown[0]) for row in board.rows)
    there = [one.value if one.high is None else one.high for one in found if one]
    return board.highest or max((*there, 0)) or 1


def panel(draw: ImageDraw.ImageDraw, y: int, board: Board) -> int:
    """Draw one board; return where the next begins."""
    standings, by, profile, highest = board.rows, board.view.shown[0], board.view.profile, end_of(board)
    left = MARGIN + RANKS + NAMES
    cells = left + BARS + NUMBERS + GUTTER
    wide = (WIDTH - MARGIN - cells) // max(1, len(profile))
    draw.text((MARGIN, y), f"{board.view.name}, {board.seen_by} {board.judge}", INK, font(17))
    for told in board.said:
        draw.text((MARGIN, y + 24), shortened(told, WIDTH - 2 * MARGIN, 13), INK, font(13))
        y += LINE
    for x, heading in ((MARGIN + 6, "rank"), (left, by)):
        draw.text((x, y + HEADINGS - 4), heading, FAINT, font(12), anchor="ls")
    for number, name in enumerate(profile):
        for line, word in enumerate(reversed(re.split(r"[_.]", name))):
            at = cells + number * wide + wide // 2, y + HEADINGS - 4 - 14 * line
            draw.text(at, shortened(word, wide - 2, 12), FAINT, font(12), anchor="ms")
    y += HEADINGS
    contestants = [row for row in standings if not is_control(row)]
    controls = [row for row in standings if is_control(row)]
    values = [row.estimates[name].value for row in contestants for name in profile if name in row.estimates]
    top, end = y, y + len(standings) * PITCH + (GAP if controls else 0)
    bands(draw, y, contestants)
    for share in (0, 0.25, 0.5, 0.75, 1):
        x = left + round(BARS * share)
        draw.line((x, top, x, end), GRID)
        draw.text((x, end + 3), f"{highest * share:.4g}", FAINT, font(11), anchor="ma")
    for row in (*contestants, *controls):
        if controls and row is controls[0]:
            draw.line((MARGIN, y + GAP // 2, WIDTH - MARGIN, y + GAP // 2), GRID)
            y += GAP
        middle = y + PITCH // 2
        ink, colour = (INK, BLUE) if board.trusted and not is_control(row) else (FAINT, GREY)
        draw.text((MARGIN + 6, middle), rank_in_words(row), ink, font(13), anchor="lm")
        room = NAMES - 8 - (0 if is_whole(row) else font(14).getlength(NOT_ALL))
        name = marked(row, shortened(row.name.removeprefix(CONTROL), room, 14))
        draw.text((MARGIN + RANKS, middle), name, ink, font(14), anchor="lm")
        bar(draw, left, middle, row.estimates.get(by), highest, colour, ink)
        for number, name in enumerate(profile):
            box = cells + number * wide, y + 1, cells + (number + 1) * wide - 2, y + PITCH - 2
            heat(draw, box, row.estimates.get(name), values, ink)
        y += PITCH
    return end + 36


def bands(draw: ImageDraw.ImageDraw, y: int, contestants: Sequence[Standing]) -> None:
    """Lay a band behind every second group of ties, and a stroke before those of more than one.

    Where others stand between a group's rows, because their averages are over unlike items, each part has its own.
    """
    for group, rows in groupby(contestants, key=lambda row: row.tie_group):
        top, y = y, y + len(list(rows)) * PITCH
        if group is not None and group % 2:
            draw.rectangle((MARGIN, top, WIDTH - MARGIN, y - 1), BAND)
        if group is not None and y - top > PITCH:
            draw.rectangle((MARGIN, top + 3, MARGIN + 2, y - 4), BLUE)


def bar(
    draw: ImageDraw.ImageDraw, left: int, middle: int, found: Estimate | None, highest: float, colour: str, ink: str
) -> None:
    """Draw a value with its interval and number; a dash where there is none."""
    right = left + BARS + NUMBERS
    if found is None:
        draw.text((right, middle), "-", FAINT, font(14), anchor="rm")
        return

    def place(value: float) -> int:
        return left + round(min(max(value / highest, 0), 1) * BARS)

    draw.rectangle((left, middle - BAR // 2, place(found.value), middle + BAR // 2), colour)
    if found.low is not None and found.high is not None:
        low, high = place(found.low), place(found.high)
        draw.line((low, middle, high, middle), INK, 2)
        for end in (low, high):
            draw.line((end, middle - 4, end, middle + 4), INK, 2)
    draw.text((right, middle), decimals(found.value), ink, font(14), anchor="rm")


def heat(
    draw: ImageDraw.ImageDraw,
    box: tuple[int, int, int, int],
    found: Estimate | None,
    values: Sequence[float],
    ink: str,
) -> None:
    """Draw one cell: of contestants the deeper the higher, in faint ink, as of controls, the number alone."""
    middle = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    if found is None:
        draw.text(middle, "-", FAINT, font(13), anchor="mm")
        return
    if ink == INK:
        share = (found.value - min(values)) / ((max(values) - min(values)) or 1)
        draw.rectangle(box, tuple(round(p + share * (d - p)) for p, d in zip(PALE, DEEP, strict=True)))
    draw.text(middle, decimals(found.value), ink, font(13), anchor="mm")


def shortened(text: str, width: float, size: int) -> str:
    """Return a text that is at most so many pixels wide in letters of a size."""
    if font(size).getlength(text) <= width:
        return text
    while text and font(size).getlength(f"{text}…") > width:
        text = text[:-1]
    return f"{text}…"
