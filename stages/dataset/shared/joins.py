"""The build's tables, the stages that ask, the joins that stages share, and how rows are decided. Every table has the
same shards, so all joins are local.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from stages.dataset.shared.parameters import ORIGINAL
from stages.project.errors import UserError
from stages.tables.columns import Row
from stages.tables.reading import manifest, read_columns, read_shard, shard_columns, shard_names, shard_rows, sliced
from stages.tables.writing import TableWriter

ROUTES = Path("datasets/routes")
"""For each route a file that names its shards of the source rows, with their digests: what goes one way depends on it
alone, so that a new wave runs no other route again.
"""


def table_of(step: str) -> Path:
    """Return the table of a step, or a further one that a step writes, by its name; `sources` writes source_rows."""
    return Path("datasets", step)


ASKED = {
    "brainstorm": (table_of("brainstorm"), "seed_writer"),
    "imagine": (table_of("imagine"), "writer"),
    "rewrite": (table_of("rewrite"), "captioner"),
    "find_text": (table_of("find_text"), "captioner"),
    "mine_text": (table_of("mine_text"), "captioner"),
    "synthesize": (table_of("synthesize"), "painter"),
    "examine": (table_of("examine"), "judge"),
    "score": (table_of("score"), "judge"),
    "proofread": (table_of("proofread"), "judge"),
    "annotate": (table_of("annotate"), "captioner"),
    "align": (table_of("align"), "judge"),
    "translate": (table_of("translate"), "translator"),
    "embed_items": (table_of("embed_items"), "text_embedder"),
    "embed_pictures": (table_of("embed_pictures"), "image_embedder"),
    "resemble": (table_of("resemble"), "text_embedder"),
    "same_test": (table_of("same_test"), "judge"),
}
"""The stages that ask: the table of each, and the role whose model it asks."""
OF_HOLD_OUT = ("embed_items", "embed_pictures", "resemble", "same_test")
"""Stages that share one block of params.yaml, `hold_out`; the others have each their own."""
Rule = Callable[[Row], Row]
"""Gives the decision about a row: its id, `reason` (None: it stays) and what the stage tells besides."""


def block_of(stage: str) -> str:
    """Return the block of params.yaml that has a stage's `max_failures`."""
    return "hold_out" if stage in OF_HOLD_OUT else stage


def strings(*names: str) -> list[pa.Field]:
    """Return fields of a table's schema, as `scores` does of whole numbers called score_NAME."""
    return [pa.field(name, pa.string()) for name in names]


def scores(*names: str) -> list[pa.Field]:
    return [pa.field(f"score_{name}", pa.int8()) for name in names]


def by_id(folder: Path, shard: str, columns: Sequence[str] | None = None) -> dict[str, Row]:
    return {row["id"]: row for row in read_shard(folder, shard, columns)}


def grouped(folder: Path, shard: str, columns: Sequence[str] | None = None) -> dict[str, list[Row]]:
    """Return one shard's rows by id, in order (tables with several rows an id)."""
    groups: dict[str, list[Row]] = {}
    for row in read_shard(folder, shard, columns):
        groups.setdefault(row["id"], []).append(row)
    return groups


def pictures(shard: str, decided: Path | None = None, column: str = "") -> Iterator[Row]:
    """Return a shard's painted pictures: all, or those that a boolean column of the table `decided` names."""
    wanted = {row["id"] for row in read_shard(table_of("synthesize"), shard, ["id", "status"]) if row["status"] == "ok"}
    if decided:
        wanted &= {row["id"] for row in read_shard(decided, shard, ["id", column]) if row[column]}
    return shard_rows(table_of("synthesize"), shard, ["id", "image"], wanted)


def english_captions(shard: str) -> dict[str, list[Row]]:
    """Return the captions (`description`, `caption`) that are released of a shard's pictures, by id; the source's own
    last.
    """
    captions: dict[str, list[Row]] = {}
    for row in read_shard(table_of("annotate"), shard, ["id", "description", "caption", "status"]):
        of_picture = captions.setdefault(row["id"], [])
        if row["status"] == "ok":
            of_picture.append({"description": row["description"], "caption": row["caption"]})
    for row in read_shard(table_of("originals"), shard, ["id", "caption"]):
        if row["caption"] is not None:
            captions[row["id"]].append({"description": ORIGINAL, "caption": row["caption"]})
    return captions


def source_shards(route: str) -> list[str]:
    """Return the shards of the source rows that take this route; a UserError when the sources were not read."""
    try:
        shards = json.loads(route_file(route).read_text("utf-8"))
    except FileNotFoundError:
        raise UserError(f"{route_file(route)}: no such file: `dvc repro sources` writes it") from None
    return [shard["name"].removesuffix(".parquet") for shard in shards]


def route_file(route: str) -> Path:
    return ROUTES / f"{route}.json"


def source_rows(shard: str, columns: Sequence[str]) -> Iterator[Row]:
    usable = {
        row["id"] for row in read_shard(table_of("source_rows"), shard, ["id", "status"]) if row["status"] == "ok"
    }
    return shard_rows(table_of("source_rows"), shard, columns, usable)


def count_sources(route: str) -> int:
    statuses = (read_columns(table_of("source_rows"), shard, ["status"])["status"] for shard in source_shards(route))
    return sum(pc.sum(pc.equal(column, "ok")).as_py() or 0 for column in statuses)


def count(folder: Path, column: str) -> int:
    return sum(pc.sum(table[column]).as_py() or 0 for _, table in shard_columns(folder, [column]))


def count_ok(folder: Path) -> int:
    """Return how many rows of an asked table are `ok`, from its manifest."""
    return int(manifest(folder)["statuses"].get("ok", 0))


def decide_all(
    table: Path, out: Path, schema: pa.Schema, columns: Sequence[str], rule_of: Callable[[str], Rule]
) -> None:
    """Decide about every row of `table` and write `out`; `rule_of` gives a shard's rule."""
    with Decisions(out, schema) as decisions:
        for shard in shard_names(table):
            rule = rule_of(shard)
            for _, _, rows in sliced(shard, shard_rows(table, shard, columns)):
                decisions.write(shard, [rule(row) for row in rows])


class Decisions(TableWriter):
    """A deciding stage's table that also says, when it is done, how many rows stayed and why the others did not."""

    def __init__(self, folder: Path, schema: pa.Schema) -> None:
        super().__init__(folder, schema)
        self.reasons: Counter[str | None] = Counter()

    def write(self, shard: str, rows: Sequence[Mapping[str, Any]]) -> None:
        super().write(shard, rows)
        self.reasons.update(reason_key(row["reason"]) if row["reason"] else None for row in rows)

    def commit(self) -> None:
        super().commit()
        left_out = [f"{count:,} {reason}" for reason, count in self.reasons.most_common() if reason]
        words = f"left out: {', '.join(left_out)}" if left_out else "none left out"
        print(f"{self.folder.name}: {self.reasons[None]:,} of {self.reasons.total():,} pass, {words}")


def reason_key(reason: str) -> str:
    """Return a reason without its particulars, as metrics name it."""
    return reason.partition(": ")[0]
