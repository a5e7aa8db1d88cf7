"""Prompts from every source, by every route: cleaned, duplicates out (FLUX-Reason-6M, section 2.2).

Earlier rows win, so that a new source changes nothing about old prompts. Rows are read twice: first the texts alone, to
find what resembles what, then to decide.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Annotated

from pydantic import Field

from gamut.dataset.shared.joins import row_by_id, table_of
from gamut.dataset.shared.texts import clean_text, is_readable
from gamut.pipeline.steps import Decides, Decisions, Figure, StepParameters, start
from gamut.project import places
from gamut.project.parameters import NearDuplicates
from gamut.project.validation import Strict
from gamut.tables.columns import Row, table_schema
from gamut.tables.reading import cut_into_slices, shard_names, shard_rows
from gamut.texts.near_duplicate_search import find_near_duplicates


class Prompts(Strict):
    """What makes a text a prompt: its length in characters."""

    max_characters: Annotated[int, Field(ge=1)]


SCHEMA = table_schema("id wave route prompt kept:bool reason duplicate_of similarity:float32")
TEXT_TABLES = {"rewrite": table_of("rewrite"), "imagine": table_of("imagine"), "mine_text": table_of("mine_text")}
"""Where the text of a row stands whose caption is not its prompt."""


def prompts(params: StepParameters) -> None:
    longest = params.prompts.max_characters
    ids: list[str] = []

    def noting_ids(rows: Iterable[Row]) -> Iterator[str]:
        for row in rows:
            ids.append(row["id"])
            yield row["prompt"]

    usable = (
        row
        for shard in shard_names(table_of("source_rows"))
        for row in candidates(shard, longest)
        if row["reason"] is None
    )
    scratch = places.TREE_FOLDER / "scratch" / "prompts"
    in_waves = (noting_ids(rows) for _, rows in itertools.groupby(usable, key=lambda row: row["wave"]))
    found = find_near_duplicates(in_waves, params.near_duplicates.similarity, scratch)

    def decide(row: Row, number: int) -> Row:
        """Keep a usable candidate, the `number`-th, or say what it repeats."""
        if reason := found.reason(number):
            earlier = {"duplicate_of": ids[found.of[number]], "similarity": float(found.similarity[number])}
            return row | {"kept": False, "reason": reason} | earlier
        return row | {"kept": True}

    number = 0
    with Decisions(table_of("prompts"), SCHEMA) as table:
        for shard in shard_names(table_of("source_rows")):
            for _, _, rows in cut_into_slices(shard, candidates(shard, longest)):
                decided = []
                for row in rows:
                    if row["reason"] is None:
                        row, number = decide(row, number), number + 1
                    decided.append(row)
                table.write(shard, decided)


def candidates(shard: str, max_characters: int) -> Iterator[Row]:
    """Yield the rows of one shard, each with its prompt, or with the reason why it can be none."""
    for row in rows_with_text(shard):
        candidate = {"id": row["id"], "wave": row["wave"], "route": row["route"], "prompt": None, "kept": False}
        prompt = clean_text(row["text"]) if row["reason"] is None else ""
        if row["reason"] is not None:
            yield candidate | {"reason": row["reason"]}
        elif not is_readable(prompt):
            yield candidate | {"reason": "invalid_input: nothing readable is in it"}
        elif len(prompt) > max_characters:
            reason = f"invalid_input: {len(prompt):,} characters, at most {max_characters:,} are asked"
            yield candidate | {"reason": reason}
        else:
            yield candidate | {"prompt": prompt, "reason": None}


def rows_with_text(shard: str) -> Iterator[Row]:
    """Yield the source rows of one shard with the text that their route gave them, or the reason why it gave none."""
    tables: dict[str, dict[str, Row]] = {}
    columns = ["id", "wave", "route", "caption", "status", "reason"]
    for row in shard_rows(table_of("source_rows"), shard, columns):
        route = row["route"]
        if route in TEXT_TABLES and not tables:
            tables = {"texts": row_by_id(TEXT_TABLES[route], shard, ["id", "caption", "status"])}
            if route == "mine_text":
                tables["legible"] = row_by_id(table_of("legible"), shard)
        yield row | text_of(row, **tables)


def text_of(row: Row, texts: dict[str, Row] | None = None, legible: dict[str, Row] | None = None) -> Row:
    """Return the text that a row's route gave it, or the reason why it gave none."""
    row_id = row["id"]
    if row["status"] != "ok":
        return {"text": None, "reason": f"{row['status']}: {row['reason']}"}
    if legible is not None and not legible[row_id]["legible"]:
        return {"text": None, "reason": legible[row_id]["reason"]}
    if texts is None:
        return {"text": row["caption"], "reason": None}
    answer = texts[row_id]
    reason = None if answer["status"] == "ok" else f"{row['route']}_{answer['status']}"
    return {"text": answer["caption"], "reason": reason}


STEP = Decides(
    "prompts",
    run=prompts,
    reads="source_rows imagine rewrite legible mine_text",
    schema=SCHEMA,
    parameters={"prompts": Prompts, "near_duplicates": NearDuplicates},
    passes="a prompt is readable, not too long, and new",
    left="prompts",
    share={"kept": Figure(0.95, "of the prompts duplicate no other", "our guess")},
)

if __name__ == "__main__":
    start(STEP)
