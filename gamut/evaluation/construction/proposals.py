"""The proposal of an edition: a table of items for people to review. It also says why others are not proposed.

Every row has an `id`, `<wave>-<8 digits>`, its texts, a `status` and its `reason`. A text from the dataset has the
`row` and the hash of its source: so another build can check that its row with this id is the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path

import pyarrow as pa

from gamut.evaluation.defining.editions import source_sha256
from gamut.project import places
from gamut.tables.columns import Row, make_id, place, prompt_id, table_schema
from gamut.tables.reading import shard_rows
from gamut.tables.writing import TableWriter
from gamut.texts.near_duplicate_search import find_near_duplicates

SOURCE_ROWS = Path("datasets/source_rows")
SYNTHESIZED = Path("datasets/synthesize")
IMAGES = pa.field("images", pa.list_(pa.struct(table_schema("name role origin image:image"))))
"""Pictures of a proposed row, as in `editions.EditionPicture`, each with its bytes."""


def path_of(benchmark: str, edition: str) -> Path:
    return Path("datasets", benchmark, "proposal", edition)


def schema_of(*columns: str, images: bool = False) -> pa.Schema:
    return table_schema(f"id {' '.join(columns)} row row_sha256 status reason", *([IMAGES] if images else []))


def write_proposal(
    benchmark: str,
    edition: str,
    waves: Mapping[str, Sequence[Row]],
    columns: Sequence[str],
    similarity: float,
    among: str | None = None,
) -> list[Row]:
    """Write the proposal for an edition, print its counts, and return its rows. `waves`: rows in order of id, by the
    beginning of the ids. A row is left out if its prompt nearly repeats an earlier one with the same value in column
    `among`.
    """
    rows: list[Row] = [{"row": None, **row} for rows in waves.values() for row in rows]
    if wrong := [row["id"] for row in rows if row["status"] == "ok" and not (row.get("prompt") or "").strip()]:
        raise ValueError(f"{wrong[0]}: the row has the status ok, but no prompt")
    sources = source_hashes({row["row"] for row in rows if row["row"]})
    for row in rows:
        row["row_sha256"] = sources.get(row["row"])
    for group in dict.fromkeys(row[among] if among else None for row in rows):
        of_group = [row for row in rows if not among or row[among] == group]
        leave_out_near_duplicates(of_group, "prompt", similarity, f"{benchmark}.propose@{edition}")
    schema = schema_of(*columns, images=any("images" in row for row in rows))
    with TableWriter(path_of(benchmark, edition), schema) as table:
        for wave in waves:
            write_wave(table, wave, [row for row in rows if row["id"].rpartition("-")[0] == wave])
    counts = Counter(row["status"] for row in rows)
    left_out = ", ".join(f"{count:,} {status}" for status, count in sorted(counts.items()) if status != "ok")
    said = f"{counts['ok']:,} of {len(rows):,} are proposed, left out: {left_out or 'none'}"
    print(f"{benchmark}.propose@{edition}: {said}")
    return rows


def proposal_figures(rows: Sequence[Row], *kinds: Sequence[str]) -> dict[str, float]:
    """Return the number of slots, how many are proposed, also by the columns `kinds`, and how many are left out."""
    items, statuses = [row for row in rows if row["status"] == "ok"], Counter(row["status"] for row in rows)
    figures: dict[str, float] = {"slots": len(rows), "items": statuses.pop("ok", 0)}
    figures |= {f"left_out.{status}": count for status, count in sorted(statuses.items())}
    for columns in kinds:
        figures |= dict(Counter(".".join(["items", *(row[column] for column in columns)]) for row in items))
    return figures


def write_wave(table: TableWriter, wave: str, rows: Sequence[Row]) -> None:
    if not rows:
        table.write(place(make_id(wave, 0))[0], [])
    for (shard, _), some in groupby(rows, key=lambda row: place(row["id"])):
        table.write(shard, list(some))


def source_hashes(row_ids: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for shard, named in groupby(sorted(row_ids, key=place), key=lambda row_id: place(row_id)[0]):
        ids = set(named)
        sources = shard_rows(SOURCE_ROWS, shard, ["id", "caption"], set(map(prompt_id, ids)))
        captions = {row["id"]: row["caption"] for row in sources}
        prompts = {row["id"]: row["prompt"] for row in shard_rows(SYNTHESIZED, shard, ["id", "prompt"], ids)}
        found |= {row_id: source_sha256(captions[prompt_id(row_id)], prompts[row_id]) for row_id in ids}
    return found


def leave_out_near_duplicates(rows: Sequence[Row], text: str, similarity: float, scratch: str) -> None:
    usable = [row for row in rows if row["status"] == "ok"]
    if len(usable) < 2:
        return
    folder = places.TREE_FOLDER / "scratch" / scratch
    found = find_near_duplicates([row[text] for row in usable], similarity, folder)
    for position, row in enumerate(usable):
        if found.reason(position):
            other = usable[found.of[position]]["id"]
            row |= {"status": "near_duplicate", "reason": f"resembles {other} ({found.similarity[position]:.2f})"}
