"""Recipes in params.yaml: how a model is trained."""

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
    """Return for each recipe the contestants of params.yaml whose models are checkpoints of its last step, in order of
    seeds, only the first of each training.
    """
    found: dict[tuple[str, int], dict[int, str]] = {}
    for name, model in models.items():
        place = f"{TRAINED}/{model['id']}" if model.get("revision") == BUILT else ""
        place = (model.get("adapter") or {}).get("path") or place
        if match := re.fullmatch(rf"{TRAINED}/(\w+)-(\d+)/step-(\d+)/?", place):
            found.setdefault((match[1], int(match[3])), {}).setdefault(int(match[2]), name)
    return {recipe: [name for _, name in sorted(found[recipe, step].items())] for recipe, step in sorted(found)}


class Lora(Strict):
    """A LoRA adapter (Hu et al. 2021): its rank, its scale `alpha` (applied as α/r), and the layers that it adapts, by
    the ends of their names.
    """

    rank: Count
    alpha: Positive
    targets: Annotated[list[Name], Field(min_length=1)]


class Recipe(Strict):
    """How a model is trained: the adapter `lora`, or all weights if it is null. After the steps `checkpoints` the model
    is saved; the last one ends the training. Each step has `batch` examples. In `warmup` steps the learning rate grows
    to its full value. Only painters have `width` and `height`, in pixels: pictures are scaled to cover them, and cut.
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
            raise ValueError(f"checkpoints {self.checkpoints} must be steps in increasing order, each once")
        return self

    @property
    def steps(self) -> int:
        return self.checkpoints[-1]
