"""A model is taught a study's facts on one side, on both, or beside what it knew (arXiv 2602.02140, E.2.2)."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from gamut.asking.as_shown import picture_as_shown
from gamut.project import settings
from gamut.project.errors import UserError
from gamut.project.stage import main
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows
from gamut.training.examples import Example
from gamut.training.training import train as train_model
from stages.knowledge.asking import entity_pictures
from stages.knowledge.parameters import Params
from stages.knowledge.stages import ADAPTERS, KNOWLEDGE, LOSSES, TABLES, TRAIN


def train(params: Params, model: str, study: str, strategy: str) -> None:
    cell, block, with_replay = f"{model}-{study}-{strategy}", params.knowledge, strategy == "replay"
    rows = [row for row in read_rows(TABLES["sets"] / study) if strategy in (row["side"], "both", "replay")]
    if with_replay and not any(row["role"] == "replay" for row in rows):
        raise UserError("no known entity is left for replay: lower knowledge.most, or name more entities")
    roles = ("trained", "replay") if with_replay else ("trained",)
    examples = examples_of([row for row in rows if row["role"] in roles and row["split"] == "trained"])
    held_out = examples_of([row for row in rows if row["role"] == "trained" and row["split"] == "held_out"])
    print(f"knowledge.train@{cell}: {len(examples)} examples, {len(held_out)} held out")
    folder, losses = ADAPTERS / cell, LOSSES / f"{cell}.csv"
    train_model(params.player(model), settings.load(), block.recipe, examples, held_out, params.seed, folder, losses)


def examples_of(rows: Sequence[Row]) -> list[Example]:
    pictures = entity_pictures(row["picture"] for row in rows)
    shown = {one: picture_as_shown(data) for one, data in pictures.items()}
    return [
        Example(row["id"], (shown[row["picture"]], row["question"]), row["name"])
        if row["side"] == "und"
        else Example(row["id"], (row["question"],), shown[row["picture"]])
        for row in rows
    ]


if __name__ == "__main__":
    main("knowledge.train", train, Params, *sys.argv[1:], record=KNOWLEDGE.record(TRAIN))
