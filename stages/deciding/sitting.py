"""A sitting: a person decides what a task puts, on a page served here, or on one in a file that is taken elsewhere."""

from __future__ import annotations

import base64
import os
import sys
import webbrowser
from collections.abc import Iterator
from pathlib import Path

from stages.asking.as_shown import picture_as_shown
from stages.deciding.cards import Card, Task
from stages.deciding.desk import Counts, Desk, counted
from stages.deciding.page.pages import Kept, fragment, page_in_one_file
from stages.deciding.server import Server
from stages.project.decisions import last_words, opened, path_of, read_log
from stages.project.errors import UserError
from stages.project.files import write_whole
from stages.project.plain_text import amount

LARGE, TOO_LARGE = 100_000_000, 1_000_000_000
"""Bytes of a page in one file from which browsers are slow, and from which none opens it."""


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


def write_page(task: Task, reviewer: str, path: Path) -> Iterator[str]:
    """Write what a reviewer has not decided as a page in one file, for a machine on which nothing may be served; yield
    what to tell. UserError where no browser could open it.
    """
    log = path_of(reviewer, task.name)
    said, counts = counted(task, last_words(read_log(log)) if log.exists() else {})
    left = [put for number, put in enumerate(task.places) if number not in said]
    if not left:
        raise UserError(f"{log}: all of it is decided: there is nothing to put on a page")
    fragments, size = {}, 0
    for card in task.cards({card_id for card_id, _ in left}):
        fragments[card.id] = fragment(card, lambda which, card=card: inlined(card, which), None)  # type: ignore[misc]
        size += len(fragments[card.id])
        if size > TOO_LARGE:
            raise UserError(f"{path}: would be larger than {TOO_LARGE:,} bytes: leave out --static, and have it served")
    where = f"Put {log.name} into {log.parent}; where there is one already, add its lines to the end of that."
    cards = [Kept(card_id, put, fragments[card_id]) for card_id, put in left]
    content = page_in_one_file(task, reviewer, cards, where, log.name).encode(errors="backslashreplace")
    write_whole(path, content)
    yield from told_before(task, reviewer, counts)
    yield f"{path}: {amount(len(cards), 'card')}, {len(content) / 1e6:,.1f} MB: open it in any browser"
    if len(content) > LARGE:
        yield f"That is large: browsers are slow above {LARGE / 1e6:,.0f} MB"
    yield f"It gives a file to be downloaded. {where}"


def inlined(card: Card, which: int) -> str:
    try:
        shown = picture_as_shown(card.pictures[which].data)
    except ValueError as error:
        raise UserError(f"{card.id}: its picture {which} {error}") from None
    return f"data:{shown.media_type};base64,{base64.b64encode(shown.data).decode()}"
