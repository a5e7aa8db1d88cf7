"""What is asked of an embedder: items' texts, paraphrases of them, and what lies nearest to a picture's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pydantic import ValidationError

from gamut.asking.models.world.sandbox import paraphrases
from gamut.asking.requests import Embed, stored_picture
from gamut.asking.seeing import Embedding
from gamut.asking.visiting import SliceVisit
from gamut.dataset.leaks.items import (
    ITEMS,
    PICTURES,
    ItemPicture,
    ItemText,
    embedded_items,
    evenly_spread,
    items_that_count,
    pictures_of,
    texts_of,
)
from gamut.dataset.leaks.nearest import ItemEmbeddings, Traits, Vectors, at_odds, nearest_of_each, traits_of
from gamut.dataset.leaks.pictures import (
    COMPARES,
    Hashes,
    hash_pictures,
    most_alike,
    read_hashes,
    upright_pictures,
    write_hashes,
)
from gamut.dataset.leaks.suspects import captions, described_pictures, passages
from gamut.dataset.shared.joins import count_true, pictures, table_of, values_by_id
from gamut.dataset.shared.parameters import HoldOut
from gamut.dataset.shared.visits import Asking, without_vectors
from gamut.evaluation.defining.editions import Text, read_editions
from gamut.pipeline.asks import Work
from gamut.project import errors
from gamut.project.files import write_json
from gamut.project.inputs import regular_file
from gamut.project.plain_text import amount, shorten_to_line
from gamut.project.validation import Strict
from gamut.tables.columns import ASKED, Row, make_id, place, table_schema
from gamut.tables.reading import read_rows, shard_names

WORLD = "world"
WORDED_ANEW = 24
"""Texts of items that the embedded world says in other words, evenly out of all that it can."""


NEAREST = pa.field("nearest", pa.list_(pa.struct(table_schema("description item_text similarity:float32"))))
RESEMBLING_SCHEMA = table_schema("id", NEAREST, *table_schema("picture:int32 distance:int16", *ASKED))
"""`nearest`: which text of the picture, the id of an item's text, and the cosine of their embeddings. `picture`: the
number of the item's picture that is most alike, `distance`: in how many bits their hashes differ; null where there is
nothing to compare. Replies stand there without their vectors."""
TOGETHER = 32
"""Texts of one request: as many as servers of embeddings usually take."""


class Paraphrase(Strict):
    """A line of a file: the text of an item, its paraphrase, and in which way that was made."""

    way: Text
    prompt: Text
    paraphrase: Text


class PlantedParaphrase(NamedTuple):
    """A paraphrase of an item's text, which is named by its place."""

    way: str
    of: int
    text: str


def planted_paraphrases(texts: Sequence[ItemText], source: str | None, seed: int) -> list[PlantedParaphrase]:
    """Return paraphrases of items' texts from a file, or what the embedded world makes of those that it understands."""
    if source is None:
        return []
    if source != WORLD:
        places = {text.text: place for place, text in reversed([*enumerate(texts)])}
        return [
            PlantedParaphrase(one.way, places[one.prompt], one.paraphrase)
            for one in read_paraphrases(Path(source), places)
        ]
    told = [(place, ways) for place, text in enumerate(texts) if (ways := [*paraphrases(text.text, seed)])]
    return [
        PlantedParaphrase(way, place, said) for place, ways in evenly_spread(told, WORDED_ANEW) for way, said in ways
    ]


def read_paraphrases(path: Path, texts: dict[str, int]) -> Iterator[Paraphrase]:
    """UserError for a paraphrase whose `prompt` is none of the items' texts."""
    for number, line in enumerate(regular_file(path).read_bytes().splitlines(), start=1):
        where = f"{path}, line {number}"
        try:
            paraphrase = Paraphrase.model_validate_json(line)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise errors.UserError(
                f"{where}: {'.'.join(map(str, first['loc'])) or 'the line'}: {first['msg']}: mend it"
            ) from None
        if paraphrase.prompt not in texts:
            raise errors.UserError(
                f"{where}: {shorten_to_line(paraphrase.prompt, 60)!r} is no text of an item in datasets/editions"
                f"{errors.nearest_choice(paraphrase.prompt, texts)}"
            )
        yield paraphrase


def item_records(texts: Sequence[ItemText], paraphrases: Sequence[PlantedParaphrase]) -> list[Row]:
    own = [text._asdict() | {"way": None} for text in texts]
    told = [texts[one.of]._asdict() | {"text": one.text, "way": one.way} for one in paraphrases]
    return [{"id": make_id(ITEMS, number)} | row for number, row in enumerate([*own, *told])]


def embedding_work(records: Sequence[Row]) -> Work:
    return Work(
        sorted({place(row["id"])[0] for row in records}) or [place(make_id(ITEMS, 0))[0]],
        lambda shard: (row for row in records if place(row["id"])[0] == shard),
        lambda shard: sum(place(row["id"])[0] == shard for row in records),
        embed_item,
        lambda: texts_of_items(records),
        stored=False,
    )


def texts_of_items(records: Sequence[Row]) -> list[str]:
    """Return items' own texts, on which an embedder without weights is fitted: so nothing else changes an embedding."""
    return [row["text"] for row in records if row["way"] is None]


def together(texts: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(texts[at : at + TOGETHER]) for at in range(0, len(texts), TOGETHER)]


def embed_item(record: Row) -> Asking:
    answers = yield [Embedding(Embed(some)) for some in together(passages(record["text"]))]
    values = [answer.value for answer in answers]
    vectors = None if any(one is None for one in values) else np.concatenate(values).tolist()
    return [{**record, "vectors": vectors, **without_vectors(answers)}]


def lookup_work(
    shards: Sequence[str],
    records: Callable[[str], Iterator[Row]],
    count: Callable[[str], int],
    items: Path,
    pictures: tuple[Hashes, Sequence[int]],
    block: HoldOut,
) -> Work:
    """`pictures` are hashes, and the picture of each."""
    rows, known = embedded_items(items)
    items_named = None if block.ask_at_odds else traits_of([rows[number]["text"] for number in known.numbers])
    comparable = bool(len(known.starts) or pictures[0].size)
    return Work(
        shards,
        records if comparable else lambda shard: iter(()),
        count if comparable else lambda shard: 0,
        SliceVisit(embed_captions, lambda rows: with_nearest(rows, known, pictures, block.asked, items_named)),
        lambda: texts_of_items(rows),
        stored=False,
    )


class EmbeddedCaption(NamedTuple):
    """A caption in one or two languages: its first text; of each passage whose text it is, and the embedding."""

    text: str
    of: Sequence[str]
    vectors: Sequence[Vectors]


def embed_captions(record: Row) -> Asking:
    said = [
        (caption[0][1], [(what, part) for what, text in caption for part in passages(text)])
        for caption in captions(record["texts"])
    ]
    texts = list(dict.fromkeys(part for _, parts in said for _, part in parts))
    answers = yield [Embedding(Embed(some)) for some in together(texts)]
    known = {
        text: vector
        for some, answer in zip(together(texts), answers, strict=True)
        if answer.value is not None
        for text, vector in zip(some, answer.value, strict=True)
    }
    embedded = [
        EmbeddedCaption(text, *zip(*found, strict=True))
        for text, parts in said
        if (found := [(what, known[part]) for what, part in parts if part in known])
    ]
    return [{"id": record["id"], "captions": embedded, "hash": record.get("hash"), **without_vectors(answers)}]


def with_nearest(
    rows: Sequence[Row],
    items: ItemEmbeddings,
    pictures: tuple[Hashes, Sequence[int]],
    most: int,
    items_named: Traits | None = None,
) -> list[Row]:
    """Return rows with the items nearest to their captions, but for those at odds with it, and the picture most alike:
    all captions are compared with all items at once.
    """
    embedded = [caption for row in rows for caption in row["captions"]]
    starts = np.array([*accumulate((len(one.of) for one in embedded), initial=0)][:-1], np.int64)
    vectors = np.array([vector for one in embedded for vector in one.vectors], np.float32)
    but = None if items_named is None else at_odds(traits_of([one.text for one in embedded]), items_named)
    found = iter(zip(embedded, nearest_of_each(vectors, starts, items, most, but), strict=True))
    finished = []
    for row in rows:
        hash_, count = row.pop("hash"), len(row.pop("captions"))
        nearest = [
            {
                "description": one.of[near.text],
                "item_text": make_id(ITEMS, near.item_text),
                "similarity": near.similarity,
            }
            for one, nears in islice(found, count)
            for near in nears
        ]
        likeness = most_alike(hash_, *pictures)
        finished.append({**row, "nearest": nearest, **(likeness._asdict() if likeness else {})})
    return finished


def work_on_items(params: Any) -> Work:
    """Embed all texts of all items that count, and paraphrases of them."""
    texts = texts_of(items_that_count(params.role_model("painter").model.kind))
    return embedding_work(item_records(texts, planted_paraphrases(texts, params.hold_out.paraphrases, params.seed)))


def write_what_is_compared(params: Any) -> None:
    """Hash the pictures of items; say what the dataset is compared with."""
    items, editions = items_that_count(params.role_model("painter").model.kind), {one for one, _ in read_editions()}
    hashed = hash_pictures(pictures_of(items))
    write_hashes(table_of("hashed_pictures"), hashed)
    write_json(COMPARES, {"pictures": any(row["hashes"] for row in hashed)})
    counted = {edition for edition, _ in items}
    compared = f"{amount(len(items), 'item')} of {amount(len(counted), 'frozen edition')}"
    others = f"{amount(len(editions - counted), 'edition')} of the embedded world, which does not paint here, left out"
    print(
        "; ".join([f"embed_items: the dataset is compared with {compared}", *([others] if editions - counted else [])])
    )


def work_on_selected(block: HoldOut) -> Work:
    """Look up what of items lies nearest to selected pictures."""
    return lookup_work(
        shard_names(table_of("select")),
        described_with_hashes,
        partial(count_true, "select.kept"),
        table_of("embed_items"),
        read_hashes(table_of("hashed_pictures")),
        block,
    )


def described_with_hashes(shard: str) -> Iterator[Row]:
    hashes = values_by_id("picture_hashes", shard, "hash")
    for row in described_pictures(shard):
        words = hashes.get(row["id"])
        yield row | {"hash": None if words is None else np.array(words, np.uint64)[:, None]}


def work_on_pictures(embedder: str | None) -> Work:
    """Embed selected pictures and those of items; nothing where no model embeds pictures."""
    selected = table_of("select")
    if embedder is None:
        return Work(shard_names(selected), lambda shard: iter(()), lambda shard: 0, embed_picture)
    named = [ItemPicture(**row) for row in read_rows(table_of("hashed_pictures"), ItemPicture._fields)]
    theirs = {make_id(PICTURES, number): data for number, data in upright_pictures(named)}
    own_shards = sorted({place(row_id)[0] for row_id in theirs})

    def records(shard: str) -> Iterator[Row]:
        if shard not in own_shards:
            yield from pictures(shard, "select.kept")
        for row_id, data in theirs.items():
            if place(row_id)[0] == shard:
                yield {"id": row_id, "image": {"bytes": data}}

    def count(shard: str) -> int:
        own = sum(place(row_id)[0] == shard for row_id in theirs)
        return own if shard in own_shards else count_true("select.kept", shard)

    return Work([*own_shards, *shard_names(selected)], records, count, embed_picture, stored=False)


def embed_picture(record: Row) -> Asking:
    [answer] = yield [Embedding(Embed(stored_picture(record["image"]["bytes"])))]
    return [{"id": record["id"], "vector": answer.value, **without_vectors([answer])}]
