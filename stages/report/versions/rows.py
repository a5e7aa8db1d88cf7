"""The rows that differ between two versions of a release or an edition: how many, and the words of the first of each
kind side by side.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from stages.publish.differences import MISSING, Differences, hashed
from stages.publish.diffing import by_count
from stages.report.site.texts import address, cut
from stages.tables.columns import Row

KINDS = ("added", "removed", "changed")
MOST_ROWS = 50
"""Rows of a kind that the page shows."""
MOST = 2_000
"""Characters of one value that the page shows."""
LEAD = ("prompt", "caption", "caption_original", "caption_detail")
"""Columns that say what a row is; the first that has a value does."""
WORD = re.compile(
    r"(?:[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"  # Chinese has no blanks: each character by itself
    r"|[^\W\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+|[^\w\s])\s*|\s+"
)


class Product(NamedTuple):
    """The rows of a release or an edition in both versions. `found`, or `why` they are not compared; `is_wrong`:
    something is to be mended first.
    """

    name: str
    title: str
    before: str
    after: str
    found: Differences | None = None
    why: str = ""
    is_wrong: bool = False

    @property
    def page(self) -> str:
        return f"{address(f'rows-{self.name}')}.html"

    @property
    def columns(self) -> list[tuple[str, int]]:
        return by_count(self.found) if self.found else []

    def ids(self, kind: str) -> Sequence[str]:
        found: Sequence[str] = getattr(self.found, kind) if self.found else ()
        return found


class Span(NamedTuple):
    """Words in a row that both texts have, or that this one alone has (`changed`)."""

    text: str
    changed: bool


class Text(NamedTuple):
    spans: Sequence[Span]
    left: int = 0


class Card(NamedTuple):
    """A row as the page shows it: what it is, and column by column what changed, before and after."""

    id: str
    lead: str
    words: Sequence[tuple[str, Text, Text]]


def card(row_id: str, before: Row | None, after: Row | None, columns: Collection[str]) -> Card:
    row = after or before or {}
    lead = next((str(row[name]) for name in LEAD if row.get(name)), "")
    if before is None or after is None:
        return Card(row_id, lead, ())
    both = [(name, before.get(name, MISSING), after.get(name, MISSING)) for name in {**after, **before}]
    words = [(name, *texts(a, b)) for name, a, b in both if name in columns and hashed(a) != hashed(b)]
    return Card(row_id, "" if any(name in LEAD for name, *_ in words) else lead, words)


def texts(before: Any, after: Any) -> tuple[Text, Text]:
    first, second = (cut(in_words(value), MOST) for value in (before, after))
    ours, theirs = word_differences(first.text, second.text)
    return Text(ours, first.left), Text(theirs, second.left)


def in_words(value: Any) -> str:
    """Return a text as it is, and what is nested as JSON over several lines."""
    if isinstance(value, str):
        return value or "(empty)"
    if value is None or value is MISSING:
        return "(no value)" if value is None else "(not there)"
    return json.dumps(value, ensure_ascii=False, indent=1 if isinstance(value, list | dict) else None, default=str)


def word_differences(before: str, after: str) -> tuple[list[Span], list[Span]]:
    """Return both texts in spans. White space alone makes no other word; where nothing else differs, all is changed."""
    ours, theirs = WORD.findall(before), WORD.findall(after)
    matcher = SequenceMatcher(None, [word.strip() for word in ours], [word.strip() for word in theirs])
    steps = matcher.get_opcodes()
    if before != after and all(tag == "equal" for tag, *_ in steps):
        return [Span(before, True)], [Span(after, True)]
    return (
        [Span("".join(ours[a:b]), tag != "equal") for tag, a, b, _, _ in steps if a < b],
        [Span("".join(theirs[a:b]), tag != "equal") for tag, _, _, a, b in steps if a < b],
    )
