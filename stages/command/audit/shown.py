"""An audit for a person: what leaked, how it was found, how much such an audit finds, and the board without it.

Where nothing leaked the board is what it was, and not shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from stages.project.plain_text import amount, decimals, one_line

MOST_SHOWN = 20
"""Items that leaked and are shown; the file has all."""


def show(report: Mapping[str, Any], console: Console | None = None) -> None:
    console = console or Console(soft_wrap=False, highlight=False)
    leaks = report["leaks"]
    rows = sum(report["rows_leaking"].values())
    console.print(
        f"{report['dataset']}: {amount(len(leaks), 'item')} of {report['items']:,} of {report['edition']} in "
        f"{amount(rows, 'row')} of {report['rows']:,}",
        markup=False,
    )
    if leaks:
        table = Table(title="Leaks", title_justify="left")
        for heading in ("item", "rows", "found by", "a row", "its text"):
            table.add_column(heading, overflow="fold", justify="right" if heading == "rows" else "left")
        for item, found in list(leaks.items())[:MOST_SHOWN]:
            ways = ", ".join(dict.fromkeys(one["found_by"].replace("_", " ") for one in found))
            first = found[0]
            text = one_line(first["text"] or first["description"], 60)
            table.add_row(escape(one_line(item, 40)), f"{len(found):,}", ways, escape(first["row"]), escape(text))
        console.print(table)
        if len(leaks) > MOST_SHOWN:
            console.print(f"and {len(leaks) - MOST_SHOWN:,} more items")
    for line in (*about_questions(report), *about_recall(report)):
        console.print(line, markup=False)
    if leaks:
        show_board(report["board"], console)


def about_questions(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a model was asked, what nobody has answered, and what could not be compared."""
    pairs = report["pairs"]
    if not report["asked"]:
        yield (
            f"{amount(pairs['asked'], 'pair')} of texts lie near each other, and no model was asked whether they are "
            "the same test: near-duplicates alone count as leaks."
        )
    else:
        yield f"{amount(pairs['asked'], 'pair')} of texts asked about: {pairs['same']:,} the same test."
        if report["unanswered"]:
            why = ", ".join(f"{count:,} {status}" for status, count in report["unanswered"].items())
            yield f"Without an answer: {why}; {pairs['unanswered_held_out']:,} count as leaks, so near are they."
    if count := report["unreadable"]["rows"]:
        first = report["unreadable"]["first"]
        yield f"{amount(count, 'row')} cannot be read whole, such as {first['row']}: {first['reason']}"
    if report["without_embedding"]:
        yield f"{amount(report['without_embedding'], 'row')} without an embedding: only near-duplicates are found."
    if report["pictures_missing"]:
        yield f"{amount(report['pictures_missing'], 'picture')} of items are not here, and not compared."


def about_recall(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield how much such an audit finds, as far as it is known."""
    ways = report["recall"]
    if ways:
        words = ", ".join(f"{way} {100 * one['found']:.0f} % of {one['n']}" for way, one in ways.items())
        yield f"Of planted paraphrases it finds: {words}."
    else:
        yield "How many paraphrases it finds is not known: hold_out.paraphrases names none of this edition."
    if report["false_alarms"]:
        alarms = report["false_alarms"]
        yield f"Of {alarms['n']} of its items, {100 * alarms['share']:.0f} % count as another of its items."


def show_board(board: Any, console: Console) -> None:
    if isinstance(board, str):
        console.print(f"No board: {board}", markup=False)
        return
    for name, contestants in board.items():
        value = next(iter(contestants.values()))["value"]
        table = Table(title=f"{value} with all items and without those that leaked: {name}", title_justify="left")
        table.add_column("contestant", overflow="fold")
        for heading in ("with", "rank", "without", "rank", "items"):
            table.add_column(heading, justify="right")
        for contestant, one in contestants.items():
            cells: list[str] = []
            for side in ("with", "without"):
                found = one[side]
                cells += ["-", ""] if found is None else [decimals(found["estimate"]), found["rank"] or ""]
            kept = one["without"]["items"] if one["without"] else 0
            table.add_row(escape(contestant), *cells, f"{kept:,}")
        console.print(table)
