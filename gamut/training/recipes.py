"""How a model is trained: what params.yaml says of it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from gamut.project.model_kinds import Name, Pixels
from gamut.project.validation import Strict

Count = Annotated[int, Field(ge=1)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


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
            raise ValueError(f"checkpoints {self.checkpoints}: steps that go up are wanted, each once")
        return self

    @property
    def steps(self) -> int:
        return self.checkpoints[-1]
