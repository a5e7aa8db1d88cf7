"""An audit from its beginning to its end: rows copied, embedded, looked up, asked about, decided, and told.

The stages of the dataset build do the same about this project's pictures; here are their jobs over other rows, in a
folder of the reply store, so that nothing is asked twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from stages.asking.run import ask
from stages.command.audit.boards import boards
from stages.command.audit.datasets import Asked, copied, records_of
from stages.dataset.embed_items import write_hashes
from stages.dataset.leaks.deciding import Answers, Counts, Tried, answers_of, leaks_of, recall, thresholds, tried
from stages.dataset.leaks.embedding import Planted, embedding_items, item_records, planted, resembling
from stages.dataset.leaks.items import ITEMS, Named, embedded_items, gathered, pictures_of, texts_of
from stages.dataset.leaks.pictures import hashed, read_hashes
from stages.dataset.leaks.suspects import PAIR, SCHEMA, suspects_of, suspects_of_items, tried_texts
from stages.dataset.same_test import asking_pairs
from stages.dataset.shared.parameters import Params
from stages.evaluation.defining.editions import read_edition, read_editions
from stages.leaderboard.rooms import room_of
from stages.project.errors import UserError
from stages.project.locks import in_turn
from stages.project.plain_text import amount
from stages.project.settings import store_root
from stages.publish.parameters import Everything
from stages.tables.columns import Row, make_id, place
from stages.tables.reading import manifest, read_rows, read_shard, shard_names, shard_rows, sliced
from stages.tables.writing import TableWriter

STAGE = "audit"


class Tables(NamedTuple):
    """Where an audit keeps what it works with."""

    rows: Path
    items: Path
    pictures: Path
    near: Path
    suspects: Path
    answers: Path


def audit(everything: Everything, dataset: str, edition: str, asked: Asked, candidates_only: bool) -> dict[str, Any]:
    """Return what of an edition stands in a dataset. Without `candidates_only` a model is asked about near pairs."""
    benchmark, slash, version = edition.partition("/")
    if not slash:
        raise UserError(f"{edition}: BENCHMARK/VERSION is wanted, as in {benchmark}/v1")
    record = room_of(benchmark).benchmark
    items: list[Named] = [(edition, item) for item in read_edition(benchmark, version, record.item)]
    params = everything.dataset
    tables = tables_of(dataset, edition)
    with in_turn(stage_of(tables, "all")):
        look_up(params, dataset, asked, items, tables)
        suspect(params, items, tables)
        if not candidates_only:
            judge, most = params.role_model("judge"), params.hold_out.max_failures
            ask(asking_pairs(stage_of(tables, "same_test"), judge, tables.suspects, tables.answers, params.seed, most))
        told = decided(params, items, tables, asks=not candidates_only)
    of_board = everything.benchmarks.get(benchmark)
    board = "params.yaml has no block of it" if of_board is None else boards(record, of_board, version, told["leaks"])
    return {
        "dataset": dataset,
        "edition": edition,
        "items": len(items),
        "models": {role: params.role_model(role).slug for role in ("text_embedder", "judge")},
        **told,
        "board": board,
    }


def tables_of(dataset: str, edition: str) -> Tables:
    """Return where an audit's tables lie: one audit of the same has the same folder."""
    name = hashlib.sha256(f"{dataset}\n{edition}".encode()).hexdigest()[:16]
    folder = store_root().absolute() / "audits" / name
    return Tables(*(folder / part for part in Tables._fields))


def stage_of(tables: Tables, what: str) -> str:
    return f"{STAGE}.{what}.{tables.rows.parent.name}"


def look_up(params: Params, dataset: str, asked: Asked, items: Sequence[Named], tables: Tables) -> None:
    """Embed the items and the dataset's rows, and note what lies nearest."""
    texts, embedder = texts_of(items), params.role_model("text_embedder")
    records = item_records(texts, planted_among(texts, params))
    most = params.hold_out.max_failures
    write_hashes(tables.pictures, hashed(pictures_of(items)))
    hashes = read_hashes(tables.pictures)
    count = copied(dataset, asked, tables.rows, bool(hashes[1]))
    print(f"{STAGE}: {amount(count, 'row')} of {dataset}, {amount(len(items), 'item')} of {items[0][0]}", flush=True)
    ask(embedding_items(stage_of(tables, "items"), embedder, records, tables.items, most))
    shards = shard_names(tables.rows)
    ask(
        resembling(
            stage_of(tables, "rows"),
            embedder,
            shards,
            lambda shard: records_of(shard_rows(tables.rows, shard)),
            count,
            tables.items,
            hashes,
            params.hold_out,
            tables.near,
        )
    )


def planted_among(texts: Sequence[Any], params: Params) -> list[Planted]:
    """Return paraphrases of an edition's texts; those of other editions' texts are left."""
    everywhere = texts_of(read_editions())
    places = {text.text: place for place, text in reversed([*enumerate(texts)])}
    known = planted(everywhere, params.hold_out.paraphrases, params.seed)
    return [one._replace(of=places[text]) for one in known if (text := everywhere[one.of].text) in places]


def suspect(params: Params, items: Sequence[Named], tables: Tables) -> None:
    """Write what speaks for it that rows are items, and what is found about planted texts."""
    block, benchmarks = params.hold_out, gathered(items, params.near_duplicates.similarity)
    rows, known = embedded_items(tables.items)
    item_texts = {make_id(ITEMS, number): row for number, row in enumerate(rows)}
    pictures = list(read_rows(tables.pictures, ["edition", "item", "name"]))
    with TableWriter(tables.suspects, SCHEMA) as table:
        for shard in shard_names(tables.rows):
            near = {row["id"]: row for row in read_shard(tables.near, shard)}
            for _, _, some in sliced(shard, shard_rows(tables.rows, shard, ["id", "texts", "image"])):
                found = [
                    one
                    for record in records_of(some)
                    for one in suspects_of(record, near.get(record["id"]), benchmarks, item_texts, pictures, block)
                ]
                table.write(shard, found)
        of_items = list(suspects_of_items(rows, known, benchmarks, block))
        for shard in shard_names(tables.items):
            table.write(shard, [one for one in of_items if place(one["id"])[0] == shard])


def decided(params: Params, items: Sequence[Named], tables: Tables, asks: bool) -> dict[str, Any]:
    """Return leaks by item and row, what nobody was asked or could answer, and how much is known to be found."""
    block, counts = params.hold_out, Counts()
    leaks: dict[str, list[dict[str, Any]]] = {}
    unreadable = [row for row in read_rows(tables.rows, ["row", "reason"]) if row["reason"]]
    for shard in shard_names(tables.rows):
        suspects, answers = by_row(tables.suspects, shard), said(tables, shard, asks)
        for row in shard_rows(tables.rows, shard, ["id", "row", "texts"]):
            found, known = suspects.get(row["id"], []), answers.get(row["id"], {})
            of_row = leaks_of(found if asks else without_pairs(found), known, block)
            counts.add(found, known, of_row)
            texts = {one["description"]: one["text"] for one in row["texts"]}
            once: set[str] = set()
            for leak in of_row:
                if leak["item"] not in once:
                    once.add(leak["item"])
                    leaks.setdefault(leak["item"], []).append(
                        {
                            "row": row["row"],
                            "found_by": leak["found_by"],
                            "description": leak["description"],
                            "similarity": round(leak["similarity"], 4),
                            "text": texts.get(leak["description"]),
                        }
                    )
    order = [str(item.id) for _, item in items]
    report = counts.report()
    return {
        "rows": report.pop("pictures"),
        "rows_leaking": report.pop("held_out"),
        "unreadable": {"rows": len(unreadable), "first": unreadable[0] if unreadable else None},
        "without_embedding": manifest(tables.near)["rows"] - manifest(tables.near)["statuses"].get("ok", 0),
        "leaks": {item: leaks[item] for item in order if item in leaks},
        "asked": asks,
        **report,
        "pictures_missing": sum(row["reason"] is not None for row in read_rows(tables.pictures, ["reason"])),
        "thresholds": thresholds(block, params.near_duplicates.similarity),
        **recall(all_tried(params, tables, asks)),
    }


def all_tried(params: Params, tables: Tables, asks: bool) -> Iterator[Tried]:
    """Yield what became of texts of which it is known what they are."""
    rows = list(read_rows(tables.items, ["id", "edition", "item", "way", "status"]))
    suspects: dict[str, list[Row]] = {}
    answers: dict[str, Answers] = {}
    for shard in shard_names(tables.items):
        suspects |= by_row(tables.suspects, shard)
        answers |= said(tables, shard, asks)
    for number in tried_texts(rows):
        row_id = rows[number]["id"]
        found = suspects.get(row_id, [])
        one = tried(rows[number], found, answers.get(row_id, {}), params.hold_out)
        sure = tried(rows[number], without_pairs(found), {}, params.hold_out)
        yield one if asks else one._replace(found=sure.found)


def without_pairs(suspects: Sequence[Row]) -> list[Row]:
    """Return what is found without asking: where nobody was asked, a pair of texts is no leak."""
    return [one for one in suspects if one["found_by"] != PAIR]


def by_row(folder: Path, shard: str) -> dict[str, list[Row]]:
    return {row_id: list(rows) for row_id, rows in groupby(read_shard(folder, shard), key=lambda row: row["id"])}


def said(tables: Tables, shard: str, asks: bool) -> dict[str, Answers]:
    """Return what a model said of a shard's pairs, by row; nothing where it was not asked."""
    if not asks:
        return {}
    return {row_id: answers_of(rows) for row_id, rows in by_row(tables.answers, shard).items()}
