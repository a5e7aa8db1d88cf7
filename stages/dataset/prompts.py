"""Prompts from every source, by every route: cleaned, without duplicates (FLUX-Reason-6M, section 2.2).

Earlier rows win, so a new source changes nothing about old prompts. Rows are read twice: first the texts of one wave,
to find what resembles what, then to decide. The search index of a wave is kept with the replies, so a new wave costs
only its own rows.
"""

from __future__ import annotations

import shutil
from bisect import bisect
from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import islice
from multiprocessing import parent_process
from typing import Annotated

import numpy as np
from pydantic import Field

from gamut.dataset.shared.joins import row_by_id, table_of
from gamut.dataset.shared.texts import clean_text, is_readable
from gamut.pipeline.keys import notes_here
from gamut.pipeline.shards import ByShard, is_forced
from gamut.pipeline.steps import Decides, Figure, StepParameters, start
from gamut.project.locks import writer_in_turn
from gamut.project.parameters import NearDuplicates
from gamut.project.places import store_root
from gamut.project.validation import Strict
from gamut.tables.columns import Row, grouped, make_id, table_schema, wave_of
from gamut.tables.reading import cut_into_slices, shard_names, shard_rows
from gamut.texts.near_duplicate_search import search_wave
from gamut.texts.searched_waves import Wave, open_wave


class Prompts(Strict):
    """What makes a text a prompt: its length in characters."""

    max_characters: Annotated[int, Field(ge=1)]


SCHEMA = table_schema("id wave route prompt kept:bool reason duplicate_of similarity:float32")
SEARCHED = "near_duplicates"
"""The folder of the store with the search indexes."""
TEXT_TABLES = {"rewrite": table_of("rewrite"), "imagine": table_of("imagine"), "mine_text": table_of("mine_text")}
"""The table with a row's text, for routes where the caption is not the prompt."""


def by_shard(params: StepParameters) -> ByShard:
    shards = shard_names(table_of("source_rows"))
    waves, longest = grouped((wave_of(shard), shard) for shard in shards), params.prompts.max_characters
    notes_of, searched = cache(partial(notes_here, STEP, shards)), dict[str, Wave]()

    def search_until(wave: str) -> None:
        """Search waves up to this one. A wave's key covers everything that decides its result, and names its folder."""
        notes, similarity = notes_of(), params.near_duplicates.similarity
        keys = {name: notes.keys[some[0]] if notes else name for name, some in waves.items()}
        folders = {name: store_root() / SEARCHED / key for name, key in keys.items()}
        if not searched and (notes is None or is_forced()) and parent_process() is None:
            for folder in folders.values():
                shutil.rmtree(folder, ignore_errors=True)
        with writer_in_turn(SEARCHED):
            for name in islice(waves, len(searched), [*waves].index(wave) + 1):
                earlier, folder, texts = [*searched.values()], folders[name], usable_prompts(waves[name], longest)
                searched[name] = open_wave(folder, earlier) or search_wave(texts, earlier, similarity, folder)

    def make(shard: str) -> Iterator[list[list[Row]]]:
        search_until(wave := wave_of(shard))
        found, numbers = searched[wave].found(), {name: one.numbers() for name, one in searched.items()}
        starts = [one.start for one in searched.values()]

        def original(position: int) -> str:
            name = [*searched][bisect(starts, position) - 1]
            return make_id(name, int(numbers[name][position - searched[name].start]))

        def decide(row: Row) -> Row:
            """Keep a usable candidate, or say what it repeats."""
            if row["reason"] is not None or row["kept"]:
                return row
            place = int(np.searchsorted(numbers[wave], ordinal(row["id"])))
            if reason := found.reason(place):
                earlier = {"duplicate_of": original(int(found.of[place])), "similarity": float(found.similarity[place])}
                return row | {"reason": reason} | earlier
            return row | {"kept": True}

        for _, _, rows in cut_into_slices(shard, candidates(shard, longest)):
            yield [[decide(row) for row in rows]]

    return ByShard(shards, make)


def usable_prompts(shards: Sequence[str], max_characters: int) -> Iterator[tuple[int, str]]:
    rows = (row for shard in shards for row in candidates(shard, max_characters))
    return ((ordinal(row["id"]), row["prompt"]) for row in rows if row["reason"] is None and not row["kept"])


def ordinal(row_id: str) -> int:
    return int(row_id.rpartition("-")[2])


def candidates(shard: str, max_characters: int) -> Iterator[Row]:
    """Yield the rows of one shard, each with its prompt, or with the reason why it has none. On the route `keep` a row
    has a picture and needs no prompt.
    """
    for row in rows_with_text(shard):
        candidate = {"id": row["id"], "wave": row["wave"], "route": row["route"], "prompt": None, "kept": False}
        prompt = clean_text(row["text"] or "") if row["reason"] is None else ""
        if row["reason"] is not None:
            yield candidate | {"reason": row["reason"]}
        elif row["route"] == "keep":
            yield candidate | {"kept": True, "reason": None}
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
    by_shard=by_shard,
    in_order=True,
    reads="source_rows imagine rewrite legible mine_text",
    schema=SCHEMA,
    parameters={"prompts": Prompts, "near_duplicates": NearDuplicates},
    passes="a prompt is readable, not too long, and new",
    left="prompts",
    share={"kept": Figure(0.95, "of the prompts duplicate no other", "our guess")},
)

if __name__ == "__main__":
    start(STEP)
