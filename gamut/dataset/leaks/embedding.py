"""What is asked of an embedder: items' texts, paraphrases of them, and what lies nearest to a picture's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pydantic import ValidationError

from gamut.asking.models.world.sandbox import paraphrases
from gamut.asking.requests import Embed, Picture
from gamut.asking.seeing import Computing, Embedding
from gamut.asking.visiting import Answer, Visit
from gamut.dataset.leaks.items import ITEMS, PICTURES, ItemText, embedded_items, evenly_spread, pictures_of, texts_of
from gamut.dataset.leaks.nearest import ItemEmbeddings, Traits, at_odds, nearest_items, traits_of
from gamut.dataset.leaks.pictures import Hashes, hash_of, most_alike, read_hashes, upright_pictures
from gamut.dataset.leaks.suspects import captions, described_pictures, passages
from gamut.dataset.shared.joins import count_true, pictures, table_of
from gamut.dataset.shared.parameters import HoldOut
from gamut.dataset.shared.visits import Asking
from gamut.evaluation.defining.editions import Text, read_editions
from gamut.pipeline.asks import Work
from gamut.project import errors
from gamut.project.inputs import regular_file
from gamut.project.plain_text import shorten_to_line
from gamut.project.validation import Strict
from gamut.tables.columns import ASKED, Row, make_id, place, table_schema
from gamut.tables.reading import shard_names

WORLD = "world"
WORDED_ANEW = 24
"""Texts of items that the embedded world says in other words, evenly out of all that it can."""


NEAREST = pa.field("nearest", pa.list_(pa.struct(table_schema("description item_text similarity:float32"))))
RESEMBLING_SCHEMA = table_schema("id", NEAREST, *table_schema("picture:int32 distance:int16 picture_reason", *ASKED))
"""`nearest`: which text of the picture, the id of an item's text, and the cosine of their embeddings. `picture`: the
number of the item's picture that is most alike, `distance`: in how many bits their hashes differ; null where there is
nothing to compare, `picture_reason` says why where its file is to blame. Replies stand there without their vectors."""


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
    )


def texts_of_items(records: Sequence[Row]) -> list[str]:
    """Return items' own texts, on which an embedder without weights is fitted: so nothing else changes an embedding."""
    return [row["text"] for row in records if row["way"] is None]


def embed_item(record: Row) -> Asking:
    answers = yield [Embedding(Embed(passage)) for passage in passages(record["text"])]
    vectors = [answer.value for answer in answers]
    return [{**record, "vectors": None if any(one is None for one in vectors) else vectors, **without_vectors(answers)}]


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
        look_up_nearest(known, pictures, block.asked, items_named),
        lambda: texts_of_items(rows),
    )


def look_up_nearest(
    items: ItemEmbeddings, pictures: tuple[Hashes, Sequence[int]], most: int, items_named: Traits | None
) -> Visit:
    def visit(record: Row) -> Asking:
        said_captions = captions(record["texts"])
        texts = list(dict.fromkeys(part for caption in said_captions for _, text in caption for part in passages(text)))
        image = record.get("image")
        hashing = [Computing(lambda: hash_of(image["bytes"]))] if image and pictures[0].size else []
        answers = yield [*(Embedding(Embed(text)) for text in texts), *hashing]
        vectors = {text: one.value for text, one in zip(texts, answers, strict=False) if one.value is not None}
        hash_answer = answers[len(texts)] if hashing else None
        likeness = most_alike(hash_answer.value, *pictures) if hash_answer else None
        return [
            {
                "id": record["id"],
                "nearest": [
                    near
                    for caption in said_captions
                    for near in items_near_caption(caption, vectors, items, most, items_named)
                ],
                **(likeness._asdict() if likeness else {}),
                "picture_reason": hash_answer.outcome.reason if hash_answer else None,
                **without_vectors(answers[: len(texts)]),
            }
        ]

    return visit


def items_near_caption(
    caption: Sequence[tuple[str, str]],
    vectors: Mapping[str, Sequence[float]],
    items: ItemEmbeddings,
    most: int,
    items_named: Traits | None = None,
) -> list[Row]:
    """Return the items nearest to a caption, told in one or two languages, without those at odds with it."""
    parts = [(what, vectors[part]) for what, text in caption for part in passages(text) if part in vectors]
    if not parts:
        return []
    but = None if items_named is None else at_odds(traits_of([caption[0][1]])[0], items_named)
    return [
        {"description": parts[one.text][0], "item_text": make_id(ITEMS, one.item_text), "similarity": one.similarity}
        for one in nearest_items(np.array([vector for _, vector in parts], np.float32), items, most, but)
    ]


def without_vectors(answers: Sequence[Answer]) -> Row:
    """Return columns for several embeddings: the status of the first that failed, replies without vectors."""
    if not answers:
        return {"status": "ok", "reason": None, "model": None, "replies": []}  # a picture without any text
    columns = [answer.columns() for answer in answers]
    first = next((one for one in columns if one["status"] != "ok"), columns[0])
    return {**first, "replies": [reply | {"content": None} for one in columns for reply in one["replies"]]}


def work_on_items(source: str | None, seed: int) -> Work:
    """Embed all texts of all frozen items, and paraphrases of them from `source`."""
    texts = texts_of(read_editions())
    return embedding_work(item_records(texts, planted_paraphrases(texts, source, seed)))


def work_on_selected(block: HoldOut) -> Work:
    """Look up what of items lies nearest to selected pictures."""
    hashes = read_hashes(table_of("hashed_pictures"))
    return lookup_work(
        shard_names(table_of("select")),
        described_with_pictures if hashes[1] else described_pictures,
        partial(count_true, "select.kept"),
        table_of("embed_items"),
        hashes,
        block,
    )


def described_with_pictures(shard: str) -> Iterator[Row]:
    texts = {row["id"]: row for row in described_pictures(shard)}
    for row in pictures(shard, "select.kept"):
        yield texts[row["id"]] | row


def work_on_pictures(embedder: str | None) -> Work:
    """Embed selected pictures and those of items; nothing where no model embeds pictures."""
    selected = table_of("select")
    if embedder is None:
        return Work(shard_names(selected), lambda shard: iter(()), lambda shard: 0, embed_picture)
    theirs = {make_id(PICTURES, number): data for number, data in upright_pictures(pictures_of(read_editions()))}
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

    return Work([*own_shards, *shard_names(selected)], records, count, embed_picture)


def embed_picture(record: Row) -> Asking:
    [answer] = yield [Embedding(Embed(Picture(record["image"]["bytes"])))]
    return [{"id": record["id"], "vector": answer.value, **without_vectors([answer])}]
