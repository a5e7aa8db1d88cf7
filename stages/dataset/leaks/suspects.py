"""What speaks for it that a picture is an item of a benchmark, and what of that a model has to be asked about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

import numpy as np
import pyarrow as pa

from stages.dataset.leaks.items import Benchmarks, evenly
from stages.dataset.leaks.nearest import Embedded, Near, nearest
from stages.dataset.leaks.tables import ITEMS
from stages.dataset.shared.parameters import BITS, HoldOut
from stages.tables.columns import Row, make_id

ROW, NEAR_DUPLICATE, PICTURE, PAIR = "row", "near_duplicate", "picture", "pair"
"""How something was found: an item names the row, a text is a near-duplicate, the picture is like an item's; or two
texts lie near each other, about which a model is asked."""
ANOTHER = "another"
"""What an item's own text is called that is looked up among all other items: it is none of their tests."""
LOOKED_UP = 100
"""Items' own texts that are looked up so, evenly out of all."""

SCHEMA = pa.schema(
    [
        pa.field("id", pa.string()),
        pa.field("found_by", pa.string()),
        pa.field("edition", pa.string()),
        pa.field("item", pa.string()),
        pa.field("description", pa.string()),
        pa.field("similarity", pa.float32()),
        pa.field("text", pa.string()),
        pa.field("item_text", pa.string()),
    ]
)


def suspects_of(
    record: Row,
    resembling: Row | None,
    benchmarks: Benchmarks,
    item_texts: Mapping[str, Row],
    pictures: Sequence[Row],
    block: HoldOut,
    alike: Sequence[Near] = (),
) -> list[Row]:
    """Return what was found about one picture: that an item names its row, or the first text that is a near-duplicate,
    and then nothing else; otherwise a picture that is like it, and the pairs of texts that are to be asked about.

    `item_texts` by id, `pictures` of items by number; `alike`: the nearest of these by embeddings, where there are any.
    """
    row_id = record["id"]
    if (named := benchmarks.rows.get((row_id, record.get("source_sha256", "")))) is not None:
        edition, item = benchmarks.items[named]
        return [finding(row_id, ROW, edition, str(item.id), "row", 1.0)]
    if (repeated := near_duplicate(row_id, record["texts"], benchmarks)) is not None:
        return [repeated]
    found = []
    for near in alike:
        if near.similarity >= block.picture_similarity:
            like = pictures[near.item_text]
            description = f"picture {like['name']}"
            found.append(finding(row_id, PICTURE, like["edition"], like["item"], description, near.similarity))
    if resembling is None:
        return found
    if resembling["distance"] is not None and resembling["distance"] <= block.picture:
        like, share = pictures[resembling["picture"]], 1 - resembling["distance"] / BITS
        found.append(finding(row_id, PICTURE, like["edition"], like["item"], f"picture {like['name']}", share))
    texts = dict(reversed(record["texts"]))
    for one in resembling["nearest"][: block.asked]:
        if one["similarity"] >= block.ask_from:
            item_text = item_texts[one["item_text"]]
            found.append(pair(row_id, one["description"], texts[one["description"]], item_text, one["similarity"]))
    return found


def near_duplicate(row_id: str, texts: Iterable[tuple[str, str]], benchmarks: Benchmarks) -> Row | None:
    """Return the first text that is a near-duplicate of an item's, None where none is."""
    for description, text in texts:
        if (match := benchmarks.texts.nearest(text)) is not None:
            position, similarity = match
            edition, item = benchmarks.items[benchmarks.owners[position]]
            return finding(row_id, NEAR_DUPLICATE, edition, str(item.id), description, similarity)
    return None


def finding(row_id: str, found_by: str, edition: str, item: str, description: str, similarity: float) -> Row:
    """Return one finding as a row."""
    return {
        "id": row_id,
        "found_by": found_by,
        "edition": edition,
        "item": item,
        "description": description,
        "similarity": similarity,
    }


def pair(row_id: str, description: str, text: str, item_text: Row, similarity: float) -> Row:
    """Return a pair of texts that a model is to be asked about."""
    found = finding(row_id, PAIR, item_text["edition"], item_text["item"], description, similarity)
    return found | {"text": text, "item_text": item_text["text"]}


def suspects_of_items(rows: Sequence[Row], items: Embedded, benchmarks: Benchmarks, block: HoldOut) -> Iterator[Row]:
    """Yield what is found about texts of which it is known what they are: planted paraphrases, and items' own texts
    when all of that item is passed over, in the order of their ids. `rows`: the table of items' texts.
    """
    for number in tried_texts(rows):
        row = rows[number]
        planted = row["way"] is not None
        row_id, what = make_id(ITEMS, number), row["way"] if planted else ANOTHER
        if planted and (repeated := near_duplicate(row_id, [(what, row["text"])], benchmarks)) is not None:
            yield repeated
        elif row["vector"] is not None:
            vector = np.array([row["vector"]], np.float32)
            but = None if planted else [is_item(rows[items.numbers[start]], row) for start in items.starts]
            for near in nearest(vector, items, block.asked, but):
                if near.similarity >= block.ask_from:
                    yield pair(row_id, what, row["text"], rows[near.item_text], near.similarity)


def tried_texts(rows: Sequence[Row]) -> list[int]:
    """Return the numbers of the texts of which it is known what they are, in order: some of items' own texts, evenly
    out of those with an embedding, and all that were planted.
    """
    own = [number for number, row in enumerate(rows) if row["way"] is None and row["status"] == "ok"]
    return evenly(own, LOOKED_UP) + [number for number, row in enumerate(rows) if row["way"] is not None]


def with_pairs(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield what has pairs that a model is to be asked about, with these; rows in the order of their ids."""
    pairs = (row for row in rows if row["found_by"] == PAIR)
    for row_id, of_row in groupby(pairs, key=lambda row: row["id"]):
        yield {"id": row_id, "pairs": list(of_row)}


def is_item(one: Row, other: Row) -> bool:
    """Return whether two texts are of the same item."""
    return (one["edition"], one["item"]) == (other["edition"], other["item"])
