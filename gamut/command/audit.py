"""`gamut audit`: which items of an edition stand in this project's release or in a folder, and the board without them.

The stages of the dataset build do the same about this project's pictures; here are their jobs over other rows, in a
folder of the reply store, so that nothing is asked twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from PIL import Image

from gamut.asking.run import ask
from gamut.command.terminal import wrapped_text
from gamut.dataset.leaks.deciding import (
    COUNTS,
    all_tried,
    answers_by_id,
    count_not_ok,
    counts_of,
    leaks_of,
    recall,
    summed_counts,
    thresholds,
)
from gamut.dataset.leaks.embedding import (
    PlantedParaphrase,
    embedding_work,
    item_records,
    planted_paraphrases,
)
from gamut.dataset.leaks.items import NamedItem, pictures_of, texts_of
from gamut.dataset.leaks.lookup import lookup_work
from gamut.dataset.leaks.pictures import grey_pixels, hash_of, hash_pictures, read_hashes, write_hashes
from gamut.dataset.leaks.suspects import CHINESE, SCHEMA, Known, read_known, suspects_of
from gamut.dataset.reading.files import file_rows, files_left_aside, folder_rows, table_names
from gamut.dataset.reading.folders import folder_on_disk
from gamut.dataset.shared.joins import row_by_id, rows_by_id, table_of
from gamut.dataset.shared.source_blocks import Columns, FileSource, FolderSource
from gamut.dataset.steps import CAPTION_COLUMNS, Params, embed_items, resemble, same_test
from gamut.evaluation.curating.benchmarks import curation_of
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.editions import read_edition, read_editions
from gamut.evaluation.defining.parameters import Params as BenchmarkParams
from gamut.evaluation.scoring.board import Standing, layout_of, rank_contestants, rank_in_words
from gamut.evaluation.scoring.estimates import round_value
from gamut.evaluation.scoring.printed import print_cells
from gamut.evaluation.scoring.scores import by_metric_and_judge
from gamut.pipeline.asks import job_of
from gamut.project.errors import UserError, in_one_line
from gamut.project.locks import writer_in_turn
from gamut.project.places import store_root
from gamut.project.plain_text import amount, decimals, name_first, shorten_to_line
from gamut.publish.parameters import Everything
from gamut.tables.columns import ROWS_PER_SLICE, Row, make_id, place, table_schema
from gamut.tables.images import as_png
from gamut.tables.reading import (
    cut_into_slices,
    manifest_path,
    read_columns,
    read_rows,
    shard_names,
    shard_rows,
)
from gamut.tables.writing import TableWriter

RELEASE = "release"
WAVE = "audit"
MOST_SHOWN = 20
"""Items that leaked and are shown; the file has all."""
TEXTS = pa.field("texts", pa.list_(pa.struct(table_schema("description text"))))
COPIED = table_schema("id row", TEXTS, *table_schema("image:image reason"))
"""`row`: what a row is called where it comes from; `image`: small and grey; `reason`: why it cannot be read whole."""


class Tables(NamedTuple):
    """Where an audit keeps what it works with."""

    rows: Path
    items: Path
    pictures: Path
    near: Path
    suspects: Path
    answers: Path

    def stage_name(self, what: str) -> str:
        return f"audit.{what}.{self.rows.parent.name}"


def audit(
    everything: Everything, dataset: str, edition: str, columns: Columns, candidates_only: bool
) -> dict[str, Any]:
    """Return what of an edition stands in a dataset. Without `candidates_only` a model is asked about near pairs."""
    benchmark, slash, version = edition.partition("/")
    if not slash:
        raise UserError(f"{edition}: name an edition as BENCHMARK/VERSION, such as {benchmark}/v1")
    record, params = curation_of(benchmark).benchmark, everything.dataset
    items: list[NamedItem] = [(edition, item) for item in read_edition(benchmark, version, record.item)]
    name = hashlib.sha256(f"{dataset}\n{edition}".encode()).hexdigest()[:16]
    paths = Tables(*(store_root().absolute() / "audits" / name / part for part in Tables._fields))
    with writer_in_turn(paths.stage_name("all")):
        embed_and_compare(params, dataset, columns, items, paths)
        known = read_known(paths.items, paths.pictures, params)
        write_suspects(known, paths)
        if not candidates_only:
            matcher, most = params.role_model("matcher"), params.hold_out.max_failures
            pairs = same_test.pairs_in(paths.suspects, params.seed)
            ask(job_of(paths.stage_name("same_test"), matcher, pairs, same_test.SCHEMA, paths.answers, most))
        leaks = leak_report(params, known, items, paths, asks=not candidates_only)
    of_board = everything.benchmarks.get(benchmark)
    board = leak_boards(record, of_board, version, leaks["leaks"]) if of_board else "params.yaml has no block of it"
    return {
        "dataset": dataset,
        "edition": edition,
        "items": len(items),
        "models": {role: params.role_model(role).slug for role in ("text_embedder", "matcher")},
        **leaks,
        "board": board,
    }


def rows_of(dataset: str, columns: Columns) -> Iterator[Row]:
    """Yield the rows of this project's release with captions in both languages, or of a folder as sources are read."""
    if dataset == RELEASE:
        named = {f"caption_{name}{end}": f"{name}{end}" for name in CAPTION_COLUMNS for end in ("", CHINESE)}
        for row in read_rows(table_of("release"), ["id", "image", *named]):
            texts = [(what, row[column]) for column, what in named.items() if row[column]]
            yield copied_row(row["id"], texts, row["image"]["bytes"] if row["image"] else None)
        return
    source = source_of(dataset, columns)
    found = file_rows(source) if isinstance(source, FileSource) else folder_rows(source)
    for number, one in enumerate(found, start=1):
        if isinstance(one, str):
            yield copied_row(f"row {number}", reason=one)
        else:
            texts = [("text", one.caption)] if isinstance(one.caption, str) else []
            image = one.image.get("bytes") if isinstance(one.image, dict) else one.image
            name = f"row {number}" if one.source_id is None else str(one.source_id)
            yield copied_row(name, texts, image if isinstance(image, bytes) else None)


def source_of(dataset: str, columns: Columns) -> FileSource | FolderSource:
    path = Path(dataset)
    if not path.is_dir():
        raise UserError(
            f"the folder {dataset} does not exist: name one, or `{RELEASE}` for this project's dataset; fetch one of "
            "the Hub by `hf download --repo-type dataset OWNER/NAME --local-dir DIR`"
        )
    if table_names(folder_on_disk(path).walk):
        return FileSource.model_construct(kind="file", wave=WAVE, path=dataset, columns=columns, limit=None)
    return FolderSource.model_construct(kind="folder", wave=WAVE, path=dataset, route="rewrite", limit=None)


def omissions(dataset: str, columns: Columns, with_pictures: bool) -> Iterator[str]:
    """Yield what in a folder is not compared, so that no one takes it for free of leaks."""
    if dataset == RELEASE:
        return
    source = source_of(dataset, columns)
    if others := files_left_aside(source):
        yield f"{amount(len(others), 'other file')} not read: {in_one_line(name_first(others, 3))}"
    if with_pictures and isinstance(source, FileSource) and columns.image is None:
        yield "pictures are not compared: name their column with --image"


def copied_row(
    name: str, texts: Sequence[tuple[str, str]] = (), image: bytes | None = None, reason: str | None = None
) -> Row:
    small = None
    if image is not None:
        try:
            small = {"bytes": as_png(Image.fromarray(grey_pixels(image).astype("uint8"))), "path": None}
        except ValueError as error:
            reason = f"its picture {error}"
    said = [{"description": what, "text": text} for what, text in texts if text.strip()]
    return {"row": name, "texts": said, "image": small, "reason": reason}


def copy_rows(dataset: str, columns: Columns, folder: Path) -> int:
    count, rows = 0, rows_of(dataset, columns)
    with TableWriter(folder, COPIED) as table:
        while some := [row | {"id": make_id(WAVE, count + n)} for n, row in enumerate(islice(rows, ROWS_PER_SLICE))]:
            table.write(place(some[0]["id"])[0], some)
            count += len(some)
        if not count:
            table.write(place(make_id(WAVE, 0))[0], [])
    return count


def records_of(rows: Iterable[Row], hashed: bool = False) -> Iterator[Row]:
    for row in rows:
        texts = [(one["description"], one["text"]) for one in row["texts"]]
        yield {
            "id": row["id"],
            "texts": texts,
            "hash": hash_of(row["image"]["bytes"]) if hashed and row["image"] else None,
        }


def embed_and_compare(
    params: Params, dataset: str, columns: Columns, items: Sequence[NamedItem], paths: Tables
) -> None:
    texts, embedder, most = texts_of(items), params.role_model("text_embedder"), params.hold_out.max_failures
    pictures = pictures_of(items)
    write_hashes(paths.pictures, hash_pictures(pictures))
    count = copy_rows(dataset, columns, paths.rows)
    print(f"audit: {amount(count, 'row')} of {dataset}, {amount(len(items), 'item')} of {items[0][0]}", flush=True)
    for line in omissions(dataset, columns, bool(pictures)):
        print(f"audit: {line}", flush=True)
    records = item_records(texts, paraphrases_of_items(texts, params))
    schema = embed_items.STEP.schema
    ask(job_of(paths.stage_name("items"), embedder, embedding_work(records), schema, paths.items, most))
    hashes = read_hashes(paths.pictures)
    near = lookup_work(
        shard_names(paths.rows),
        lambda shard: records_of(shard_rows(paths.rows, shard), hashed=bool(hashes[1])),
        lambda shard: read_columns(paths.rows, shard, ["id"]).num_rows,
        paths.items,
        hashes,
        params.hold_out,
    )
    ask(job_of(paths.stage_name("rows"), embedder, near, resemble.STEP.schema, paths.near, most))


def paraphrases_of_items(texts: Sequence[Any], params: Params) -> list[PlantedParaphrase]:
    everywhere = texts_of(read_editions())
    places = {text.text: place for place, text in reversed([*enumerate(texts)])}
    known = planted_paraphrases(everywhere, params.hold_out.paraphrases, params.seed)
    return [one._replace(of=places[text]) for one in known if (text := everywhere[one.of].text) in places]


def write_suspects(known: Known, paths: Tables) -> None:
    with TableWriter(paths.suspects, SCHEMA) as table:
        for shard in shard_names(paths.rows):
            near = row_by_id(paths.near, shard)
            for _, _, some in cut_into_slices(shard, shard_rows(paths.rows, shard, ["id", "texts", "image"])):
                records = records_of(some)
                found = (one for record in records for one in suspects_of(record, near.get(record["id"]), None, known))
                table.write(shard, list(found))
        for shard in known.shards:
            table.write(shard, known.of_items(shard))


def leak_report(params: Params, known: Known, items: Sequence[NamedItem], paths: Tables, asks: bool) -> dict[str, Any]:
    """Leaks by item and row, pairs without an answer, and the share of planted paraphrases that is found."""
    block, counted = known.block, list[pa.Table]()
    leaks: dict[str, list[dict[str, Any]]] = {}
    for shard in shard_names(paths.rows):
        suspects, answers = rows_by_id(paths.suspects, shard), answers_by_id(paths.answers, shard) if asks else {}
        counts = []
        for row in shard_rows(paths.rows, shard, ["id", "row", "texts"]):
            found, said = suspects.get(row["id"], []), answers.get(row["id"], {})
            of_row = leaks_of(found, said if asks else None, block)
            counts.append(counts_of(found, said, of_row) | {"found_by": of_row[0]["found_by"] if of_row else None})
            texts = {one["description"]: one["text"] for one in row["texts"]}
            for item, leak in {leak["item"]: leak for leak in reversed(of_row)}.items():
                one = {name: leak[name] for name in ("found_by", "description")}
                one |= {"similarity": round(leak["similarity"], 4), "text": texts.get(leak["description"])}
                leaks.setdefault(item, []).append({"row": row["row"], **one})
        counted.append(pa.Table.from_pylist(counts, schema=table_schema("found_by", *COUNTS)))
    report = summed_counts(counted)
    unreadable = [row for row in read_rows(paths.rows, ["row", "reason"]) if row["reason"]]
    return {
        "rows": report.pop("pictures"),
        "rows_leaking": report.pop("held_out"),
        "unreadable": {"rows": len(unreadable), "first": next(iter(unreadable), None)},
        "without_embedding": count_not_ok(paths.near),
        "leaks": {str(item.id): leaks[str(item.id)] for _, item in items if str(item.id) in leaks},
        "asked": asks,
        **report,
        "pictures_missing": sum(row["reason"] is not None for row in read_rows(paths.pictures, ["reason"])),
        "thresholds": thresholds(block, params.near_duplicates.similarity),
        **recall(all_tried(known.rows, block, paths.suspects, paths.answers if asks else None)),
    }


def leak_boards(
    benchmark: AnyBenchmark, params: BenchmarkParams, version: str, leaked: Collection[str]
) -> dict[str, dict[str, dict[str, Any]]] | str:
    """Return by `<metric>, <judge>` and contestant what ranks with all items and without those that leaked; in words
    why there are no boards.
    """
    block = benchmark.block(params)
    if block.edition != version:
        return f"params.yaml measures edition {block.edition} of {benchmark.name}, not {version}"
    there = [name for name in benchmark.contestants(params) if manifest_path(benchmark.scores / name).exists()]
    if not there:
        return "no contestant has scores in this project: run `dvc repro` to measure them, or `dvc pull`"
    items, metrics = benchmark.items(params), benchmark.metrics_in(params)
    clean_items = [item for item in items if str(item.id) not in leaked]
    rows = {name: list(read_rows(benchmark.scores / name)) for name in there}
    scored = {name: by_metric_and_judge(of, metrics, benchmark.joint) for name, of in rows.items()}
    boards = {}
    for metric in metrics:
        for judge in metric.boards_by(block.judged_by):
            own = {
                name: placed[metric.name, judge] for name, placed in scored.items() if (metric.name, judge) in placed
            }
            settings = []
            for some in (items, clean_items):
                known = {str(item.id) for item in some}
                of = {name: [row for row in scores if row["item"] in known] for name, scores in own.items()}
                ranked = rank_contestants(of, layout_of(benchmark, params, some, metric)) if some else []
                settings.append({one.name: one for one in ranked})
            if own:
                value = metric.shown[0]
                boards[f"{metric.name}, {judge}"] = {
                    name: {
                        "value": value,
                        "with": board_cells(one, value),
                        "without": board_cells(settings[1].get(name), value),
                    }
                    for name, one in settings[0].items()
                }
    return boards


def board_cells(standing: Standing | None, value: str) -> dict[str, Any] | None:
    if standing is None or value not in standing.estimates:
        return None
    estimate = standing.estimates[value]
    low, high = (None if end is None else round_value(end) for end in (estimate.low, estimate.high))
    of = {"estimate": round_value(estimate.value), "low": low, "high": high, "items": estimate.n}
    return of | {"rank": rank_in_words(standing) or None}


def print_report(report: Mapping[str, Any]) -> None:
    leaks = report["leaks"]
    rows = f"{sum(report['rows_leaking'].values()):,} of its {amount(report['rows'], 'row')}"
    of_items = f"{len(leaks):,} of the {amount(report['items'], 'item')} of {report['edition']}"
    print(wrapped_text(f"{report['dataset']} contains {of_items}, in {rows}"))
    cells = []
    for item, found in list(leaks.items())[:MOST_SHOWN]:
        ways = ", ".join(dict.fromkeys(one["found_by"].replace("_", " ") for one in found))
        text = shorten_to_line(found[0]["text"] or found[0]["description"], 60)
        cells.append([shorten_to_line(item, 40), f"{len(found):,}", ways, found[0]["row"], text])
    if leaks:
        print_cells("Leaks", [], ("item", "rows", "found by", "a row", "its text"), cells)
    for line in report_remarks(report):
        print(wrapped_text(line))
    if leaks and isinstance(report["board"], str):
        print(wrapped_text(f"There is no board without them: {report['board']}"))
    elif leaks:
        head = ("contestant", "with", "rank", "without", "rank", "items")
        for name, contestants in report["board"].items():
            value = next(iter(contestants.values()))["value"]
            board = []
            for contestant, one in contestants.items():
                clean = one["without"]
                count = str(clean["items"] if clean else 0)
                board.append([contestant, *board_words(one["with"]), *board_words(clean), count])
            print_cells(f"{value} with all items and without those that leaked: {name}", [], head, board)


def board_words(cells: Mapping[str, Any] | None) -> tuple[str, str]:
    return (decimals(cells["estimate"]), cells["rank"] or "") if cells else ("-", "")


def report_remarks(report: Mapping[str, Any]) -> Iterator[str]:
    pairs = amount(report["pairs"]["asked"], "pair")
    if not report["asked"]:
        yield (
            f"{pairs} of similar texts: no model was asked whether they are the same test, so only near-duplicates "
            "count as leaks."
        )
    else:
        yield f"A model was asked about {pairs} of texts: {report['pairs']['same']:,} are the same test."
        if report["unanswered"]:
            why = ", ".join(f"{count:,} {status}" for status, count in report["unanswered"].items())
            held_out = report["pairs"]["unanswered_held_out"]
            yield f"Pairs without an answer: {why}; {held_out:,} are so similar that they count as leaks."
    if count := report["unreadable"]["rows"]:
        first = report["unreadable"]["first"]
        yield f"{amount(count, 'row')} cannot be read completely, such as {first['row']}: {first['reason']}"
    if report["without_embedding"]:
        yield f"{amount(report['without_embedding'], 'row')} without an embedding: only near-duplicates are found."
    if report["pictures_missing"]:
        yield f"Not compared: {amount(report['pictures_missing'], 'picture')} of items that are missing here."
    if report["recall"]:
        words = ", ".join(f"{way} {100 * one['found']:.0f} % of {one['n']}" for way, one in report["recall"].items())
        yield f"The audit finds of planted paraphrases: {words}."
    else:
        yield "It is not known how many paraphrases the audit finds: hold_out.paraphrases has none of this edition."
    if alarms := report["false_alarms"]:
        yield f"False alarms: of {alarms['n']} items, {100 * alarms['share']:.0f} % count as another of the items."
