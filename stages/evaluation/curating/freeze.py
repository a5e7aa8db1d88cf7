"""From reviewed proposals to a frozen edition; editions from and to the files in which a benchmark is published."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from stages.evaluation.curating import proposals
from stages.evaluation.curating.review import AnyRoom, path_of, proposed_rows, read_review, texts_of
from stages.evaluation.defining import editions
from stages.evaluation.defining.editions import Item
from stages.project.csv_forms import refuse
from stages.project.errors import UserError, nearest
from stages.tables.columns import Row


def freeze(room: AnyRoom, version: str, allow_unreviewed: bool) -> Iterator[str]:
    """Freeze what the review accepted or rewrote, and with `allow_unreviewed` also what has no decision yet.

    Yields what to tell. A UserError when something is undecided otherwise, a rewrite cannot be frozen, or the version
    exists with other items.
    """
    review, proposed = path_of(room, version), list(proposed_rows(room, version))
    reviewed = matching_review(room, review, proposed)
    decided = {row["id"]: row for _, row in reviewed if row["decision"]}
    undecided = sum(row["id"] not in decided for row in proposed)
    if undecided and not allow_unreviewed:
        raise UserError(
            f"{undecided:,} of {len(proposed):,} proposals are not reviewed: `gamut review {room.name} {version}`, "
            f"fill in the column decision of {review}, and freeze again; or freeze with --allow-unreviewed"
        )
    accepted = [row | texts for row in proposed if (texts := outcome(room, row, decided)) is not None]
    if not accepted:
        raise UserError(f"nothing of {proposals.path_of(room.name, version)} is accepted: there is nothing to freeze")
    rewritten = [(line, row) for line, row in reviewed if row["decision"] == "rewrite"]
    refuse(review, [(line, said) for line, row in rewritten for said in mistakes_in_rewrite(room, row, accepted)])
    yield from frozen(room, version, items_of(room, accepted))
    counts = Counter(decided[row["id"]]["decision"] if row["id"] in decided else "not reviewed" for row in proposed)
    yield "decisions: " + ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items()))


def items_of(room: AnyRoom, accepted: Sequence[Row]) -> list[Item]:
    """Return accepted rows as items; a UserError names the first that is none."""
    for row in accepted:
        try:
            room.items([row])
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise UserError(f"{row['id']!r} cannot be an item of {room.name}: {where}: {first['msg']}") from None
    return list(room.items(accepted))


def matching_review(room: AnyRoom, review: Path, proposed: Sequence[Row]) -> list[tuple[int, dict[str, str]]]:
    """Return the review's rows with their line numbers; a UserError with a line for each that is about something else
    than proposed.
    """
    if not review.exists():
        return []
    by_id = {row["id"]: row for row in proposed}
    rows, mistakes = read_review(room, review), []
    again = f"`gamut review {room.name} {review.stem}`"
    for line, row in rows:
        if row["id"] not in by_id:
            mistakes.append((line, f"{row['id']!r} is not proposed{closest(row['id'], by_id, again)}"))
        elif texts_of(room, row) != texts_of(room, by_id[row["id"]]):
            mistakes.append((line, f"{row['id']!r} is proposed with other texts: {again} brings them here"))
    refuse(review, mistakes)
    return rows


def closest(row_id: str, known: Mapping[str, Row], again: str) -> str:
    """Name the proposed id that is most like an unknown one, if there is any of its kind."""
    alike = [other for other in known if other.rpartition("-")[0] == row_id.rpartition("-")[0]]
    return nearest(row_id, alike) if alike else f": {again} writes the file anew"


def outcome(room: AnyRoom, row: Row, decided: Mapping[str, Mapping[str, str]]) -> dict[str, str] | None:
    """Return the texts as they become part of the edition; None for what is rejected."""
    said = decided.get(row["id"], {"decision": ""})
    if said["decision"] == "reject":
        return None
    rewritten = said["decision"] == "rewrite"
    return {name: (said[f"new_{name}"] if rewritten else "") or row[name] for name in room.texts}


def mistakes_in_rewrite(room: AnyRoom, said: Mapping[str, str], accepted: Sequence[Row]) -> Iterator[str]:
    """Yield why what a person wrote cannot be frozen: another row says the same, or the benchmark objects."""
    own = next(row for row in accepted if row["id"] == said["id"])
    others = [row for row in accepted if row is not own and (not room.among or row[room.among] == said[room.among])]
    for name in room.texts:
        same = [row["id"] for row in others if plain(row[name]) == plain(said[f"new_{name}"])]  # none is blank
        if same:
            yield f"new_{name} is the same as that of {same[0]!r}: write another, or reject one of the two"
    yield from room.objections(own, said)


def plain(text: str) -> str:
    """Return a text as it is compared: small letters, single blanks."""
    return " ".join(text.casefold().split())


def frozen(room: AnyRoom, version: str, items: Sequence[Item]) -> Iterator[str]:
    """Freeze items, and say what there is and how to go on."""
    path = editions.path_of(room.name, version)
    for item in items:
        if mistake := room.benchmark.misfit(item, ()):
            raise UserError(f"item {item.id!r} does not fit {room.name!r}: {mistake}: nothing is frozen")
    new = editions.freeze(room.name, version, items)
    counts = Counter(map(room.benchmark.stratum, items))
    strata = ", ".join(f"{count:,} {stratum}" for stratum, count in counts.items())
    yield f"{path}: {len(items):,} items ({strata})" + ("" if new else ", unchanged: it was frozen before")
    if new:
        yield f"`git add` it and name it at {room.name}.edition in params.yaml; `dvc repro` keeps it out of the release"


def import_items(room: AnyRoom, source: Path, version: str) -> Iterator[str]:
    """Freeze the items of files in the benchmark's layout, as they stand. Yields what to tell."""
    found = room.layout.read(source)
    if not found:
        raise UserError(f"{source}: all its files are empty: there is nothing to freeze")
    yield from frozen(room, version, found)


def export_items(room: AnyRoom, version: str, folder: Path) -> str:
    """Write an edition's items in the benchmark's layout, below a folder. Returns what to tell."""
    items, layout = editions.read_edition(room.name, version, room.benchmark.item), room.layout
    path = folder / layout.name
    if path.exists():
        raise UserError(f"{path} exists: name another folder, or move it away")
    new = path.with_name(f".{layout.name}.new")  # until it is whole
    shutil.rmtree(new, ignore_errors=True)
    try:
        layout.write(items, new)
    except ValueError as error:
        raise UserError(f"{editions.path_of(room.name, version)}: {error}") from None
    new.rename(path)
    return f"{path}: {len(items):,} items"
