"""Keep the reply store small and full: drop what no table uses, restore replies from tables, forget failures."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from gamut.asking.failed_rows import failed_rows
from gamut.asking.models.world.sandbox import sights_in
from gamut.asking.parts import bundle
from gamut.asking.replies import StageReplies
from gamut.asking.requests import Reply
from gamut.dataset import steps
from gamut.dataset.shared.joins import table_of
from gamut.evaluation.running.answers import parts_of
from gamut.pipeline.keys import notes_here
from gamut.pipeline.steps import Step
from gamut.project import pipeline
from gamut.project.errors import UserError
from gamut.project.git import is_committed
from gamut.project.locks import writer_in_turn
from gamut.project.places import store_root
from gamut.project.plain_text import amount, name_first
from gamut.tables import pool
from gamut.tables.columns import Row, place
from gamut.tables.reading import manifest, manifest_path, open_parquet, shard_names, shard_rows


def prune(images: bool) -> Iterator[str]:
    """Delete replies that no current table uses, with `images` also pictures that a committed table holds, and what
    earlier versions of the embedded world saw; yield a line for each stage.
    """
    stages = stages_with_replies()
    makers = {name: stage for name, (stage, _) in pipeline.tables().items()}
    for lock in dict.fromkeys(pipeline.lock_of(makers.get(stage, stage)) for stage in stages):
        if images and not is_committed(lock):
            raise UserError(f"{lock} is not committed: commit it first, so that the pictures can be restored")
    for stage in stages:
        with writer_in_turn(stage):
            said = prune_stage(stage, images)
        yield f"{stage}: {said}"
    made = {step.name: [Path("datasets", table) for table in step.tables] for step in (*steps.STEPS, steps.STATISTICS)}
    here = [table for tables in made.values() for table in tables if manifest_path(table).exists()]
    yield from pool.prune(made.keys(), {shard["sha256"] for table in here for shard in manifest(table)["shards"]})
    drop_searches(steps.prompts.STEP)
    seen = sights_in(store_root())
    if earlier := [folder for folder in seen.parent.glob("*") if folder != seen]:
        for folder in earlier:
            shutil.rmtree(folder)
        yield "detections by earlier versions of the embedded world are deleted"


def drop_searches(step: Step) -> None:
    """Delete the searched prompts from which no table here is made."""
    if all(manifest_path(Path(table)).exists() for table in step.tables_by_shard()):
        notes = notes_here(step, shard_names(table_of("source_rows")))
        unused = {path.name: path for path in (store_root() / steps.prompts.SEARCHED).glob("*")}
        for name in unused.keys() - (set(notes.keys.values()) if notes else set()):
            shutil.rmtree(unused[name])


def prune_stage(stage: str, images: bool) -> str:
    store, folder = StageReplies(store_root(), stage), pipeline.table_of(stage)
    if not manifest_path(folder).exists() or not manifest(folder)["rows"]:
        return f"{folder} is not finished or has no rows, so its replies stay"
    if images and not pipeline.is_recorded(stage):
        return f"{folder} is not what {pipeline.lock_of(pipeline.maker_of(stage))} records, so its replies stay"
    before = folder_size(store.folder)
    kept = dropped = 0
    finished = set(shard_names(folder))
    for shard in store.shards():
        used, held = table_replies(folder, shard) if shard in finished else (set(), set())
        if images and held:
            store.mark_pruned(folder, shard)
            used -= held
        counts = store.rewrite(shard, used.__contains__)
        kept, dropped = kept + counts[0], dropped + counts[1]
    freed = (before - folder_size(store.folder)) / 1e6
    return f"{amount(kept, 'reply', 'replies')} kept, {dropped:,} deleted, {freed:,.1f} MB freed"


NAMED = 6
"""At most so many stages without a table are named."""


def seed(table: Path) -> str:
    stage = pipeline.stage_of(table)
    if "replies" not in columns_of(table):
        raise UserError(f"{table}: its stage {stage!r} asks no model, so there is nothing to seed")
    return seed_stage(stage, table)


def seed_all() -> Iterator[str]:
    """Fill the store from every table here; yield a line for each. UserError at the end if some failed."""
    failed, absent = 0, list[str]()
    for stage, (_, table) in pipeline.tables().items():
        try:
            if not manifest_path(table).exists():
                absent.append(stage)
            elif "replies" in columns_of(table):
                yield seed_stage(stage, table)
        except UserError as error:
            failed += 1
            yield f"{stage}: not seeded: {error}"
    if absent:
        yield f"these tables are not here (`dvc pull` fetches what was pushed): {name_first(absent, NAMED)}"
    if failed:
        raise UserError(f"{amount(failed, 'table')} not seeded (see above): fix this and run it again")
    yield "stored replies are not asked for again: go on with `dvc repro`"


def seed_stage(stage: str, table: Path) -> str:
    columns = [name for name in ("id", "image", "parts", "thinking", "replies") if name in columns_of(table)]
    store, count, known = StageReplies(store_root(), stage), 0, 0
    with writer_in_turn(stage):
        for shard in shard_names(table):
            for number, replies in replies_by_slice(shard_rows(table, shard, columns)).items():
                work_slice = store.slice(shard, number)
                new = {mark: reply for mark, reply in replies.items() if mark not in work_slice.replies}
                for mark, reply in new.items():
                    work_slice.add(mark, reply)
                work_slice.close()
                count, known = count + len(new), known + len(replies) - len(new)
            store.compact(shard)
        store.unmark_pruned()
    there = f", {known:,} were in the store" if known else ""
    return f"{stage}: {amount(count, 'reply', 'replies')} restored from {table}{there}"


def replies_by_slice(rows: Iterable[Row]) -> dict[int, dict[str, Reply]]:
    slices: dict[int, dict[str, Reply]] = {}
    for row in rows:
        for reply in row["replies"]:
            content = reply_bytes(row) if reply["content"] is None else reply["content"].encode()
            if content is not None:  # no table has bytes that were no usable image: these are asked for again
                kept = Reply(content, reply["finish"], reply["input_tokens"], reply["output_tokens"])
                slices.setdefault(place(row["id"])[1], {})[reply["fingerprint"]] = kept
    return slices


def reply_bytes(row: Row) -> bytes | None:
    """Return the bytes of a row's reply that was no text: its image, or the parts of its answer; None if these are
    not known. The parts come from one reply: if several replies were no text, it is not known from which.
    """
    if "image" in row:
        return row["image"]["bytes"] if row["image"] else None
    if row.get("parts") is None or len(binary_replies(row)) > 1:
        return None
    return bundle(parts_of(row["parts"]), row.get("thinking") or "")


def binary_replies(row: Row) -> list[str]:
    return [reply["fingerprint"] for reply in row["replies"] if reply["content"] is None]


def columns_of(table: Path) -> list[str]:
    shards = shard_names(table)
    if not shards:
        return []
    with open_parquet(table / f"{shards[0]}.parquet") as file:
        return list(file.schema_arrow.names)


def table_replies(table: Path, shard: str) -> tuple[set[str], set[str]]:
    """Return fingerprints of all replies of a shard's rows, and of those that `seed` can restore (`reply_bytes`)."""
    used: set[str] = set()
    held: set[str] = set()
    of_parts, pictured = "parts" in columns_of(table), "image" in columns_of(table)
    kinds = ["parts.list.element.text"] if of_parts else []  # shows whether there are parts, without their bytes
    for row in shard_rows(table, shard, ["replies", "status", *kinds]):
        used.update(reply["fingerprint"] for reply in row["replies"])
        bytes_of = binary_replies(row)
        if (row["parts"] is not None and len(bytes_of) == 1) if of_parts else pictured and row["status"] == "ok":
            held.update(bytes_of)
    return used, held


def forget_failed(stage: str) -> int:
    """Forget the replies of a stage's failed records; return how many. The failures stay noted until its next run."""
    pipeline.table_of(stage)
    with writer_in_turn(stage):
        failed = {mark for one in failed_rows(stage) for mark in one["fingerprints"]}
        StageReplies(store_root(), stage).forget(failed)
        pool.ask_again(stage, {place(one["id"])[0] for one in failed_rows(stage)})
    return len(failed)


def stages_with_replies() -> list[str]:
    folder = store_root() / "replies"
    known = pipeline.stages().keys() | pipeline.tables().keys()
    return sorted(path.name for path in folder.iterdir() if path.name in known) if folder.exists() else []


def folder_size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
