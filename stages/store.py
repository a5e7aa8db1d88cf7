"""Care of the reply store: drop what no table uses, bring replies back from tables, forget failures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from stages import pipeline
from stages.errors import UserError
from stages.git import is_committed
from stages.questions import Reply
from stages.replies import StageReplies
from stages.settings import store_root
from stages.stage import only_writer
from stages.tables import Row, manifest, open_parquet, place, shard_names, shard_rows


def prune(images: bool) -> Iterator[str]:
    """Drop every reply that the current tables do not use; with `images`, also those that a table holds as images.

    A stage without a finished table is left alone: its replies are all that there is of its work. Images go only when
    their table is the one in dvc.lock and dvc.lock is committed: then it can be had again. Yields a line a stage.
    """
    if images and not is_committed(pipeline.LOCK):
        raise UserError(f"{pipeline.LOCK} is not committed: commit it first, so that the images can be had again")
    for stage in stages_with_replies():
        folder = pipeline.table_of(stage)
        if not (folder / "manifest.json").exists():
            yield f"{stage}: {folder} is not finished, its replies are left alone"
            continue
        if not manifest(folder)["rows"]:
            yield f"{stage}: {folder} has no rows, its replies are left alone"
            continue
        if images and not pipeline.is_recorded(stage):
            yield f"{stage}: {folder} is not what {pipeline.LOCK} records, its replies are left alone"
            continue
        with only_writer(stage):
            yield f"{stage}: {prune_stage(StageReplies(store_root(), stage), folder, images)}"


def prune_stage(store: StageReplies, folder: Path, images: bool) -> str:
    """Prune one stage's replies; return in words what was done."""
    before = size_of(store.folder)
    kept = dropped = 0
    finished = set(shard_names(folder))
    for shard in store.shards():
        replies = table_replies(folder, shard) if shard in finished else ()
        used = {mark for mark, content in replies if content is not None or not images}
        counts = store.rewrite(shard, used.__contains__)
        kept, dropped = kept + counts[0], dropped + counts[1]
    if images and dropped:
        store.mark_pruned(folder)
    return f"{kept:,} replies kept, {dropped:,} dropped, {(before - size_of(store.folder)) / 1e6:,.1f} MB freed"


def seed(table: Path) -> str:
    """Fill the store of the stage that makes `table` with the replies that the table holds."""
    stage = pipeline.stage_of(table)
    if "replies" not in open_parquet(table / manifest(table)["shards"][0]["name"]).schema_arrow.names:
        raise UserError(f"{table}: its stage {stage!r} asks no model, there is nothing to seed")
    store, count = StageReplies(store_root(), stage), 0
    with only_writer(stage):
        for shard in shard_names(table):
            for number, replies in replies_by_slice(table, shard).items():
                piece = store.slice(shard, number)
                new = {mark: reply for mark, reply in replies.items() if mark not in piece.replies}
                for mark, reply in new.items():
                    piece.add(mark, reply)
                piece.close()
                count += len(new)
            store.compact(shard)
        store.unmark_pruned()
    return f"{stage}: {count:,} replies brought back from {table}"


def replies_by_slice(table: Path, shard: str) -> dict[int, dict[str, Reply]]:
    """A shard's replies by slice and fingerprint; an image reply's content is the row's image."""
    found: dict[int, dict[str, Reply]] = {}
    for row in rows_with_replies(table, shard):
        for reply in row["replies"]:
            content = image_of(row) if reply["content"] is None else reply["content"].encode()
            if content is not None:  # bytes that were no usable image stand nowhere, they are asked for again
                kept = Reply(content, reply["finish"], reply["input_tokens"], reply["output_tokens"])
                found.setdefault(place(row["id"])[1], {})[reply["fingerprint"]] = kept
    return found


def image_of(row: Row) -> bytes | None:
    """A row's image bytes, None when it has none."""
    return row["image"]["bytes"] if row.get("image") else None


def table_replies(table: Path, shard: str) -> Iterator[tuple[str, str | None]]:
    """Fingerprint and text (None for an image) of every reply behind a shard's rows."""
    for row in rows_with_replies(table, shard, ["replies"]):
        yield from ((reply["fingerprint"], reply["content"]) for reply in row["replies"])


def rows_with_replies(table: Path, shard: str, columns: list[str] | None = None) -> Iterator[Row]:
    """A shard's rows with what `seed` and `prune` need of them."""
    with open_parquet(table / f"{shard}.parquet") as file:
        columns = columns or [name for name in ("id", "image", "replies") if name in file.schema_arrow.names]
    yield from shard_rows(table, shard, columns)


def forget_failed(stage: str) -> int:
    """Forget the replies behind a stage's failed records; return how many were forgotten."""
    pipeline.table_of(stage)
    with only_writer(stage):
        return StageReplies(store_root(), stage).forget_failed()


def stages_with_replies() -> list[str]:
    """Names of the pipeline's stages that have replies in the store."""
    folder = store_root() / "replies"
    known = pipeline.stages()
    return sorted(path.name for path in folder.iterdir() if path.name in known) if folder.exists() else []


def size_of(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
