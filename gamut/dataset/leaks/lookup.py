"""Look up which items of benchmarks are nearest to pictures and their texts, by embeddings.

The vectors are not stored: an answer only says which items are nearest.
"""

from __future__ import annotations

import asyncio
import hashlib
import zlib
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
from pydantic import TypeAdapter

from gamut.asking.engine.local import aside
from gamut.asking.models.opening import open_when_asked
from gamut.asking.outcomes import Outcome, decode_step, failure_reason
from gamut.asking.requests import Embed, Model, Nearest, Part, Reply, Request, parts_of, stored_picture, unpack_vector
from gamut.asking.visiting import Answer, Visit
from gamut.dataset.leaks import nearest
from gamut.dataset.leaks.embedding import texts_of_items, together
from gamut.dataset.leaks.items import ITEMS, ItemPicture, embedded_items
from gamut.dataset.leaks.nearest import (
    ItemEmbeddings,
    Traits,
    Vectors,
    at_odds,
    embeddings_of,
    nearest_of_each,
    traits_of,
)
from gamut.dataset.leaks.pictures import Hashes, most_alike, read_hashes, upright_pictures
from gamut.dataset.leaks.suspects import captions, described_pictures, passages
from gamut.dataset.shared.joins import count_true, pictures, table_of, values_by_id
from gamut.dataset.shared.parameters import HoldOut
from gamut.dataset.shared.visits import Asking, without_vectors
from gamut.pipeline.asks import Work
from gamut.project.code import digest_of, files_of, path_of
from gamut.project.errors import UserError
from gamut.project.roles import Played
from gamut.project.settings import Settings
from gamut.tables.columns import ASKED, Row, make_id, table_schema
from gamut.tables.reading import read_rows, shard_names

NEAREST = pa.field("nearest", pa.list_(pa.struct(table_schema("description item_text similarity:float32"))))
RESEMBLING_SCHEMA = table_schema("id", NEAREST, *table_schema("picture:int32 distance:int16", *ASKED))
"""`nearest`: which text of the picture, the id of an item's text, and the cosine of their embeddings. `picture`: the
number of the most similar picture of an item; `distance`: in how many bits the hashes differ; both null if there is
nothing to compare."""
COMPARED_SCHEMA = table_schema("id picture:int32 similarity:float32", *ASKED)
"""`picture`: the number of the nearest picture of an item, `similarity`: the cosine of their embeddings."""
Found = tuple[int, int, float]
"""The place of a text or picture in the request, the number of the item's text or picture near it, their cosine."""
FOUND: TypeAdapter[list[Found]] = TypeAdapter(list[Found])


@dataclass
class Lookup:
    """An embedder that is asked which items are nearest to groups of texts or pictures. `rule` is a part of its
    identity: which items there are, and how they are compared. `items` gives their embeddings at the first question. An
    answer has at most `most` items per group. If `items_named` is known, items at odds with a group's first text are
    left out.
    """

    embedder: Model
    rule: Mapping[str, Any]
    items: Callable[[], Awaitable[ItemEmbeddings]]
    most: int
    items_named: Traits | None = None
    by_record = False

    def __post_init__(self) -> None:
        self.identity: Mapping[str, Any] = {**self.embedder.identity, "nearest": self.rule}
        self.known: asyncio.Future[ItemEmbeddings] | None = None
        self.threads = ThreadPoolExecutor(2)  # each comparison of long texts takes much memory

    @property
    def concurrency(self) -> int:
        return self.embedder.concurrency

    async def answer(self, request: Request) -> Reply:
        assert isinstance(request, Nearest)
        wanted = embeddings_wanted(parts_of(request))
        replies = list[Reply]()
        for one in wanted:  # one after another: the engine already has one request of each record in flight
            replies.append(await self.embedder.answer(one))
            if replies[-1].finish != "stop":
                return replies[-1]
        self.known = self.known or asyncio.ensure_future(self.items())
        items = await self.known
        try:
            vectors = vectors_of(wanted, replies, items.vectors.shape[1])
        except ValueError as error:
            return Reply(str(error).encode(), "invalid")
        # each request alone: the rounding of a matrix product depends on the shapes
        found = await aside(self.threads, self.found, request.groups, vectors, items)
        return Reply(zlib.compress(orjson.dumps(found)), "stop", sum(reply.input_tokens for reply in replies))

    def found(
        self, groups: Sequence[Sequence[Part]], vectors: Mapping[Part, Vectors], items: ItemEmbeddings
    ) -> list[Found]:
        starts = np.array([*accumulate(map(len, groups), initial=0)][:-1], np.int64)
        stacked = np.array([vectors[part] for group in groups for part in group], np.float32)
        named = self.items_named
        but = None if named is None else at_odds(traits_of([str(group[0]) for group in groups]), named)
        nears = zip(starts.tolist(), nearest_of_each(stacked, starts, items, self.most, but), strict=True)
        return [(start + near.text, near.item_text, near.similarity) for start, of_group in nears for near in of_group]

    async def close(self) -> None:
        self.threads.shutdown(cancel_futures=True)
        await self.embedder.close()


def embeddings_wanted(parts: Iterable[Part]) -> list[Embed]:
    """Return requests for the embeddings of parts, each part once; several texts share a request."""
    each = list(dict.fromkeys(parts))
    texts = [part for part in each if isinstance(part, str)]
    return [*map(Embed, together(texts)), *(Embed(part) for part in each if not isinstance(part, str))]


def vectors_of(requests: Sequence[Embed], replies: Sequence[Reply], length: int) -> dict[Part, Vectors]:
    """Return embeddings by part; ValueError if a reply is not an embedding of this `length` (0: there are no items)."""
    found: dict[Part, Vectors] = {}
    for request, reply in zip(requests, replies, strict=True):
        parts = parts_of(request)
        found |= zip(parts, unpack_vector(reply.content).reshape(len(parts), -1), strict=True)
    if other := {len(one) for one in found.values()} - {length} if length else ():
        raise ValueError(f"an embedding has {min(other)} numbers, but those of items have {length}")
    return found


@dataclass(frozen=True)
class LookingUp:
    """A conversation with a `Lookup`; its value is a list of `Found`."""

    request: Nearest

    def next(self, replies: Sequence[Reply]) -> Request | Outcome:
        return decode_step(self.request, replies, decode_found)


def decode_found(content: bytes) -> list[Found]:
    try:
        return FOUND.validate_json(zlib.decompress(content))
    except zlib.error as error:
        raise ValueError(str(error)) from None


COMPARING = [*files_of(nearest.__name__), path_of(__name__)]


def rule_of(items: Any, **ways: Any) -> dict[str, Any]:
    """Return which items are compared, and how. The comparing code is included, since no fingerprint has it."""
    return {"items": hashlib.sha256(orjson.dumps(items)).hexdigest(), **ways, "code": digest_of(COMPARING)}


def lookup_work(
    shards: Sequence[str],
    records: Callable[[str], Iterator[Row]],
    count: Callable[[str], int],
    items: Path,
    pictures: tuple[Hashes, Sequence[int]],
    block: HoldOut,
) -> Work:
    """Return the work of looking up records; `pictures` are hashes, and the picture of each."""
    rows, known = embedded_items(items)
    texts = [rows[number]["text"] for number in known.numbers]
    named = None if block.ask_at_odds else traits_of(texts)
    owners = [(number, rows[number]["edition"], rows[number]["item"]) for number in known.numbers]
    rule = rule_of([owners, texts], most=block.asked, at_odds=block.ask_at_odds)

    async def embeddings() -> ItemEmbeddings:
        return known

    def opening(played: Played, settings: Settings) -> Model:
        embedder = open_when_asked(played, settings, lambda: texts_of_items(rows))
        return Lookup(embedder, rule, embeddings, block.asked, named)

    if not texts and not pictures[0].size:
        return Work(shards, lambda shard: iter(()), lambda shard: 0, look_up_texts(pictures, False), opening)
    return Work(shards, records, count, look_up_texts(pictures, bool(texts)), opening)


Passages = Sequence[tuple[str, str]]
"""The passages of a caption, each with the name of the record's text that it is from."""


def looking_up(groups: Sequence[Passages]) -> LookingUp:
    return LookingUp(Nearest(tuple(tuple(part for _, part in group) for group in groups)))


def rows_of(groups: Sequence[Passages], answer: Answer) -> Iterator[Row]:
    whats = [what for group in groups for what, _ in group]
    for place, number, similarity in answer.value or ():
        yield {"description": whats[place], "item_text": make_id(ITEMS, number), "similarity": similarity}


def look_up_texts(pictures: tuple[Hashes, Sequence[int]], asks: bool) -> Visit:
    """Look up a record's texts, caption by caption, and its hash; if no item has a text, no model is asked."""

    def visit(record: Row) -> Asking:
        said = [
            [(what, part) for what, text in caption for part in passages(text)]
            for caption in (captions(record["texts"]) if asks else ())
        ]
        asked = [said] if said else []
        answers = yield [*map(looking_up, asked)]
        if len(said) > 1 and answers[0].outcome.status != "ok":  # each caption by itself, so that the others count
            asked = [[group] for group in said]
            answers = yield [*map(looking_up, asked)]
        nearest = [one for groups, answer in zip(asked, answers, strict=True) for one in rows_of(groups, answer)]
        likeness = most_alike(record.get("hash"), *pictures)
        return [
            {
                "id": record["id"],
                "nearest": nearest,
                **(likeness._asdict() if likeness else {}),
                **without_vectors(answers),
            }
        ]

    return visit


def work_on_selected(block: HoldOut) -> Work:
    """Look up which items are nearest to selected pictures."""
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
    """Look up which pictures of items are nearest to selected ones; nothing is done if no model embeds pictures."""
    named = enumerate(read_rows(table_of("hashed_pictures"), [*ItemPicture._fields, "reason"]))
    there = {number: ItemPicture(**row) for number, row in named if row.pop("reason") is None}
    selected = shard_names(table_of("select"))
    if embedder is None or not there:
        return Work(selected, lambda shard: iter(()), lambda shard: 0, look_up_picture)

    def opening(played: Played, settings: Settings) -> Model:
        model = open_when_asked(played, settings)
        return Lookup(
            model,
            rule_of([(number, one.sha256) for number, one in there.items()]),
            partial(embed_pictures, model, there),
            1,
        )

    return Work(
        selected,
        partial(pictures, where="select.kept"),
        partial(count_true, "select.kept"),
        look_up_picture,
        opening,
    )


async def embed_pictures(embedder: Model, pictures: Mapping[int, ItemPicture]) -> ItemEmbeddings:
    """Embed pictures of items by their numbers, each as an item of its own. UserError if one is missing or gets no
    answer; a refused one is left out.
    """
    numbers = [*pictures]
    here = {numbers[place]: Embed(stored_picture(data)) for place, data in upright_pictures(pictures.values())}
    wanted, replies, vectors = [*here.values()], list[Reply](), dict[int, Vectors]()
    if gone := pictures.keys() - here.keys():
        raise UserError(f"{name_of(pictures[min(gone)])} is missing: run `dvc repro -f embed_items`")
    while some := wanted[len(replies) :][: embedder.concurrency]:
        replies += await asyncio.gather(*map(embedder.answer, some))
    for number, reply in zip(here, replies, strict=True):
        if reply.finish == "stop":
            vectors[number] = unpack_vector(reply.content)
        elif reply.finish == "transport_error":
            raise UserError(f"{name_of(pictures[number])} is not embedded ({failure_reason(reply)}): run it again")
        else:
            print(f"{name_of(pictures[number])} is not compared: {failure_reason(reply)}", flush=True)
    return embeddings_of([vector.tolist() for vector in vectors.values()], [*vectors], [*vectors])


def name_of(picture: ItemPicture) -> str:
    return f"the picture {picture.name} of {picture.edition} {picture.item}"


def look_up_picture(record: Row) -> Asking:
    answers = yield [LookingUp(Nearest(((stored_picture(record["image"]["bytes"]),),)))]
    near = next(((number, similarity) for _, number, similarity in answers[0].value or ()), (None, None))
    return [{"id": record["id"], "picture": near[0], "similarity": near[1], **without_vectors(answers)}]
