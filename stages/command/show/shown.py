"""Which of both is to be shown: a record of a stage, or an item of a benchmark."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from stages.command.show.item import show_item
from stages.command.show.lines import like
from stages.command.show.record import show_record
from stages.evaluation.defining.parameters import STAGE_OF
from stages.leaderboard.rooms import NAMES, room_of
from stages.project import pipeline
from stages.project.errors import UserError
from stages.project.parameters import load
from stages.project.staleness import staleness

MEASURING = ("answer", "judge", *STAGE_OF.values())
"""Stages of every benchmark whose records are called as answers are."""


def shown(of: str, record: str, out: Path) -> Iterator[str]:
    """Yield the lines that show a record of a stage, or an item of a benchmark; files go below `out`. A stage goes by
    its name (`room.judge@careful-world`) or as `dvc repro` prints it.
    """
    if of in NAMES:
        benchmark = room_of(of).benchmark
        return chain(show_item(benchmark, load(benchmark.params), record, out), stale(f"{of}.score"))
    known = pipeline.stages()
    stage = next((name for name in known if of == pipeline.address(name)), of)
    if stage not in known and not any(name.startswith(f"{stage}@") for name in known):
        raise UserError(f"there is no stage or benchmark {of!r}{like(of, [*known, *NAMES])}")
    return chain(show_record(stage, record, out), more(stage, record), stale(stage))


def more(stage: str, record: str) -> Iterator[str]:
    """Yield which command shows the item that a record of a measuring stage is about, and all answers to it."""
    room, _, cell = stage.partition(".")
    if room in NAMES and cell.partition("@")[0] in MEASURING:
        yield f"\nits item, and all that was said of it: `gamut show {room} {record}`"


def stale(stage: str) -> Iterator[str]:
    if said := staleness([stage]):
        yield f"\n{said}"
