"""A sitting: a person decides what a task puts, on a page served here."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Iterator

from gamut.deciding.cards import Task
from gamut.deciding.desk import Counts, Desk
from gamut.deciding.server import Server
from gamut.project.decisions import opened, path_of


def sit(task: Task, reviewer: str, port: int = 0, show: bool = True) -> None:
    """Serve a task to its reviewer until Ctrl-C, and tell what came of it; UserError where somebody else has it open.

    `show`: open the page in this machine's browser, where there is one.
    """
    with opened(reviewer, task.name) as log:
        desk = Desk(task, log)
        began = desk.counts
        with Server(desk, reviewer, port) as server:
            print(*told_before(task, reviewer, began), sep="\n")
            print(f"\n{server.gate.address}\n\nIt opens once, on this machine alone. Ctrl-C ends it.", flush=True)
            if show and has_screen():
                webbrowser.open(server.gate.address)
            try:
                server.serve_forever(poll_interval=0.1)
            except KeyboardInterrupt:
                print()
            finally:
                desk.close()
        print(*told_after(task, reviewer, began, len(desk.said)), sep="\n", flush=True)


def has_screen() -> bool:
    """Return whether a browser can be opened that does not take the terminal."""
    return sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def told_before(task: Task, reviewer: str, counts: Counts) -> Iterator[str]:
    yield f"{task.title}; {counts.decided:,} of {counts.cards:,} are decided by {reviewer}"
    if counts.changed:
        yield f"put again, for they have changed since they were decided: {counts.changed:,}"
    if counts.gone:
        yield f"decided before, and not put any more: {counts.gone:,}"


def told_after(task: Task, reviewer: str, began: Counts, decided: int) -> Iterator[str]:
    left = began.cards - decided
    yield f"{decided - began.decided:,} decided now, {decided:,} in all, {left:,} left: {path_of(reviewer, task.name)}"
    if decided:
        yield f"`git add {path_of(reviewer, task.name)}`"
        yield from task.afterwards
