"""What is proposed for an edition, to be accepted, rejected or rewritten: a card a row."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby

from gamut.asking.requests import Picture
from gamut.deciding.cards import ACCEPT, REJECT, REWRITE, Card, Task, choices_of
from gamut.evaluation.construction import proposals
from gamut.evaluation.curating.freeze import items_of, named_pictures
from gamut.evaluation.curating.review import AnyCuration, as_review, digest_of, proposed_rows, task_of
from gamut.evaluation.labelling.sheets import Shown
from gamut.project.errors import UserError, nearest
from gamut.project.pipeline import EDITIONS
from gamut.project.plain_text import amount
from gamut.tables.columns import Row, place
from gamut.tables.reading import read_rows, shard_rows

ASKED = "Is it unambiguous, grammatical and logically sound, even where it is fantastical?"
"""FLUX-Reason-6M and PRISM-Bench, section 3.1."""


def under_construction(curation: AnyCuration, editions: Collection[str]) -> str:
    if len(editions) == 1:
        return next(iter(editions))
    there = f"name one of {', '.join(editions)}" if editions else f"{curation.name}.editions of {EDITIONS} names none"
    raise UserError(f"which edition of {curation.name}? {there}: `gamut review {curation.name} EDITION`")


def reviewing(curation: AnyCuration, edition: str) -> Task:
    folder = proposals.path_of(curation.name, edition)
    others = [path.name for path in folder.parent.glob("*") if path.is_dir()]
    if others and not folder.exists():
        raise UserError(f"{folder}: there is no proposal for {edition!r}{nearest(edition, others)}")
    proposed_rows(curation, edition)  # a UserError where nothing is proposed at all
    ids = [row["id"] for row in read_rows(folder, ["id", "status"]) if row["status"] == "ok"]
    if not ids:
        raise UserError(f"{folder}: nothing in it is proposed: all failed, or was left out")
    return Task(
        name=task_of(curation, edition),
        title=f"{curation.benchmark.title}, edition {edition}: {amount(len(ids), 'proposal')}",
        places=[(row_id, 0) for row_id in ids],
        cards=partial(cards, curation, edition),
        abouts=partial(abouts, curation, edition),
        afterwards=[f"`gamut freeze {curation.name} {edition}` makes an edition of what was accepted or rewritten"],
    )


def rows_of(
    curation: AnyCuration, edition: str, ids: Collection[str], columns: Sequence[str] | None = None
) -> Iterator[Row]:
    folder = proposals.path_of(curation.name, edition)
    for shard, of_shard in groupby(sorted(ids, key=place), lambda row_id: place(row_id)[0]):
        yield from shard_rows(folder, shard, columns, set(of_shard))


def abouts(curation: AnyCuration, edition: str, ids: Collection[str]) -> Iterator[tuple[str, str]]:
    columns = dict.fromkeys(["id", *curation.texts, *([curation.among] if curation.among else [])])
    return ((row["id"], digest_of(curation, row)) for row in rows_of(curation, edition, ids, [*columns]))


def cards(curation: AnyCuration, edition: str, ids: Collection[str]) -> Iterator[Card]:
    return (card_of(curation, row) for row in rows_of(curation, edition, ids))


def card_of(curation: AnyCuration, row: Row) -> Card:
    pictures = [(f"{one['role']} {one['name']}", one["image"]["bytes"]) for one in row.get("images") or ()]
    own, wrong = as_named(row)
    return Card(
        id=row["id"],
        about=digest_of(curation, row),
        asked=ASKED,
        shown=[
            *(Shown(name, str(row[name])) for name in ("id", *curation.beside) if row.get(name)),
            *(Shown(name, Picture(data)) for name, data in pictures),
            *(Shown(name, row[name]) for name in curation.texts),
        ],
        choices=choices_of([ACCEPT, REJECT]),
        texts={name: row[name] for name in curation.texts},
        objections=partial(objections, curation, own, wrong=wrong),
    )


def as_named(row: Row) -> tuple[Row, Sequence[str]]:
    try:
        return named_pictures(row, {}), ()
    except UserError as error:
        return row | {"images": None}, str(error).splitlines()


def objections(curation: AnyCuration, row: Row, texts: Mapping[str, str], wrong: Sequence[str] = ()) -> Iterator[str]:
    """Yield what `gamut freeze` would refuse in a rewritten row, but for its likeness to others that may yet go.

    `row` has its pictures as an item names them; what is `wrong` with them is all that is said, where there is any.
    """
    if wrong:
        yield from wrong
        return
    try:
        own = row | {name: texts.get(name, row[name]) for name in curation.texts}
        found = list(curation.objections(own, as_review(curation, row, (REWRITE, tuple(texts.items())))))
        if not found:
            items_of(curation, [own])
    except UserError as error:
        found = str(error).splitlines()
    yield from found
