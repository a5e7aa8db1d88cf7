"""One training by a recipe on the release. Captions and pictures are examples, and are read when they are used.

One row in twenty is held out, by its id alone: a row in two releases is held out of both.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gamut.asking.requests import Picture, seed_of
from gamut.project import settings
from gamut.project.errors import UserError
from gamut.project.model_kinds import TRAINED
from gamut.project.roles import RoleModel
from gamut.project.stage import main
from gamut.tables.images import media_type, scale_down
from gamut.tables.reading import RowsById, shard_columns
from gamut.training import training
from gamut.training.examples import Example
from stages.training.parameters import Params, ReleaseRecipe
from stages.training.stages import LOSSES, RELEASE, TRAIN, TRAINING

HELD_OUT, MOST_HELD_OUT = 2**31 // 20, 256
"""Ids with a lower number are held out. The lowest so many are evaluated, each with its first caption."""


class ReleaseExamples(Sequence[Example]):
    """Captions with their pictures. Only an index is held in memory, shard by shard, but no text or picture."""

    def __init__(self, release: Path, recipe: ReleaseRecipe, ids: Sequence[str], captions: NDArray[np.int64]) -> None:
        """`captions`: shape (captions, 2), the place of each one's row in `ids` and of its column in the recipe."""
        self.recipe, self.ids, self.captions = recipe, ids, captions
        self.row_of = RowsById(release, ["image", *(f"caption_{name}" for name in recipe.captions)])

    def __len__(self) -> int:
        return len(self.captions)

    def __getitem__(self, position: Any) -> Any:
        row_id, name = self.ids[self.captions[position, 0]], self.recipe.captions[self.captions[position, 1]]
        row = self.row_of(row_id)
        data = row["image"]["bytes"]
        if self.recipe.largest_picture:
            data = scale_down(data, self.recipe.largest_picture)
        return Example(f"{row_id}/{name}", (row[f"caption_{name}"],), Picture(data, media_type(data)))


def split_release(release: Path, recipe: ReleaseRecipe) -> tuple[ReleaseExamples, ReleaseExamples]:
    """Return the examples, and the held-out ones. UserError if either is empty."""
    names = recipe.captions
    flags = [f"bool_caption_{name.removesuffix('_cn')}" for name in names]
    ids, has = list[str](), [np.zeros((0, len(flags)), bool)]
    for _, table in shard_columns(release, ["id", *dict.fromkeys(flags)]):
        ids += table["id"].to_pylist()
        has.append(np.stack([table[flag].to_numpy() for flag in flags], axis=1))
    there, numbers = np.concatenate(has), np.array([seed_of(row_id, 0) for row_id in ids])
    aside = there.any(axis=1) & (numbers < HELD_OUT)
    rows = np.flatnonzero(aside)[np.argsort(numbers[aside], kind="stable")[:MOST_HELD_OUT]]
    held_out = np.stack([rows, there[rows].argmax(axis=1)], axis=1)
    learnt = np.argwhere(there & ~aside[:, None])
    if not len(learnt) or not len(held_out):
        few = f"{there.any(axis=1).sum():,} of {len(ids):,} rows have one of the captions {', '.join(names)}"
        raise UserError(f"{release}: {few}; with one in twenty held out, one part is empty: release more rows")
    return ReleaseExamples(release, recipe, ids, learnt), ReleaseExamples(release, recipe, ids, held_out)


def train(params: Params, name: str, seed: str) -> None:
    recipe, cell = params.recipes[name], f"{name}-{seed}"
    examples, held_out = split_release(Path(RELEASE), recipe)
    print(f"training.train: {cell}: {len(examples):,} examples, {len(held_out):,} held out", flush=True)
    player = RoleModel("painter", name, recipe.model)
    folder, losses = Path(TRAINED, cell), Path(LOSSES, f"{cell}.csv")
    training.train(player, settings.load(), recipe, examples, [*held_out], int(seed), folder, losses)


if __name__ == "__main__":
    main("training.train", train, Params, *sys.argv[1:], record=TRAINING.record(TRAIN))
