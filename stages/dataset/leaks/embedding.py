"""Embeddings of items' texts, and what of them lies nearest to the texts of a picture: what is asked of an embedder."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from stages.asking.job import Job
from stages.asking.outcomes import Conversation
from stages.asking.requests import Embed
from stages.asking.seeing import Computing, Embedding
from stages.asking.visiting import Answer, Visit
from stages.dataset.leaks.at_odds import Named, at_odds, named
from stages.dataset.leaks.items import ItemText
from stages.dataset.leaks.nearest import Embedded, nearest
from stages.dataset.leaks.picture_hash import Hashes, Likeness, hash_of, most_alike
from stages.dataset.leaks.planted import Planted
from stages.dataset.leaks.rows import captions, passages
from stages.dataset.leaks.tables import ITEMS, ITEMS_SCHEMA, RESEMBLING_SCHEMA, embedded_items
from stages.dataset.shared.parameters import HoldOut
from stages.project.roles import RoleModel
from stages.tables.columns import Row, make_id, place


def item_records(texts: Sequence[ItemText], paraphrases: Sequence[Planted]) -> list[Row]:
    own = [text._asdict() | {"way": None} for text in texts]
    told = [texts[one.of]._asdict() | {"text": one.text, "way": one.way} for one in paraphrases]
    return [{"id": make_id(ITEMS, number)} | row for number, row in enumerate([*own, *told])]


def embedding_items(
    stage: str, role_model: RoleModel, records: Sequence[Row], folder: Path, max_failures: int | float
) -> Job:
    return Job(
        stage,
        role_model,
        shards=sorted({place(row["id"])[0] for row in records}) or [place(make_id(ITEMS, 0))[0]],
        records=lambda shard: (row for row in records if place(row["id"])[0] == shard),
        total=len(records),
        visit=embed_item,
        schema=ITEMS_SCHEMA,
        folder=folder,
        max_failures=max_failures,
        texts=lambda: own_texts(records),
    )


def own_texts(records: Sequence[Row]) -> list[str]:
    """Return items' own texts, on which an embedder without weights is fitted: so a dataset that grows, or paraphrases
    that are planted, change no embedding.
    """
    return [row["text"] for row in records if row["way"] is None]


def embed_item(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
    answers = yield [Embedding(Embed(passage)) for passage in passages(record["text"])]
    vectors = [answer.value for answer in answers]
    return [{**record, "vectors": None if any(one is None for one in vectors) else vectors, **without_vectors(answers)}]


def resembling(
    stage: str,
    role_model: RoleModel,
    shards: Sequence[str],
    records: Callable[[str], Iterator[Row]],
    total: int,
    items: Path,
    pictures: tuple[Hashes, Sequence[int]],
    block: HoldOut,
    folder: Path,
) -> Job:
    """Return the job of looking up what of items lies nearest to pictures: records have `texts`, and an `image` where
    pictures are compared, with the hashes and the picture of each hash.
    """
    rows, known = embedded_items(items)
    items_named = None if block.ask_at_odds else named([rows[number]["text"] for number in known.numbers])
    comparable = bool(len(known.starts) or pictures[0].size)
    return Job(
        stage,
        role_model,
        shards=shards,
        records=records if comparable else lambda shard: iter(()),
        total=total if comparable else 0,
        visit=look_up(known, pictures, block.asked, items_named),
        schema=RESEMBLING_SCHEMA,
        folder=folder,
        max_failures=block.max_failures,
        texts=lambda: own_texts(rows),
    )


def look_up(items: Embedded, pictures: tuple[Hashes, Sequence[int]], most: int, items_named: Named | None) -> Visit:
    """Return the visit to one picture; items' texts that are at odds with a caption are passed over where it is known
    what they name.
    """

    def visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
        said = captions(record["texts"])
        texts = list(dict.fromkeys(part for caption in said for _, text in caption for part in passages(text)))
        image = record.get("image")
        hashing = [Computing(lambda: hash_of(image["bytes"]))] if image and pictures[0].size else []
        answers = yield [*(Embedding(Embed(text)) for text in texts), *hashing]
        vectors = {text: one.value for text, one in zip(texts, answers, strict=False) if one.value is not None}
        seen = answers[len(texts)] if hashing else None
        likeness = most_alike(seen.value, *pictures) if seen else None
        return [
            {
                "id": record["id"],
                "nearest": [
                    near for caption in said for near in nearest_of(caption, vectors, items, most, items_named)
                ],
                **columns_of(likeness),
                "picture_reason": seen.outcome.reason if seen else None,
                **without_vectors(answers[: len(texts)]),
            }
        ]

    return visit


def nearest_of(
    caption: Sequence[tuple[str, str]],
    vectors: Mapping[str, Sequence[float]],
    items: Embedded,
    most: int,
    items_named: Named | None = None,
) -> list[Row]:
    """Return the items that lie nearest to a caption, told in one or two languages, as they are noted."""
    told = [(what, vectors[part]) for what, text in caption for part in passages(text) if part in vectors]
    if not told:
        return []
    but = None if items_named is None else at_odds(named([caption[0][1]])[0], items_named)
    return [
        {"description": told[one.text][0], "item_text": make_id(ITEMS, one.item_text), "similarity": one.similarity}
        for one in nearest(np.array([vector for _, vector in told], np.float32), items, most, but)
    ]


def columns_of(likeness: Likeness | None) -> Row:
    return {} if likeness is None else {"picture": likeness.picture, "distance": likeness.distance}


def without_vectors(answers: Sequence[Answer]) -> Row:
    """Return the columns of a row that was asked for several embeddings: the status of the first that failed; replies
    without their content, which is the vector once more.
    """
    if not answers:
        return {"status": "ok", "reason": None, "model": None, "replies": []}  # a picture without any text
    columns = [answer.columns() for answer in answers]
    first = next((one for one in columns if one["status"] != "ok"), columns[0])
    return {**first, "replies": [reply | {"content": None} for one in columns for reply in one["replies"]]}
