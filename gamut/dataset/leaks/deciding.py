"""Decide whether a picture is a benchmark's item, by what was found, what a model said, and thresholds.

It also measures how much is found: what was held out and why, recall of planted paraphrases, false alarms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from gamut.dataset.leaks.items import embedded_items
from gamut.dataset.leaks.suspects import (
    ANOTHER,
    ASKED_ABOUT,
    NEAR_DUPLICATE,
    PAIR,
    PICTURE,
    ROW,
    SAME_TEXT,
    is_item,
    key_of,
    known_texts,
    with_threshold,
)
from gamut.dataset.shared.joins import rows_by_id, table_of
from gamut.dataset.shared.parameters import HoldOut
from gamut.tables.columns import Row, compute, count_values, grouped, place, sum_of, table_schema
from gamut.tables.reading import manifest, read_rows, shard_columns

SAME_TEST, UNANSWERED = "same_test", "unanswered"
"""What a pair becomes if a model calls it the same test, or could not answer although its texts are near each other."""
FOUND_BY = (ROW, SAME_TEXT, PICTURE, SAME_TEST, NEAR_DUPLICATE, UNANSWERED)
"""All reasons that hold a picture out, the most certain first."""

ANSWER_COLUMNS = ["id", "edition", "item", "description", "item_text", "same", "status"]
Answers = Mapping[tuple[str, str, str, str | None], Row]
"""What a model said of one picture's pairs, by edition, item, which of the picture's texts and the item's text."""


def answers_of(rows: Iterable[Row]) -> Answers:
    return {key_of(row): row for row in rows}


def answers_by_id(folder: Path, shard: str) -> dict[str, Answers]:
    return {row_id: answers_of(rows) for row_id, rows in rows_by_id(folder, shard, ANSWER_COLUMNS).items()}


def leaks_of(suspects: Sequence[Row], answers: Answers | None, block: HoldOut) -> list[Row]:
    """Return the items that a picture is, each with what found it: the most certain first, then the most similar. A
    pair without an answer counts if it is a near-duplicate, or from the similarity `unanswered` on. If no model was
    asked at all (`answers` is None), it counts only as a near-duplicate.
    """
    found = []
    for suspect in suspects:
        found_by = suspect["found_by"]
        if found_by in ASKED_ABOUT:
            if answers is not None:
                found_by = verdict(suspect, answers.get(key_of(suspect)), block)
            elif found_by == PAIR:
                continue
        if found_by is not None:
            found.append(suspect | {"found_by": found_by})
    return sorted(found, key=lambda row: (FOUND_BY.index(row["found_by"]), -row["similarity"]))


def verdict(suspect: Row, answer: Row | None, block: HoldOut) -> str | None:
    if answer is not None and answer["status"] == "ok":
        return SAME_TEST if answer["same"] else None
    if suspect["found_by"] == NEAR_DUPLICATE:
        return NEAR_DUPLICATE
    return UNANSWERED if suspect["similarity"] >= block.unanswered else None


class KnownText(NamedTuple):
    """A text with known truth: its way (`another` if it is no item's paraphrase), whether its own item was a candidate,
    and whether it is held out (for its own item, if it has one).
    """

    way: str
    candidate: bool
    found: bool


def known_text(row: Row, suspects: Sequence[Row], answers: Answers | None, block: HoldOut) -> KnownText:
    leaks = leaks_of(suspects, answers, block)
    if row["way"] is None:
        return KnownText(ANOTHER, bool(suspects), bool(leaks))
    return KnownText(row["way"], any(is_item(row, one) for one in suspects), any(is_item(row, one) for one in leaks))


def recall(all_tried: Iterable[KnownText]) -> dict[str, Any]:
    """Return recall by way (all English ways also together): the number of planted paraphrases, the share whose item is
    asked about (`candidates`) and the share held out for it (`found`). Under `false_alarms` is the share of items' own
    texts that are held out for another item.
    """
    by_way = grouped((text.way, text) for text in all_tried)
    others = by_way.pop(ANOTHER, [])
    english = [text for way, texts in by_way.items() if way != "chinese" for text in texts]
    ways = ({"english": english} if english else {}) | by_way
    return {
        "recall": {
            way: {
                "candidates": share(text.candidate for text in texts),
                "found": share(text.found for text in texts),
                "n": len(texts),
            }
            for way, texts in ways.items()
        },
        "false_alarms": {"share": share(text.found for text in others), "n": len(others)} if others else {},
    }


def share(some: Iterable[bool]) -> float:
    values = [*some]
    return round(sum(values) / len(values), 4) if values else 0.0


COUNTED = ("same", "other", "unanswered_held_out", "unanswered_kept")
COUNTS = (*table_schema(" ".join(f"{name}:int32" for name in COUNTED)), *table_schema("unanswered:[string]"))
"""Columns that count a picture's pairs to be asked about; `unanswered`: the status of each pair without an answer."""


def counts_of(suspects: Sequence[Row], answers: Answers, leaks: Sequence[Row]) -> Row:
    """Return the columns COUNTS of one picture."""
    held = {key_of(leak) for leak in leaks if leak["found_by"] in (NEAR_DUPLICATE, UNANSWERED)}
    counts, unanswered = dict.fromkeys(COUNTED, 0), []
    for suspect in suspects:
        if suspect["found_by"] not in ASKED_ABOUT:
            continue
        answer = answers.get(key_of(suspect))
        if answer is not None and answer["status"] == "ok":
            counts["same" if answer["same"] else "other"] += 1
        else:
            unanswered.append("not_asked" if answer is None else answer["status"])
            counts["unanswered_held_out" if key_of(suspect) in held else "unanswered_kept"] += 1
    return {**counts, "unanswered": unanswered}


def summed_counts(tables: Iterable[pa.Table]) -> dict[str, Any]:
    """Sum up the columns COUNTS and `found_by` of pictures, zeros included, so that two builds can be compared."""
    pictures, held_out, pairs, unanswered = 0, Counter[str](), Counter[str](), Counter[str]()
    for table in tables:
        pictures += table.num_rows
        held_out.update(count_values(table["found_by"]))
        unanswered.update(count_values(compute("list_flatten", table["unanswered"])))
        pairs.update({name: sum_of(table[name]) for name in COUNTED})
    return {
        "pictures": pictures,
        "held_out": {name: held_out[name] for name in FOUND_BY},
        "pairs": {"asked": pairs.total()} | {name: pairs[name] for name in COUNTED},
        "unanswered": dict(sorted(unanswered.items())),
    }


def thresholds(block: HoldOut, similarity: float) -> Mapping[str, float]:
    return {"near_duplicates": similarity} | block.model_dump(
        include={"asked", "ask_from", "ask_at_odds", "unanswered", "picture"}
    )


def hold_out_metrics(params: Any) -> dict[str, Any]:
    """Return what was found of a build's pictures, of planted paraphrases and of items' own texts."""
    missing = [row["reason"] is not None for row in read_rows(table_of("hashed_pictures"), ["reason"])]
    rows, items = embedded_items(table_of("embed_items"))
    block = with_threshold(params.hold_out, rows, items)
    columns = ["found_by", *(one.name for one in COUNTS)]
    return {
        "thresholds": thresholds(block, params.near_duplicates.similarity),
        **summed_counts(columns for _, columns in shard_columns(table_of("hold_out"), columns)),
        "without_embedding": count_not_ok(table_of("resemble")),
        "item_texts_without_embedding": count_not_ok(table_of("embed_items")),
        "item_pictures": {"compared": len(missing) - sum(missing), "missing": sum(missing)},
        **recall(all_tried(rows, block, table_of("suspect"), table_of("same_test"))),
    }


def all_tried(rows: Sequence[Row], block: HoldOut, suspects: Path, answers: Path | None) -> Iterator[KnownText]:
    """Yield what became of the texts with known truth. `answers` is None if no model was asked."""
    found, said = dict[str, list[Row]](), dict[str, Answers]()
    for shard in {place(row["id"])[0] for row in rows}:
        found |= rows_by_id(suspects, shard)
        said |= answers_by_id(answers, shard) if answers else {}
    for row in (rows[number] for number in known_texts(rows)):
        yield known_text(row, found.get(row["id"], []), said.get(row["id"], {}) if answers else None, block)


def count_not_ok(folder: Path) -> int:
    counts = manifest(folder)
    return int(counts["rows"] - counts["statuses"].get("ok", 0))
