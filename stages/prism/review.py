"""A person's review of the proposed prompts: `datasets/reviews/prism/EDITION.csv`, in git.

FLUX-Reason-6M and PRISM-Bench, section 3.1, "Human-in-the-Loop Refinement": every prompt has to be unambiguous,
grammatical and logically sound, even where it is fantastical. `decision` is accept, reject or rewrite, empty until it
is made; a rewrite stands in `new_prompt` and `new_prompt_zh`, and what is left empty there stays as proposed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

from stages.prism.proposals import PROPOSAL
from stages.project.csv_forms import form_rows, refuse
from stages.project.errors import UserError, nearest
from stages.project.files import write_csv
from stages.project.git import is_committed
from stages.tables.columns import Row
from stages.tables.reading import read_rows

REVIEWS = Path("datasets/reviews/prism")
ONE_FOR_ALL = REVIEWS.with_suffix(".csv")
"""Where the review was when only one edition at a time was proposed."""
PROPOSED = ("id", "track", "origin", "elements", "prompt", "prompt_zh")
DECIDED = ("decision", "new_prompt", "new_prompt_zh", "remark")
DECISIONS = ("accept", "reject", "rewrite")


def path_of(edition: str) -> Path:
    """Return the review of an edition; UserError while there is only one for all."""
    path = REVIEWS / f"{edition}.csv"
    if ONE_FOR_ALL.exists() and not path.exists():
        raise UserError(
            f"{ONE_FOR_ALL}: every edition has a review of its own: `mkdir -p {REVIEWS} && git mv {ONE_FOR_ALL} {path}`"
        )
    return path


def review(edition: str) -> Iterator[str]:
    """Write the review file anew from the edition's proposal; what a person entered about unchanged texts stays.

    Yields what to tell. A UserError when entries would be lost that git does not have.
    """
    path = path_of(edition)
    earlier = {texts_of(row): entered(row) for _, row in read_review(path)} if path.exists() else {}
    proposed = list(proposed_prompts(edition))
    lost = {texts for texts, entries in earlier.items() if any(entries.values())} - set(map(texts_of, proposed))
    if lost and not is_committed(path):
        raise UserError(
            f"{path}: {len(lost):,} of the rows that you filled in are about texts that are no longer proposed, and "
            "would be lost: commit it first, or move it away"
        )
    empty = dict.fromkeys([*DECIDED, *chain.from_iterable(earlier.values())], "")
    rows = [form_row(row) | empty | earlier.get(texts_of(row), {}) for row in proposed]
    columns = [*PROPOSED, *empty]
    write_csv(path, columns, ([row[name] for name in columns] for row in rows), "utf-8-sig")
    counts = Counter(row["decision"] or "to be decided" for row in rows)
    yield f"{path}: {len(rows):,} prompts, " + ", ".join(f"{count:,} {name}" for name, count in counts.items())
    if lost:
        yield f"gone, with texts that are no longer proposed: {len(lost):,} rows that were filled in"
    others = Counter(row["status"] for row in read_rows(PROPOSAL / edition, ["status"]) if row["status"] != "ok")
    if others:
        yield f"not among them: {', '.join(f'{count:,} {status}' for status, count in sorted(others.items()))}"


def proposed_prompts(edition: str) -> Iterator[Row]:
    """Return the usable rows of an edition's proposal, in order; UserError where nothing is proposed."""
    folder = PROPOSAL / edition
    if not folder.exists():
        raise UserError(
            f"{folder}: there is no proposal for {edition!r}: put it into prism.propose.editions of params.yaml, "
            f"then `dvc repro stages/prism/dvc.yaml:propose@{edition}`"
        )
    return (row for row in read_rows(folder) if row["status"] == "ok")


def read_review(path: Path) -> list[tuple[int, dict[str, str]]]:
    """Return the rows of a review file with their line numbers; a UserError with one line per mistake."""
    rows = list(form_rows(path, [*PROPOSED, *DECIDED], f": `gamut review prism {path.stem}` writes it"))
    first: dict[str, int] = {}
    mistakes = []
    for line, row in rows:
        if (earlier := first.setdefault(row["id"], line)) != line:
            mistakes.append((line, f"{row['id']!r} stands in line {earlier} too"))
        elif mistake := mistake_in(row):
            mistakes.append((line, mistake))
    refuse(path, mistakes)
    return rows


def mistake_in(row: Mapping[str, str]) -> str | None:
    """Return what is wrong with a row's decision, or None."""
    decision, rewritten = row["decision"], row["new_prompt"] or row["new_prompt_zh"]
    if decision and decision not in DECISIONS:
        return f"there is no decision {decision!r}{nearest(decision, DECISIONS)}"
    if decision == "rewrite" and not rewritten:
        return "decision 'rewrite': new_prompt, new_prompt_zh or both are wanted"
    if decision != "rewrite" and rewritten:
        return f"decision {decision!r}: with a new_prompt it has to be 'rewrite'"
    return None


def form_row(row: Mapping[str, str]) -> dict[str, str]:
    """Return a row of the proposal as the file has it."""
    elements = "; ".join((row["elements"] or "").splitlines())
    return {name: row[name] for name in PROPOSED} | {"elements": elements}


def entered(row: Mapping[str, str]) -> dict[str, str]:
    """Return what is a person's in a row: decision, new texts and remark, and columns of their own."""
    return {name: cell for name, cell in row.items() if name not in PROPOSED}


def texts_of(row: Mapping[str, str]) -> tuple[str, ...]:
    """Return what a decision is about: the track and both texts, whatever a spreadsheet did to white space."""
    return (row["track"], *(" ".join(row[name].split()) for name in ("prompt", "prompt_zh")))
