"""What is known of items before anything is compared with them: texts, planted paraphrases, embeddings of both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from pydantic import ValidationError

from gamut.asking.models.opening import open_when_asked
from gamut.asking.models.world.sandbox import paraphrases
from gamut.asking.requests import Embed
from gamut.asking.seeing import Embedding
from gamut.dataset.leaks.items import (
    ITEMS,
    ItemText,
    evenly_spread,
    items_that_count,
    pictures_of,
    texts_of,
)
from gamut.dataset.leaks.pictures import (
    COMPARES,
    hash_pictures,
    write_hashes,
)
from gamut.dataset.leaks.suspects import passages
from gamut.dataset.shared.joins import table_of
from gamut.dataset.shared.visits import Asking, without_vectors
from gamut.evaluation.defining.editions import Text, read_editions
from gamut.pipeline.asks import Work
from gamut.project import errors
from gamut.project.files import write_json
from gamut.project.inputs import regular_file
from gamut.project.plain_text import amount, shorten_to_line
from gamut.project.validation import Strict
from gamut.tables.columns import Row, make_id, place

WORLD = "world"
WORDED_ANEW = 24
"""How many texts of items the embedded world paraphrases, spread evenly over all that it can."""


TOGETHER = 32
"""Texts in one request: as many as embedding servers usually accept."""


class Paraphrase(Strict):
    """A line of a file: the text of an item, its paraphrase, and the way in which it was made."""

    way: Text
    prompt: Text
    paraphrase: Text


class PlantedParaphrase(NamedTuple):
    """A paraphrase; `of` is the place of the item's text among all."""

    way: str
    of: int
    text: str


def planted_paraphrases(texts: Sequence[ItemText], source: str | None, seed: int) -> list[PlantedParaphrase]:
    """Return paraphrases of items' texts, from a file or from the embedded world (of the texts that it understands)."""
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
    """Yield the paraphrases of a file; UserError if a `prompt` is not the text of an item."""
    for number, line in enumerate(regular_file(path).read_bytes().splitlines(), start=1):
        where = f"{path}, line {number}"
        try:
            paraphrase = Paraphrase.model_validate_json(line)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise errors.UserError(
                f"{where}: {'.'.join(map(str, first['loc'])) or 'the line'}: {first['msg']}: fix it"
            ) from None
        if paraphrase.prompt not in texts:
            raise errors.UserError(
                f"{where}: {shorten_to_line(paraphrase.prompt, 60)!r} is not a text of an item in datasets/editions"
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
        partial(open_when_asked, texts=lambda: texts_of_items(records)),
    )


def texts_of_items(records: Sequence[Row]) -> list[str]:
    """Return items' own texts. An embedder without weights is fitted on them alone: nothing else changes embeddings."""
    return [row["text"] for row in records if row["way"] is None]


def together(texts: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(texts[at : at + TOGETHER]) for at in range(0, len(texts), TOGETHER)]


def embed_item(record: Row) -> Asking:
    answers = yield [Embedding(Embed(some)) for some in together(passages(record["text"]))]
    values = [answer.value for answer in answers]
    vectors = None if any(one is None for one in values) else np.concatenate(values).tolist()
    return [{**record, "vectors": vectors, **without_vectors(answers)}]


def work_on_items(params: Any) -> Work:
    """Embed all texts of all items that count, and paraphrases of them."""
    texts = texts_of(items_that_count(params.role_model("painter").model.kind))
    return embedding_work(item_records(texts, planted_paraphrases(texts, params.hold_out.paraphrases, params.seed)))


def write_what_is_compared(params: Any) -> None:
    """Hash the pictures of items, and print what the dataset is compared with."""
    items, editions = items_that_count(params.role_model("painter").model.kind), {one for one, _ in read_editions()}
    hashed = hash_pictures(pictures_of(items))
    write_hashes(table_of("hashed_pictures"), hashed)
    write_json(COMPARES, {"pictures": any(row["hashes"] for row in hashed)})
    counted = {edition for edition, _ in items}
    compared = f"{amount(len(items), 'item')} of {amount(len(counted), 'frozen edition')}"
    others = f"{amount(len(editions - counted), 'edition')} of the embedded world left out, as it does not paint here"
    print(
        "; ".join([f"embed_items: the dataset is compared with {compared}", *([others] if editions - counted else [])])
    )
