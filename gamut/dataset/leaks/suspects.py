"""Signs that a picture is an item of a benchmark, and which of them a model must be asked about."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, groupby, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from gamut.dataset.leaks.items import (
    ITEMS,
    Benchmarks,
    embedded_items,
    evenly_spread,
    gather_benchmarks,
    own_texts,
)
from gamut.dataset.leaks.nearest import NO_VECTORS, ItemEmbeddings, Near, at_odds, nearest_items, traits_of
from gamut.dataset.shared.joins import english_captions, row_by_id, rows_by_id, table_of, values_by_id
from gamut.dataset.shared.parameters import HASH_BITS, HoldOut, WantedRecall
from gamut.evaluation.defining.editions import source_sha256
from gamut.pipeline.shards import ByShard
from gamut.project.errors import UserError
from gamut.tables.columns import Row, grouped, make_id, place, prompt_id, table_schema
from gamut.tables.reading import cut_into_slices, read_rows, read_shard, shard_names
from gamut.texts.look_alikes import without_look_alikes

CHINESE = "_cn"
"""The ending of the name of a Chinese translation."""
SENTENCE_END = re.compile(r"[.!?]\s+|[。！？\n]")
ROW, SAME_TEXT, PICTURE, NEAR_DUPLICATE, PAIR = "row", "same_text", "picture", "near_duplicate", "pair"
"""How something was found. row: an item names the row. same_text: a text equals an item's except for case, punctuation,
marks, look-alikes and the order of clauses. picture: the picture is like an item's. near_duplicate: a text nearly
equals an item's. pair: the embeddings of two texts are near each other."""
ASKED_ABOUT = (NEAR_DUPLICATE, PAIR)
"""What a model is asked about."""
ANOTHER = "another"
"""The name of an item's own text when it is looked up among all other items: it is not one of their tests."""
LOOKED_UP = 100
"""How many items' own texts are looked up this way, spread evenly over all."""
SCHEMA = table_schema("id found_by edition item description similarity:float32 text item_text")


def suspects_by_shard(params: Any) -> ByShard:
    """Return the signs that each selected picture, and each text with known truth, is an item."""
    of_items = shard_names(table_of("embed_items"))

    @cache  # only called if a shard must be made
    def compared() -> Known:
        return read_known(table_of("embed_items"), table_of("hashed_pictures"), params)

    def make(shard: str) -> Iterator[list[list[Row]]]:
        known = compared()
        if shard in of_items:
            yield [known.of_items(shard)]
            return
        near, alike = row_by_id(table_of("resemble"), shard), row_by_id(table_of("compare_pictures"), shard)
        for _, _, records in cut_into_slices(shard, described_pictures(shard)):
            found = (suspects_of(one, near.get(one["id"]), alike.get(one["id"]), known) for one in records)
            yield [[*chain.from_iterable(found)]]

    return ByShard([*shard_names(table_of("select")), *of_items], make)


@dataclass(frozen=True)
class Known:
    """All that pictures are compared with: rows of items' texts by number, their embeddings, and items' pictures."""

    shards: Sequence[str]
    rows: Sequence[Row]
    items: ItemEmbeddings
    benchmarks: Benchmarks
    pictures: Sequence[Row]
    block: HoldOut

    def of_items(self, shard: str) -> list[Row]:
        return [one for one in suspects_of_items(self) if place(one["id"])[0] == shard]


def read_known(items: Path, pictures: Path, params: Any) -> Known:
    rows, embeddings = embedded_items(items)
    benchmarks = gather_benchmarks(own_texts(rows), params.near_duplicates.similarity)
    block = with_threshold(params.hold_out, rows, embeddings)
    named = list(read_rows(pictures, ["edition", "item", "name"]))
    return Known(shard_names(items), rows, embeddings, benchmarks, named, block)


def with_threshold(block: HoldOut, rows: Sequence[Row], items: ItemEmbeddings) -> HoldOut:
    """Return hold-out's parameters with `ask_from` as a number: the highest similarity from which on the required share
    of planted paraphrases has its item among the candidates.
    """
    if not isinstance(block.ask_from, WantedRecall):
        return block
    planted = [number for number, row in enumerate(rows) if row["way"] is not None]
    if not planted and not items.numbers:
        return block.model_copy(update={"ask_from": block.unanswered})  # with nothing to compare
    if not planted:
        raise UserError(
            "hold_out.ask_from: a recall needs planted paraphrases, and there are none: name a file of them at "
            "hold_out.paraphrases, or write a number here"
        )
    near = near_known(rows, planted, items, block)
    asked_at = sorted(map(own_similarity, [rows] * len(planted), planted, near), reverse=True)
    least = asked_at[math.ceil(block.ask_from.recall * len(planted)) - 1]
    if least <= 0:
        share = sum(one > 0 for one in asked_at) / len(planted)
        raise UserError(
            f"hold_out.ask_from: a recall of {block.ask_from.recall:g} cannot be reached: only {share:.3f} of the "
            f"planted paraphrases have their item among the {block.asked} nearest: raise hold_out.asked, name a "
            "sentence embedder at roles.text_embedder, or lower the recall"
        )
    return block.model_copy(update={"ask_from": min(least, block.unanswered)})


def own_similarity(rows: Sequence[Row], number: int, near: Sequence[Near]) -> float:
    """Return how near a planted paraphrase is to its own item, 0 if the item is not a candidate at any threshold."""
    return next((one.similarity for one in near if is_item(rows[one.item_text], rows[number])), 0.0)


def described_pictures(shard: str) -> Iterator[Row]:
    """Yield selected pictures of a shard with the hash of their source and their texts: `prompt`, `detail_cn`, ..."""
    captions = values_by_id("source_rows", shard, "caption")
    prompts = values_by_id("synthesize", shard, "prompt")
    english = english_captions(shard)
    chinese = rows_by_id(table_of("translate"), shard, ["id", "description", "caption_cn", "status"])
    of_lengths = rows_by_id(table_of("caption_lengths"), shard, ["id", "length", "caption"])
    for row in read_shard(table_of("select"), shard, ["id", "kept"]):
        if row["kept"]:
            row_id = row["id"]
            texts = [("prompt", prompts[row_id])] if prompts[row_id] else []
            texts += [(c["description"], c["caption"]) for c in english.get(row_id, [])]
            texts += [(c["length"], c["caption"]) for c in of_lengths.get(row_id, []) if c["caption"]]
            translated = [c for c in chinese.get(row_id, []) if c["status"] == "ok"]
            texts += [(f"{c['description']}{CHINESE}", c["caption_cn"]) for c in translated]
            source = source_sha256(captions[prompt_id(row_id)], prompts[row_id])
            yield {"id": row_id, "source_sha256": source, "texts": texts}


def captions(texts: Sequence[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """Return texts by content: a text and its Chinese twin together; a repeated text only at its first place."""
    first = {text: what for what, text in reversed(texts)}
    same = grouped((what.removesuffix(CHINESE), (what, text)) for what, text in texts if first[text] == what)
    return list(same.values())


def passages(text: str) -> list[str]:
    """Return what is embedded of a text: the whole, and each sentence, since one may be a short item."""
    ends = [0, *(match.end() for match in SENTENCE_END.finditer(text)), len(text)]
    sentences = (text[start:end].strip() for start, end in pairwise(ends))
    return list(dict.fromkeys([text.strip(), *filter(None, sentences)]))


def suspects_of(record: Row, resembling: Row | None, alike: Row | None, known: Known) -> list[Row]:
    """Return what was found about one picture. If an item names its row, or a text is the same as an item's, only that
    is returned; otherwise pictures that are like it, and the pairs of texts to be asked about. Steps `resemble` and
    `compare_pictures` found `resembling` and `alike`.
    """
    row_id, benchmarks, pictures, block = record["id"], known.benchmarks, known.pictures, known.block
    if (named := benchmarks.rows.get((prompt_id(row_id), record.get("source_sha256", "")))) is not None:
        return [finding(row_id, ROW, named.edition, named.item, "row", 1.0)]
    repeated = near_duplicates(row_id, record["texts"], benchmarks)
    if repeated and repeated[0]["found_by"] == SAME_TEXT:
        return repeated[:1]
    found = []
    if alike is not None and alike["similarity"] is not None and alike["similarity"] >= block.picture_similarity:
        like = pictures[alike["picture"]]
        description = f"picture {like['name']}"
        found.append(finding(row_id, PICTURE, like["edition"], like["item"], description, alike["similarity"]))
    if resembling is None:
        return found + repeated
    if resembling["distance"] is not None and resembling["distance"] <= block.picture:
        like, share = pictures[resembling["picture"]], 1 - resembling["distance"] / HASH_BITS
        found.append(finding(row_id, PICTURE, like["edition"], like["item"], f"picture {like['name']}", share))
    texts = dict(reversed(record["texts"]))
    near = [
        pair(row_id, one["description"], texts[one["description"]], known.rows[ordinal(one)], one["similarity"])
        for one in resembling["nearest"]
        if one["similarity"] >= block.threshold
    ]
    return found + without_repeats([*repeated, *near])


def ordinal(near: Row) -> int:
    return int(near["item_text"].rpartition("-")[2])


def near_duplicates(row_id: str, texts: Iterable[tuple[str, str]], benchmarks: Benchmarks) -> list[Row]:
    """Return the pairs of a text and an item's text that are near-duplicates; equal texts come first."""
    found = []
    for description, text in texts:
        for position, similarity in benchmarks.index.near(without_look_alikes(text)):
            one = pair(row_id, description, text, benchmarks.texts[position]._asdict(), similarity)
            found.append(one | {"found_by": SAME_TEXT if similarity == 1 else NEAR_DUPLICATE})
    return sorted(found, key=lambda one: one["found_by"] != SAME_TEXT)


def without_repeats(pairs: Iterable[Row]) -> list[Row]:
    """Keep the first of equal pairs."""
    return list({key_of(one): one for one in reversed([*pairs])}.values())[::-1]


def key_of(row: Row) -> tuple[str, str, str, str | None]:
    """Return which pair of a picture a row is about: edition, item, name of the picture's text, text of the item."""
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


def suspects_of_items(known: Known) -> Iterator[Row]:
    """Yield what is found about planted paraphrases, and about items' own texts among all other items."""
    rows, block = known.rows, known.block
    numbers = known_texts(rows)
    for number, nears in zip(numbers, near_known(rows, numbers, known.items, block), strict=True):
        row = rows[number]
        planted = row["way"] is not None
        row_id, what = make_id(ITEMS, number), row["way"] if planted else ANOTHER
        repeated = near_duplicates(row_id, [(what, row["text"])], known.benchmarks)
        repeated = [one for one in repeated if planted or not is_item(one, row)]
        if repeated and repeated[0]["found_by"] == SAME_TEXT:
            yield repeated[0]
            continue
        near = [one for one in nears if one.similarity >= block.threshold]
        yield from without_repeats(
            [*repeated, *(pair(row_id, what, row["text"], rows[one.item_text], one.similarity) for one in near)]
        )


def near_known(
    rows: Sequence[Row], numbers: Sequence[int], items: ItemEmbeddings, block: HoldOut
) -> Iterator[list[Near]]:
    """Yield the items nearest to each of these texts: planted paraphrases, or items' texts (without their own item)."""
    known = [rows[one] for one in items.numbers]
    named = None if block.ask_at_odds else traits_of([one["text"] for one in known])
    for row in (rows[number] for number in numbers):
        but = np.array([row["way"] is None and is_item(one, row) for one in known], np.bool_)
        if named is not None:
            but |= at_odds(traits_of([row["text"]]), named)[0]
        yield nearest_items(NO_VECTORS if row["vectors"] is None else row["vectors"], items, block.asked, but)


def known_texts(rows: Sequence[Row]) -> list[int]:
    """Return the numbers of all planted texts, and of some of items' own texts, spread evenly over those embedded."""
    own = [number for number, row in enumerate(rows) if row["way"] is None and row["status"] == "ok"]
    return evenly_spread(own, LOOKED_UP) + [number for number, row in enumerate(rows) if row["way"] is not None]


def rows_with_pairs(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield rows, in order of id, with the pairs that a model must be asked about."""
    pairs = (row for row in rows if row["found_by"] in ASKED_ABOUT)
    for row_id, of_row in groupby(pairs, key=lambda row: row["id"]):
        yield {"id": row_id, "pairs": list(of_row)}


def is_item(one: Row, other: Row) -> bool:
    return (one["edition"], one["item"]) == (other["edition"], other["item"])
