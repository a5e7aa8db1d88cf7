"""A person's review of what is proposed for an edition: `datasets/reviews/<benchmark>/<edition>.csv`, in git
(FLUX-Reason-6M and PRISM-Bench, section 3.1). A rewrite stands in `new_<text>`; what is empty there stays as proposed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from gamut.evaluation.construction import proposals
from gamut.evaluation.curating.curation import Curation
from gamut.project import decisions, pipeline
from gamut.project.csv_forms import form_rows, refuse
from gamut.project.errors import UserError, nearest
from gamut.project.files import write_csv
from gamut.project.git import is_committed
from gamut.project.plain_text import amount
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows

REVIEWS = Path("datasets/reviews")
DECISIONS = ("accept", "reject", "rewrite")
AnyCuration = Curation[Any, Any]


def proposed_columns(curation: AnyCuration) -> list[str]:
    return ["id", *curation.beside, *curation.texts]


def decided_columns(curation: AnyCuration) -> list[str]:
    return ["decision", *new_texts(curation), "remark"]


def new_texts(curation: AnyCuration) -> list[str]:
    return [f"new_{text}" for text in curation.texts]


def path_of(curation: AnyCuration, edition: str) -> Path:
    return REVIEWS / curation.name / f"{edition}.csv"


def review(curation: AnyCuration, edition: str) -> Iterator[str]:
    """Write the review file from the proposal; entries about unchanged texts stay. Yield messages."""
    path = path_of(curation, edition)
    shown, filled_in = proposed_columns(curation), decided_columns(curation)
    earlier: dict[tuple[str, ...], dict[str, str]] = {}
    for _, row in read_review(curation, path) if path.exists() else ():
        earlier[texts_of(curation, row)] = {name: cell for name, cell in row.items() if name not in shown}
    proposed = list(proposed_rows(curation, edition))
    lost = {texts for texts, entries in earlier.items() if any(entries.values())}
    lost -= {texts_of(curation, row) for row in proposed}
    if lost and not is_committed(path):
        raise UserError(
            f"{path}: {len(lost):,} of the rows that you filled in are about texts that are no longer proposed, and "
            "would be lost: commit it first, or move it away"
        )
    empty = dict.fromkeys([*filled_in, *chain.from_iterable(earlier.values())], "")
    rows = [form_row(curation, row) | empty | earlier.get(texts_of(curation, row), {}) for row in proposed]
    columns = [*shown, *empty]
    write_csv(path, columns, ([row[name] for name in columns] for row in rows), "utf-8-sig")
    counts = Counter(row["decision"] or "to be decided" for row in rows)
    yield f"{path}: {len(rows):,} proposed, " + ", ".join(f"{count:,} {name}" for name, count in counts.items())
    if lost:
        yield f"gone, with texts that are no longer proposed: {amount(len(lost), 'filled-in row')}"
    statuses = (row["status"] for row in read_rows(proposals.path_of(curation.name, edition), ["status"]))
    others = Counter(status for status in statuses if status != "ok")
    if others:
        yield f"not among them: {', '.join(f'{count:,} {status}' for status, count in sorted(others.items()))}"


def proposed_rows(curation: AnyCuration, edition: str) -> Iterator[Row]:
    """Return the usable rows of an edition's proposal, in order; UserError where nothing is proposed."""
    folder = proposals.path_of(curation.name, edition)
    if not folder.exists():
        raise UserError(
            f"{folder}: there is no proposal for {edition!r}: add it to {curation.name}.editions in "
            f"{pipeline.EDITIONS}, then `dvc repro {pipeline.address(f'editions.{curation.name}_propose@{edition}')}`"
        )
    return (row for row in read_rows(folder) if row["status"] == "ok")


def read_review(curation: AnyCuration, path: Path) -> list[tuple[int, dict[str, str]]]:
    """Return the rows of a review file with their line numbers; a UserError with one line per mistake."""
    columns = [*proposed_columns(curation), *decided_columns(curation)]
    rows = list(form_rows(path, columns, f": `gamut review {curation.name} {path.stem} --csv` writes it"))
    first: dict[str, int] = {}
    mistakes = []
    for line, row in rows:
        if (earlier := first.setdefault(row["id"], line)) != line:
            mistakes.append((line, f"{row['id']!r} stands in line {earlier} too"))
        elif mistake := mistake_in(curation, row):
            mistakes.append((line, mistake))
    refuse(path, mistakes)
    return rows


def mistake_in(curation: AnyCuration, row: Mapping[str, str]) -> str | None:
    decision, rewritten = row["decision"], [name for name in new_texts(curation) if row[name]]
    if decision and decision not in DECISIONS:
        return f"there is no decision {decision!r}{nearest(decision, DECISIONS)}"
    if decision == "rewrite" and not rewritten:
        return f"decision 'rewrite': wanted is {' or '.join(new_texts(curation))}"
    if decision != "rewrite" and rewritten:
        return f"decision {decision!r}: with a {rewritten[0]} it has to be 'rewrite'"
    return None


def form_row(curation: AnyCuration, row: Mapping[str, str]) -> dict[str, str]:
    """Return a row of the proposal as the file has it; what stands beside the texts in one line."""
    beside = {name: "; ".join(str(row[name] or "").splitlines()) for name in ("id", *curation.beside)}
    return beside | {name: row[name] for name in curation.texts}


def digest_of(curation: AnyCuration, row: Mapping[str, Any]) -> str:
    return decisions.digest_of(texts_of(curation, row))


def texts_of(curation: AnyCuration, row: Mapping[str, str]) -> tuple[str, ...]:
    among = (row[curation.among],) if curation.among else ()
    return (*among, *(" ".join(row[name].split()) for name in curation.texts))
