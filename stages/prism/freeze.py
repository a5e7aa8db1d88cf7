"""From reviewed prompts to a frozen edition; editions from and to the released layout of prompts."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from stages.evaluation.curating import editions
from stages.prism import layouts
from stages.prism.proposals import PROPOSAL
from stages.prism.review import path_of, proposed_prompts, read_review, texts_of
from stages.prism.shared.items import BENCHMARK, PrismItem
from stages.prism.shared.tracks import TRACKS
from stages.project.csv_forms import refuse
from stages.project.errors import UserError, nearest
from stages.tables.columns import Row
from stages.texts.chinese import is_chinese, quoted


def freeze(version: str, allow_unreviewed: bool) -> Iterator[str]:
    """Freeze what the review accepted or rewrote, and with `allow_unreviewed` also what has no decision yet.

    Yields what to tell. A UserError when something is undecided otherwise, a rewrite cannot be frozen, or the version
    exists with other items.
    """
    review, proposed = path_of(version), list(proposed_prompts(version))
    reviewed = matching_review(review, proposed)
    decided = {row["id"]: row for _, row in reviewed if row["decision"]}
    undecided = sum(row["id"] not in decided for row in proposed)
    if undecided and not allow_unreviewed:
        raise UserError(
            f"{undecided:,} of {len(proposed):,} proposed prompts are not reviewed: `gamut review prism {version}`, "
            f"fill in the column decision of {review}, and freeze again; or freeze with --allow-unreviewed"
        )
    accepted = [row | texts for row in proposed if (texts := outcome(row, decided)) is not None]
    if not accepted:
        raise UserError(f"no prompt of {PROPOSAL / version} is accepted: there is nothing to freeze")
    rewritten = [(line, row) for line, row in reviewed if row["decision"] == "rewrite"]
    refuse(review, [(line, said) for line, row in rewritten for said in mistakes_in_rewrite(row, accepted)])
    yield from frozen(version, numbered(accepted))
    counts = Counter(decided[row["id"]]["decision"] if row["id"] in decided else "not reviewed" for row in proposed)
    yield "decisions: " + ", ".join(f"{count:,} {name}" for name, count in sorted(counts.items()))


def matching_review(review: Path, proposed: Sequence[Row]) -> list[tuple[int, dict[str, str]]]:
    """Return the review's rows with their line numbers; a UserError with a line for each that is about something else
    than proposed.
    """
    if not review.exists():
        return []
    by_id = {row["id"]: row for row in proposed}
    rows, mistakes = read_review(review), []
    for line, row in rows:
        if row["id"] not in by_id:
            mistakes.append((line, f"{row['id']!r} is not proposed{closest(row['id'], by_id, review.stem)}"))
        elif texts_of(row) != texts_of(by_id[row["id"]]):
            brings = f"`gamut review prism {review.stem}` brings them here"
            mistakes.append((line, f"{row['id']!r} is proposed with other texts: {brings}"))
    refuse(review, mistakes)
    return rows


def closest(row_id: str, known: Mapping[str, Row], edition: str) -> str:
    """Name the proposed id that is most like an unknown one, if there is any of its kind."""
    alike = [other for other in known if other.rpartition("-")[0] == row_id.rpartition("-")[0]]
    return nearest(row_id, alike) if alike else f": `gamut review prism {edition}` writes the file anew"


def outcome(row: Row, decided: Mapping[str, Mapping[str, str]]) -> dict[str, str] | None:
    """Return both texts as they become part of the edition; None for what is rejected."""
    said = decided.get(row["id"], {"decision": ""})
    if said["decision"] == "reject":
        return None
    texts = ("prompt", "prompt_zh")
    rewritten = said["decision"] == "rewrite"
    return {name: (said[f"new_{name}"] if rewritten else "") or row[name] for name in texts}


def mistakes_in_rewrite(said: Mapping[str, str], accepted: Sequence[Row]) -> Iterator[str]:
    """Yield why what a person wrote cannot be frozen: its Chinese is none, or another prompt of its track says the
    same.
    """
    own = next(row for row in accepted if row["id"] == said["id"])
    others = [row for row in accepted if row["track"] == said["track"] and row is not own]
    for name in ("prompt", "prompt_zh"):
        same = [row["id"] for row in others if plain(row[name]) == plain(said[f"new_{name}"])]  # none is blank
        if same:
            yield f"new_{name} is the same as that of {same[0]!r}: write another, or reject one of the two"
    if said["new_prompt_zh"] and not is_chinese(said["new_prompt_zh"], quoted(own["prompt"])):
        yield "new_prompt_zh is not Chinese: it needs more Chinese characters than Latin words outside the lettering"


def plain(text: str) -> str:
    """Return a text as it is compared: small letters, single blanks."""
    return " ".join(text.casefold().split())


def numbered(rows: Sequence[Row]) -> list[PrismItem]:
    """Return rows as items, numbered from 0 on each track."""
    return [
        PrismItem(
            id=f"{track}/{number}",
            track=track,
            origin=row["origin"],
            prompt=row["prompt"],
            prompt_zh=row["prompt_zh"],
            row=row["row"],
            row_sha256=row.get("row_sha256"),  # proposals of earlier versions have none
        )
        for track in TRACKS
        for number, row in enumerate(row for row in rows if row["track"] == track)
    ]


def frozen(version: str, items: Sequence[PrismItem]) -> Iterator[str]:
    """Freeze items, and say what there is and how to go on."""
    path = editions.path_of(BENCHMARK, version)
    new = editions.freeze(BENCHMARK, version, items)
    tracks = ", ".join(f"{count:,} {track}" for track, count in Counter(item.track for item in items).items())
    yield f"{path}: {len(items):,} items ({tracks})" + ("" if new else ", unchanged: it was frozen before")
    if new:
        yield "`git add` it and name it at prism.edition in params.yaml; `dvc repro` keeps it out of the release"


def import_captions(folder: Path, version: str) -> Iterator[str]:
    """Freeze the prompts of a folder in the released layout: `<language>/<track>.jsonl`. Yields what to tell."""
    found = layouts.read_captions(folder)
    if not found:
        raise UserError(f"{folder}: all its files are empty: there is nothing to freeze")
    yield from frozen(version, [PrismItem(**item._asdict(), origin=None, row=None) for item in found])


def export_captions(version: str, folder: Path) -> str:
    """Write an edition's prompts in the released layout, `captions/<language>/<track>.jsonl`. Returns what to tell."""
    items = editions.read_edition(BENCHMARK, version, PrismItem)
    captions = folder / "captions"
    if captions.exists():
        raise UserError(f"{captions} exists: name another folder, or move it away")
    new = captions.with_name(".captions.new")  # until it is whole
    shutil.rmtree(new, ignore_errors=True)
    try:
        layouts.write_captions([layouts.Item(i.id, i.track, i.prompt, i.prompt_zh) for i in items], new)
    except ValueError as error:
        raise UserError(f"{editions.path_of(BENCHMARK, version)}: {error}") from None
    new.rename(captions)
    return f"{captions}: {len(items):,} prompts in English and Chinese"
