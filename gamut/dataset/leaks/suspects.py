"""What speaks for it that a picture is an item of a benchmark, and what of that a model has to be asked about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from gamut.dataset.leaks.items import (
    ITEMS,
    Benchmarks,
    embedded_items,
    embedded_pictures,
    evenly_spread,
    gather_benchmarks,
)
from gamut.dataset.leaks.nearest import ItemEmbeddings, Near, Vectors, at_odds, nearest_items, traits_of
from gamut.dataset.shared.joins import english_captions, row_by_id, rows_by_id, table_of, values_by_id
from gamut.dataset.shared.parameters import HASH_BITS, HoldOut
from gamut.evaluation.defining.editions import EDITIONS, read_editions, source_sha256
from gamut.project.plain_text import amount
from gamut.tables.columns import Row, grouped, make_id, place, table_schema
from gamut.tables.reading import cut_into_slices, read_rows, read_shard, shard_names
from gamut.tables.writing import TableWriter
from gamut.texts.look_alikes import without_look_alikes

CHINESE = "_cn"
"""How it is called what says in Chinese what stands there in English too."""
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
ROW, SAME_TEXT, PICTURE, NEAR_DUPLICATE, PAIR = "row", "same_text", "picture", "near_duplicate", "pair"
"""How something was found: an item names the row, a text is an item's but for case, punctuation, marks, look-alikes and
the order of clauses, the picture is like an item's; or a text is a near-duplicate of an item's, or their embeddings lie
near each other."""
ASKED_ABOUT = (NEAR_DUPLICATE, PAIR)
"""What a model is asked about."""
ANOTHER = "another"
"""What an item's own text is called that is looked up among all other items: it is none of their tests."""
NO_VECTORS: Vectors = np.zeros((0, 0), np.float32)
LOOKED_UP = 100
"""Items' own texts that are looked up so, evenly out of all."""
SCHEMA = table_schema("id found_by edition item description similarity:float32 text item_text")


def write_suspects(params: Any) -> None:
    """Carry out the step `suspect`."""
    block = params.hold_out
    benchmarks = gather_benchmarks(list(read_editions()), params.near_duplicates.similarity)
    editions = {edition for edition, _ in benchmarks.items}
    rows, items = embedded_items(table_of("embed_items"))
    item_texts = {make_id(ITEMS, number): row for number, row in enumerate(rows)}
    pictures = list(read_rows(table_of("hashed_pictures"), ["edition", "item", "name"]))
    of_pictures = embedded_pictures(table_of("embed_pictures"))
    pairs = 0
    with TableWriter(table_of("suspect"), SCHEMA) as table:
        for shard in shard_names(table_of("select")):
            near, vectors = row_by_id(table_of("resemble"), shard), vectors_of(shard)
            for _, _, records in cut_into_slices(shard, described_pictures(shard)):
                found = [
                    one
                    for record in records
                    for one in suspects_of(
                        record,
                        near.get(record["id"]),
                        benchmarks,
                        item_texts,
                        pictures,
                        block,
                        nearest_items(vectors.get(record["id"], NO_VECTORS), of_pictures, 1),
                    )
                ]
                pairs += sum(one["found_by"] in ASKED_ABOUT for one in found)
                table.write(shard, found)
        known = list(suspects_of_items(rows, items, benchmarks, block))
        for shard in shard_names(table_of("embed_items")):
            table.write(shard, [one for one in known if place(one["id"])[0] == shard])
    print(
        f"suspect: {amount(len(benchmarks.items), 'item')} of {len(editions)} frozen editions in {EDITIONS}; "
        f"{pairs:,} pairs of texts are to be asked about, and about planted ones"
    )


def vectors_of(shard: str) -> dict[str, Vectors]:
    """Return the embeddings of a shard's pictures by id; none where no model gives them."""
    vectors = values_by_id("embed_pictures", shard, "vector")
    return {row_id: np.array([vector], np.float32) for row_id, vector in vectors.items() if vector is not None}


def described_pictures(shard: str) -> Iterator[Row]:
    """Yield selected pictures of a shard with the hash of their source and their texts: `prompt`, `detail_cn`, ..."""
    captions = values_by_id("source_rows", shard, "caption")
    prompts = values_by_id("synthesize", shard, "prompt")
    english = english_captions(shard)
    chinese = rows_by_id(table_of("translate"), shard, ["id", "description", "caption_cn", "status"])
    for row in read_shard(table_of("select"), shard, ["id", "kept"]):
        if row["kept"]:
            row_id = row["id"]
            texts = [("prompt", prompts[row_id])]
            texts += [(c["description"], c["caption"]) for c in english.get(row_id, [])]
            translated = [c for c in chinese.get(row_id, []) if c["status"] == "ok"]
            texts += [(f"{c['description']}{CHINESE}", c["caption_cn"]) for c in translated]
            source = source_sha256(captions[row_id], prompts[row_id])
            yield {"id": row_id, "source_sha256": source, "texts": texts}


def captions(texts: Sequence[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """Return texts by what they say: one and its Chinese twin together; a repeated one in the first."""
    first = {text: what for what, text in reversed(texts)}
    same = grouped((what.removesuffix(CHINESE), (what, text)) for what, text in texts if first[text] == what)
    return list(same.values())


def passages(text: str) -> list[str]:
    """Return what is embedded of a text: the whole and each of its sentences, of which one may tell a short item."""
    sentences = (sentence.strip() for sentence in SENTENCE_END.split(text))
    return list(dict.fromkeys([text.strip(), *filter(None, sentences)]))


def suspects_of(
    record: Row,
    resembling: Row | None,
    benchmarks: Benchmarks,
    item_texts: Mapping[str, Row],
    pictures: Sequence[Row],
    block: HoldOut,
    alike: Sequence[Near] = (),
) -> list[Row]:
    """Return what was found about one picture: that an item names its row, or the first text that is an item's, and
    then nothing else; otherwise a picture that is like it, and the pairs of texts to be asked about. `pictures`: of
    items, by number; `alike`: the nearest of these by embeddings.
    """
    row_id = record["id"]
    if (named := benchmarks.rows.get((row_id, record.get("source_sha256", "")))) is not None:
        edition, item = benchmarks.items[named]
        return [finding(row_id, ROW, edition, str(item.id), "row", 1.0)]
    repeated = near_duplicates(row_id, record["texts"], benchmarks)
    if repeated and repeated[0]["found_by"] == SAME_TEXT:
        return repeated[:1]
    found = []
    for near_picture in alike:
        if near_picture.similarity >= block.picture_similarity:
            like = pictures[near_picture.item_text]
            description = f"picture {like['name']}"
            found.append(finding(row_id, PICTURE, like["edition"], like["item"], description, near_picture.similarity))
    if resembling is None:
        return found + repeated
    if resembling["distance"] is not None and resembling["distance"] <= block.picture:
        like, share = pictures[resembling["picture"]], 1 - resembling["distance"] / HASH_BITS
        found.append(finding(row_id, PICTURE, like["edition"], like["item"], f"picture {like['name']}", share))
    texts = dict(reversed(record["texts"]))
    near = [
        pair(row_id, one["description"], texts[one["description"]], item_texts[one["item_text"]], one["similarity"])
        for one in resembling["nearest"]
        if one["similarity"] >= block.ask_from
    ]
    return found + without_repeats([*repeated, *near])


def near_duplicates(row_id: str, texts: Iterable[tuple[str, str]], benchmarks: Benchmarks) -> list[Row]:
    """Return the pairs of a text and an item's that are near-duplicates, first those that are the same text."""
    found = []
    for description, text in texts:
        for position, similarity in benchmarks.index.near(without_look_alikes(text)):
            one = pair(row_id, description, text, benchmarks.texts[position]._asdict(), similarity)
            found.append(one | {"found_by": SAME_TEXT if similarity == 1 else NEAR_DUPLICATE})
    return sorted(found, key=lambda one: one["found_by"] != SAME_TEXT)


def without_repeats(pairs: Iterable[Row]) -> list[Row]:
    """Of equal pairs the first stays."""
    return list({key_of(one): one for one in reversed([*pairs])}.values())[::-1]


def key_of(row: Row) -> tuple[str, str, str, str | None]:
    """Return which pair of a picture a row is about: edition, item, which of the picture's texts, the item's text."""
    return row["edition"], row["item"], row["description"], row.get("item_text")


def finding(row_id: str, found_by: str, edition: str, item: str, description: str, similarity: float) -> Row:
    return {
        "id": row_id,
        "found_by": found_by,
        "edition": edition,
        "item": item,
        "description": description,
        "similarity": similarity,
    }


def pair(row_id: str, description: str, text: str, item_text: Row, similarity: float) -> Row:
    found = finding(row_id, PAIR, item_text["edition"], item_text["item"], description, similarity)
    return found | {"text": text, "item_text": item_text["text"]}


def suspects_of_items(
    rows: Sequence[Row], items: ItemEmbeddings, benchmarks: Benchmarks, block: HoldOut
) -> Iterator[Row]:
    """Yield what is found about planted paraphrases, and about items' own texts among all other items."""
    known = [rows[number] for number in items.numbers]
    items_named = None if block.ask_at_odds else traits_of([row["text"] for row in known])
    for number in known_texts(rows):
        row = rows[number]
        planted = row["way"] is not None
        row_id, what = make_id(ITEMS, number), row["way"] if planted else ANOTHER
        repeated = near_duplicates(row_id, [(what, row["text"])], benchmarks)
        repeated = [one for one in repeated if planted or not is_item(one, row)]
        if repeated and repeated[0]["found_by"] == SAME_TEXT:
            yield repeated[0]
            continue
        vectors = np.array(row["vectors"] or [], np.float32)
        but = np.array([not planted and is_item(one, row) for one in known], np.bool_)
        if items_named is not None:
            but |= at_odds(traits_of([row["text"]])[0], items_named)
        near = [one for one in nearest_items(vectors, items, block.asked, but) if one.similarity >= block.ask_from]
        yield from without_repeats(
            [*repeated, *(pair(row_id, what, row["text"], rows[one.item_text], one.similarity) for one in near)]
        )


def known_texts(rows: Sequence[Row]) -> list[int]:
    """Return the numbers of all planted texts, and of some of items' own, evenly out of those with an embedding."""
    own = [number for number, row in enumerate(rows) if row["way"] is None and row["status"] == "ok"]
    return evenly_spread(own, LOOKED_UP) + [number for number, row in enumerate(rows) if row["way"] is not None]


def rows_with_pairs(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield rows, in order of id, with the pairs that a model is to be asked about."""
    pairs = (row for row in rows if row["found_by"] in ASKED_ABOUT)
    for row_id, of_row in groupby(pairs, key=lambda row: row["id"]):
        yield {"id": row_id, "pairs": list(of_row)}


def is_item(one: Row, other: Row) -> bool:
    return (one["edition"], one["item"]) == (other["edition"], other["item"])
