"""How a model is trained: what params.yaml says of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, model_validator

from gamut.project.model_kinds import BUILT, TRAINED, Name, Pixels
from gamut.project.validation import Strict

Count = Annotated[int, Field(ge=1)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


def contestants_by_recipe(models: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return whose models, as params.yaml has them, are checkpoints of a recipe's last step among these, in order of
    seeds; of each training the first.
    """
    found: dict[tuple[str, int], dict[int, str]] = {}
    for name, model in models.items():
        place = f"{TRAINED}/{model['id']}" if model.get("revision") == BUILT else ""
        place = (model.get("adapter") or {}).get("path") or place
        if match := re.fullmatch(rf"{TRAINED}/(\w+)-(\d+)/step-(\d+)/?", place):
            found.setdefault((match[1], int(match[3])), {}).setdefault(int(match[2]), name)
    return {recipe: [name for _, name in sorted(found[recipe, step].items())] for recipe, step in sorted(found)}


class Lora(Strict):
    """A LoRA adapter (Hu et al. 2021): its rank, its scale `alpha` (of which α/r counts), and the layers that it
    adapts, by the ends of their names.
    """

    rank: Count
    alpha: Positive
    targets: Annotated[list[Name], Field(min_length=1)]


class Recipe(Strict):
    """`lora`: what is trained, all weights where it is null. `checkpoints`: the steps after which one is kept; the last
    ends the training. `batch`: examples a step. `warmup`: steps in which the learning rate grows to its full height.
    `width` and `height`, in pixels, for painters alone: pictures are scaled to cover that, and cut to it.
    """

    lora: Lora | None
    checkpoints: Annotated[list[Count], Field(min_length=1)]
    batch: Count
    learning_rate: Positive
    warmup: Annotated[int, Field(ge=0)] = 0
    width: Pixels | None = None
    height: Pixels | None = None

    @model_validator(mode="after")
    def _counts_up(self) -> Recipe:
        if self.checkpoints != sorted({*self.checkpoints}):
            raise ValueError(f"checkpoints {self.checkpoints}: steps that go up are expected, each once")
        return self

    @property
    def steps(self) -> int:
        return self.checkpoints[-1]
