"""From reviewed proposals to a frozen edition, and from published files to editions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from gamut.evaluation.construction import proposals
from gamut.evaluation.curating import findings
from gamut.evaluation.curating.entries import texts_in
from gamut.evaluation.curating.layout import ImportedItems, OddContent, PictureFiles
from gamut.evaluation.curating.review import (
    AnyCuration,
    Outcome,
    agreement_path,
    decision_counts,
    proposed_rows,
    read_decisions,
    reviewer_agreement,
)
from gamut.evaluation.defining import editions
from gamut.evaluation.defining.editions import UNKNOWN, Item, OddEntry, Origin
from gamut.evaluation.defining.picture_shards import track_pictures
from gamut.evaluation.defining.pictures import describe_picture
from gamut.project.csv_forms import MOST_MISTAKES
from gamut.project.errors import UserError
from gamut.project.files import write_json
from gamut.project.plain_text import amount
from gamut.tables.columns import Row

UNDECIDED: Outcome = "not reviewed", ()


def freeze_proposal(curation: AnyCuration, version: str, allow_unreviewed: bool) -> Iterator[str]:
    """Freeze accepted and rewritten items, with `allow_unreviewed` also undecided ones. Yield messages."""
    proposed = list(proposed_rows(curation, version))
    reviewed = read_decisions(curation, version, proposed)
    outcomes = reviewed.outcomes()
    decided = {row_id: most for row_id, most in outcomes.items() if most is not None}
    if divided := [row_id for row_id in outcomes if row_id not in decided]:
        raise UserError(
            f"reviewers are evenly divided about {len(divided):,} proposals, such as {divided[0]!r}: let another "
            "person review them, or let one of these reviewers decide again"
        )
    undecided = sum(row["id"] not in decided for row in proposed)
    if undecided and not allow_unreviewed:
        raise UserError(
            f"{undecided:,} of {len(proposed):,} proposals are not reviewed: use `gamut review "
            f"{curation.name} {version}` and freeze again, or freeze with --allow-unreviewed"
        )
    pictures: dict[str, bytes] = {}
    accepted = [
        take_pictures(row, pictures) | dict(texts)
        for row in proposed
        for decision, texts in [decided.get(row["id"], UNDECIDED)]
        if decision != "reject"
    ]
    if not accepted:
        raise UserError(
            f"no proposal in {proposals.path_of(curation.name, version)} is accepted: there is nothing to freeze"
        )
    refuse_rewrites(curation, decided, accepted)
    items = items_of(curation, accepted)
    named = {picture.sha256 for item in items for picture in item.images}
    yield from freeze_import(
        curation, version, ImportedItems(items, {sha256: pictures[sha256] for sha256 in named & pictures.keys()})
    )
    yield from decision_counts(curation, version, reviewed)
    if agreement := reviewer_agreement(reviewed):
        path = agreement_path(curation, version)
        write_json(path, agreement)
        yield f"{path}: this file has the agreement of reviewers: `git add` it"
    counts = Counter(decided.get(row["id"], UNDECIDED)[0] for row in proposed)
    yield "decisions: " + ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items()))


def take_pictures(row: Row, pictures: dict[str, bytes]) -> Row:
    """Return a proposed row with its pictures in an item's form, and add their bytes to `pictures`."""
    if not row.get("images"):
        return {name: value for name, value in row.items() if name != "images"}
    found = []
    for one in row["images"]:
        data = one["image"]["bytes"]
        try:
            picture = describe_picture(data, one["name"], one["role"], one["origin"])
        except ValidationError as error:
            raise UserError(f"{row['id']!r}: its picture {one['name']!r}: {editions.first_mistake(error)}") from None
        except ValueError as error:
            raise UserError(f"{row['id']!r}: its picture {one['name']!r} {error}") from None
        pictures[picture.sha256] = data
        found.append(picture.model_dump(exclude_unset=True))
    return row | {"images": found}


def items_of(curation: AnyCuration, accepted: Sequence[Row]) -> list[Item]:
    """Return accepted rows as items. A UserError names the first row that cannot become one."""
    for row in accepted:
        try:
            curation.items([row])
        except ValidationError as error:
            mistake = editions.first_mistake(error)
            raise UserError(f"{row['id']!r} cannot be an item of {curation.name}: {mistake}") from None
    return list(curation.items(accepted))


def refuse_rewrites(curation: AnyCuration, decided: Mapping[str, Outcome], accepted: Sequence[Row]) -> None:
    """UserError with one line for each mistake in people's rewrites."""
    lines = [
        f"{row['id']!r}: {mistake}"
        for row in accepted
        for texts in [dict(decided.get(row["id"], UNDECIDED)[1])]
        for mistake in (mistakes_in_rewrite(curation, row, texts, accepted) if texts else ())
    ]
    if lines:
        raise UserError("\n".join(lines[:MOST_MISTAKES]))


def mistakes_in_rewrite(
    curation: AnyCuration, own: Row, texts: Mapping[str, str], accepted: Sequence[Row]
) -> Iterator[str]:
    """Yield why a rewrite cannot be frozen: another row has the same text, or the benchmark objects."""
    others = [
        row for row in accepted if row is not own and (not curation.among or row[curation.among] == own[curation.among])
    ]
    for name, text in texts.items():
        new = comparable_text(text)
        same = [row["id"] for row in others if new and comparable_text(row[name]) == new]
        if same and name not in curation.repeatable:
            yield f"new_{name} is the same as that of {same[0]!r}: write another, or reject one of the two"
    yield from curation.objections(own, texts)


def comparable_text(text: str) -> str:
    return " ".join(text.casefold().split())


def freeze_import(curation: AnyCuration, version: str, imported: ImportedItems[Any]) -> Iterator[str]:
    path, items = editions.path_of(curation.name, version), [*imported.items, *odd_entries(imported)]
    for item in imported.items:
        if mistake := curation.benchmark.misfit(item, (), None):
            raise UserError(f"item {item.id!r} does not fit {curation.name!r}: {mistake}: nothing is frozen")
    new = editions.freeze_edition(curation.name, version, items, imported.pictures, imported.origin)
    counts = Counter(map(curation.benchmark.stratum, imported.items))
    strata = ", ".join(f"{count:,} {stratum}" for stratum, count in counts.items())
    yield f"{path}: {editions.item_count(items)} ({strata})" + ("" if new else ", unchanged: it was frozen before")
    if new:
        yield (
            f"next: `git add` it, and name it as {curation.name}.edition in params.yaml to measure it; `dvc repro` "
            "keeps its texts out of the release"
        )
    yield from track_pictures(editions.pictures_path(curation.name, version))


def import_items(
    curation: AnyCuration,
    source: Path,
    version: str,
    images: Path | None = None,
    strict: bool = False,
    origin: Origin | None = None,
) -> Iterator[str]:
    """Freeze the items of files in the benchmark's layout, corrected where that is safe; yield messages. An entry that
    cannot become an item is kept, but no contestant is asked. UserError with `strict` for any defect. `origin`: where
    the items come from; by default as the files or an earlier import say.
    """
    editions.path_of(curation.name, version)  # reports a wrong name before a long file is read
    imported = with_misfits_apart(curation, curation.layout.read(source, images))
    if strict and imported.findings is None:
        raise UserError(f"--strict: gamut does not look for defects in {curation.layout.name}: leave it out")
    listed = f"use --out DIR instead of {version} to list all in DIR/{findings.FINDINGS_FILE}"
    yield from findings.summaries(source, imported.findings or (), imported.unread, strict, listed)
    if not imported.items and imported.odd:
        raise UserError(
            f"{source}: no entry can become an item, such as {imported.odd[0].said}: is this the right layout? {listed}"
        )
    if not imported.items:
        raise UserError(f"{source}: all its files are empty: there is nothing to freeze")
    yield from odd_messages(imported)
    unusable = [item for item in imported.items if item.unusable is not None]
    lost = images is None or any(finding.defect == "picture" for finding in imported.findings or ())
    if unusable and lost and not imported.pictures:  # not one picture was found
        raise UserError(
            f"{source}: {len(unusable):,} of {amount(len(imported.items), 'item')} cannot be asked, "
            f"such as {unusable[0].id!r} ({unusable[0].unusable}): name the folder of their pictures with --images, or "
            f"use --out DIR instead of {version} to look at the items without pictures"
        )
    origin = origin or imported.origin or editions.read_origin(editions.origin_path(curation.name, version))
    if origin is None:  # without a known licence, publishing is not allowed
        name = f"imported from {source.resolve().name}"
        origin = Origin(source=name, revision=UNKNOWN, licence=UNKNOWN, redistributable=False)
    pictures = imported.pictures
    if isinstance(pictures, PictureFiles):  # it also has pictures of odd entries
        pictures = pictures.among(editions.pictures_by_digest(imported.items))
    yield from freeze_import(curation, version, replace(imported, origin=origin, pictures=pictures))
    if origin.is_unlicensed:
        yield (
            f"{editions.origin_path(curation.name, version)}: the licence is unknown: `gamut publish` refuses the "
            "edition until this file allows it"
        )


def with_misfits_apart(curation: AnyCuration, imported: ImportedItems[Any]) -> ImportedItems[Any]:
    """Move items that do not fit the record to the odd entries, if the layout looks for defects."""
    if imported.findings is None:
        return imported
    wrong = [(item, why) for item in imported.items if (why := curation.benchmark.misfit(item, (), None)) is not None]
    odd = [OddContent(item.id, why, item.model_dump(mode="json", exclude_unset=True)) for item, why in wrong]
    unfit = {item.id for item, _ in wrong}
    return replace(
        imported,
        items=[item for item in imported.items if item.id not in unfit],
        findings=[*imported.findings, *(findings.Finding(one.id, "item", "type", one.why) for one in odd)],
        odd=[*imported.odd, *odd],
    )


def odd_messages(imported: ImportedItems[Any]) -> Iterator[str]:
    if imported.odd:
        them = amount(len(imported.odd), "entry", "entries")
        yield f"not made into items, and not asked: {them}, such as {imported.odd[0].said}"


def odd_entries(imported: ImportedItems[Any]) -> list[OddEntry]:
    """Return entries that cannot become items, as an edition keeps them, with texts of several words held out."""
    taken, kept = {str(item.id) for item in imported.items}, list[OddEntry]()
    for one in imported.odd:
        id = next(id for id in numbered_names("without id" if one.id is None else str(one.id)) if id not in taken)
        taken.add(id)
        said = [text for text in texts_in(one.entry) if len(text.split()) > 1]
        texts = list(dict.fromkeys(said)) or [id]
        values = {"id": id, "prompt": texts[0], "texts": texts[1:], "unusable": one.why, "odd_entry": one.entry}
        kept.append(OddEntry.model_validate(values))
    return kept


def numbered_names(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name} ({number})" for number in count(2))


ITEMS = "items.jsonl"


def import_apart(
    curation: AnyCuration, source: Path, folder: Path, images: Path | None = None, strict: bool = False
) -> Iterator[str]:
    imported = with_misfits_apart(curation, curation.layout.read(source, images))
    if imported.findings is None:
        raise UserError(
            f"--out {folder}: gamut does not look for defects in {curation.layout.name}: name a version instead"
        )
    listed = f"{findings.write_findings(imported.findings, folder)} lists them"
    yield from findings.summaries(source, imported.findings, imported.unread, False, listed)
    editions.write_items(imported.items, folder / ITEMS)
    yield f"{folder / ITEMS}: {amount(len(imported.items), 'item')}"
    yield from odd_messages(imported)
    list(findings.summaries(source, imported.findings, (), strict, listed))  # refuses only after all is written
