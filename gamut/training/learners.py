"""Models in training: an opened model with its loss, of which all weights or a LoRA adapter are trained."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gamut.asking.models.extras import first_line
from gamut.project.errors import UserError, nearest_choice
from gamut.training.examples import Example
from gamut.training.recipes import Lora, Recipe

FROZEN = "vqmodel"  # the picture tokenizer of a model that writes and paints: nothing can be learnt through codes


@dataclass(frozen=True)
class Learner:
    """A model in training. Its `core` has the trained weights, its `layers` may drop out. An example is converted by
    `read`, which raises ValueError if the model cannot learn from it. From converted examples, and a seed of noise for
    each, `losses` returns their losses. Tensors by peft's names and peft's config go to `save_adapter`.
    """

    name: str
    core: Any
    layers: Any
    read: Callable[[Example], Any]
    losses: Callable[[Sequence[Any], Sequence[int]], Any]
    save_whole: Callable[[Path], None]
    save_adapter: Callable[[Path, dict[str, Any], Any], None]


def prepare_training(learner: Learner, recipe: Recipe, seed: int) -> tuple[Mapping[str, Any], Callable[[Path], None]]:
    """Return the weights to train, in float32 and by name, and a function that writes a checkpoint into a folder."""
    core, save = learner.core, learner.save_whole
    if recipe.lora is not None:
        save = add_adapter(learner, recipe.lora, seed)
    else:
        for name, weight in core.named_parameters():
            weight.requires_grad_(FROZEN not in name)
            weight.data = weight.data.float() if weight.requires_grad else weight.data
    return {name: weight for name, weight in core.named_parameters() if weight.requires_grad}, save


def add_adapter(learner: Learner, lora: Lora, seed: int) -> Callable[[Path], None]:
    """Add an adapter without effect: its factors A are drawn from the seed, its factors B are 0."""
    import peft
    import torch

    linear, fix = torch.nn.Linear, "fix lora.targets of its recipe"
    names = [f".{name}" for name, layer in learner.core.named_modules() if isinstance(layer, linear)]
    names = [name for name in names if FROZEN not in name]
    for target in lora.targets:
        if not any(name.endswith(f".{target}") for name in names):
            near = nearest_choice(target, {end for name in names if not (end := name.rpartition(".")[2]).isdigit()})
            raise UserError(f"{learner.name}: no linear layer is named {target!r}{near}: {fix}")
    apart = {"target_modules": lora.targets, "exclude_modules": rf".*{FROZEN}.*"}
    config = peft.LoraConfig(r=lora.rank, lora_alpha=lora.alpha, **apart)
    torch.manual_seed(seed)
    try:
        with warnings.catch_warnings(action="ignore"):  # of names that change, and of nothing that was to be left out
            adapted = peft.get_peft_model(learner.core, config)
    except ValueError as error:  # other layers that cannot be adapted are called so too
        raise UserError(f"{learner.name}: {first_line(error)}: {fix}") from None

    def save(folder: Path) -> None:
        tensors = peft.get_peft_model_state_dict(adapted, save_embedding_layers=False)
        learner.save_adapter(folder, {name: tensor.cpu().contiguous() for name, tensor in tensors.items()}, config)

    return save
