"""A model is taught a study's facts on one side, on both, or together with what it knew (arXiv 2602.02140, E.2.2)."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from PIL import Image, ImageOps

from gamut.asking.as_shown import picture_as_shown
from gamut.asking.requests import Picture
from gamut.project import settings
from gamut.project.errors import UserError
from gamut.project.stage import main
from gamut.tables.columns import Row
from gamut.tables.images import as_png, upright_rgb
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
    size = (block.width, block.height)
    examples = examples_of([row for row in rows if row["role"] in roles and row["split"] == "trained"], size)
    held_out = examples_of([row for row in rows if row["role"] == "trained" and row["split"] == "held_out"], size)
    print(f"knowledge.train@{cell}: {len(examples)} examples, {len(held_out)} held out")
    folder, losses = ADAPTERS / cell, LOSSES / f"{cell}.csv"
    train_model(params.player(model), settings.load(), block.recipe, examples, held_out, params.seed, folder, losses)


def examples_of(rows: Sequence[Row], size: tuple[int, int]) -> list[Example]:
    """Return examples. Pictures to paint are scaled and cut to the size in which checkpoints paint."""
    pictures = entity_pictures(row["picture"] for row in rows)
    examples = list[Example]()
    for row in rows:
        data = pictures[row["picture"]]
        if row["side"] == "und":
            examples.append(Example(row["id"], (picture_as_shown(data), row["question"]), row["name"]))
        else:
            painted = as_png(ImageOps.fit(upright_rgb(data), size, Image.Resampling.BICUBIC))
            examples.append(Example(row["id"], (row["question"],), Picture(painted, "image/png")))
    return examples


if __name__ == "__main__":
    main("knowledge.train", train, Params, *sys.argv[1:], record=KNOWLEDGE.record(TRAIN))
