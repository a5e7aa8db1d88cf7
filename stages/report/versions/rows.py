"""Pages of rows that were added, removed or changed: words and pictures of both versions side by side."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, NamedTuple

from stages.project.plain_text import one_line
from stages.publish.differences import MISSING, hashed
from stages.report.site.folder import Folder
from stages.report.site.pages import page
from stages.report.site.texts import cut
from stages.report.site.thumbnails import Shown, thumbnails
from stages.report.versions.product import ROWS_PER_PAGE, Product
from stages.report.versions.sources import Source
from stages.report.versions.words import Span, word_differences
from stages.tables.columns import Row

MOST = 4_000
"""Characters of one value that a page shows."""
LEAD = ("prompt", "caption")
"""Columns that say what a row is."""
Key = tuple[str, bool, str]
"""A row's id, whether it is the second version's, and a picture's name."""


class Text(NamedTuple):
    """A value in words: its spans, how many characters are left out, or why there is nothing."""

    spans: Sequence[Span] = ()
    left: int = 0
    nothing: str = ""


class Words(NamedTuple):
    """A column's value in both versions; of a row that one alone has None in the other."""

    column: str
    before: Text | None
    after: Text | None

    @property
    def is_seen(self) -> bool:
        """Return whether what changed is among what is shown."""
        texts = [text for text in (self.before, self.after) if text]
        return len(texts) < 2 or any(text.nothing or any(span.changed for span in text.spans) for text in texts)


class Pictured(NamedTuple):
    """A picture in both versions, by name; `after` alone where it is the same."""

    name: str
    before: Shown | None
    after: Shown | None


class Card(NamedTuple):
    """A row as a page shows it. `lead`: what it is, in words that both versions have."""

    id: str
    lead: Text | None
    words: Sequence[Words]
    pictures: Sequence[Pictured]

    @property
    def name(self) -> str:
        """Return its id in one line, which may be of any length."""
        return one_line(self.id, 100)


def write_rows(
    folder: Folder,
    product: Product,
    kind: str,
    before: Source | None,
    after: Source | None,
    moved: Callable[[int], None],
) -> None:
    """Write the pages of a product's rows of one kind; only a page's rows are in memory."""
    ids, pages = product.ids(kind), product.pages(kind)
    columns = product.found.changed_cells if product.found else ()
    for number in range(1, pages + 1):
        first = (number - 1) * ROWS_PER_PAGE
        chosen = ids[first : first + ROWS_PER_PAGE]
        content = page(
            "version_rows.html",
            root="../",
            here="overview",
            title=f"{product.title}: rows {kind}, page {number:,} of {pages:,}",
            product=product,
            kind=kind,
            cards=cards(folder, chosen, columns, before, after),
            first=first + 1,
            links=around(number, pages),
        )
        folder.write(f"{product.folder}/{kind}-{number}.html", content)
        moved(len(chosen))


def around(number: int, pages: int) -> dict[int, str]:
    """Return the pages that a page leads to, in order, and how: few, however many there are."""
    steps = {number - 10: "10 back", number + 10: "10 on", 1: "first", pages: "last", number - 1: "prev"}
    steps[number + 1] = "next"
    return {n: steps[n] for n in sorted(steps) if 1 <= n <= pages and n != number}


def cards(
    folder: Folder, ids: Sequence[str], columns: Collection[str], before: Source | None, after: Source | None
) -> list[Card]:
    """Return rows as a page shows them, and write their thumbnails; pictures are in memory a few at a time."""
    found: list[Card] = []
    keys: list[Key] = []
    shown: dict[Key, Shown] = {}

    def pictures() -> Iterator[bytes]:
        for row_id, one, other in together(ids, before, after):
            found.append(card(row_id, one, other, columns))
            for source, row, is_second in ((before, one, False), (after, other, True)):
                for name, picture in (source.pictures(row) if source and row is not None else {}).items():
                    key = row_id, is_second, name
                    shown[key] = Shown(why=picture) if isinstance(picture, str) else Shown()
                    if isinstance(picture, bytes):
                        keys.append(key)
                        yield picture

    for number, thumbnail in enumerate(thumbnails(folder, pictures())):
        shown[keys[number]] = thumbnail
    by_row: dict[str, dict[str, tuple[Shown | None, Shown | None]]] = {}
    for (row_id, is_second, name), picture in shown.items():
        pairs = by_row.setdefault(row_id, {})
        first, _ = pairs.get(name, (None, None))
        pairs[name] = (first, picture) if is_second else (picture, None)
    return [one._replace(pictures=paired(by_row.get(one.id, {}))) for one in found]


def paired(pictures: Mapping[str, tuple[Shown | None, Shown | None]]) -> list[Pictured]:
    """Return a row's pictures; one that is the same in both stands once."""
    return [Pictured(name, None if before == after else before, after) for name, (before, after) in pictures.items()]


def together(
    ids: Sequence[str], before: Source | None, after: Source | None
) -> Iterator[tuple[str, Row | None, Row | None]]:
    """Yield rows by id as they are in both versions, None where one is not looked at."""
    first, second = (source.rows(ids) if source else repeat(None, len(ids)) for source in (before, after))
    yield from zip(ids, first, second, strict=True)


def card(row_id: str, one: Row | None, other: Row | None, columns: Collection[str]) -> Card:
    """Return a row without its pictures: of one that both versions have what changed in these columns, else all."""
    if one is not None and other is not None:
        unlike = {name for name in columns if hashed(one.get(name, MISSING)) != hashed(other.get(name, MISSING))}
        names = [name for name in {**other, **one} if name in unlike]
        words = [
            Words(name, *texts(one.get(name, MISSING), other.get(name, MISSING)))
            for name in names
            if not is_picture(one.get(name)) and not is_picture(other.get(name))
        ]
        return Card(row_id, lead_of(other, names), words, ())
    row = one or other or {}
    lead = lead_in(row)
    rest = {name: plain(value) for name, value in row.items() if name not in ("id", lead) and is_shown(value)}
    words = [Words(name, text if one else None, None if one else text) for name, text in rest.items()]
    return Card(row_id, lead_of(row, ()), words, ())


def lead_of(row: Row, shown: Collection[str]) -> Text | None:
    """Return the words that say what a row is, where they are not shown anyway."""
    name = lead_in(row)
    return plain(row[name]) if name and name not in shown else None


def lead_in(row: Row) -> str | None:
    """Return the column that says what a row is."""
    return next((name for name in LEAD if row.get(name)), None)


def texts(one: Any, other: Any) -> tuple[Text, Text]:
    """Return two values in words, with what differs between them."""
    nothing = [no_value(value) for value in (one, other)]
    if any(nothing):
        first, second = (
            Text(nothing=why) if why else changed(value) for value, why in zip((one, other), nothing, strict=True)
        )
        return first, second
    before, after = cut(in_words(one), MOST), cut(in_words(other), MOST)
    ours, theirs = word_differences(before.text, after.text)
    return Text(ours, before.left), Text(theirs, after.left)


def no_value(value: Any) -> str:
    """Return in words that there is no value, "" where there is one."""
    return "not there" if value is MISSING else "no value" if value is None else "empty" if value == "" else ""


def changed(value: Any) -> Text:
    """Return a value of which all is changed."""
    shown = cut(in_words(value), MOST)
    return Text([Span(shown.text, True)], shown.left)


def plain(value: Any) -> Text:
    """Return a value as it is."""
    shown = cut(in_words(value), MOST)
    return Text([Span(shown.text, False)], shown.left)


def in_words(value: Any) -> str:
    """Return a text as it is, any other value as JSON, what is nested over several lines."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, indent=1 if isinstance(value, list | dict) else None, default=str)


def is_shown(value: Any) -> bool:
    """Return whether a value is there, and is words."""
    return value is not None and not is_picture(value)


def is_picture(value: Any) -> bool:
    """Return whether a value is a picture, as tables hold them."""
    return isinstance(value, dict) and "bytes" in value
