"""What is trained: a network with the loss of examples in it, all its weights or a LoRA adapter's, and how these are
saved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gamut.asking.models.extras import first_line, require_package
from gamut.project.errors import UserError, nearest_choice
from gamut.training.examples import Example
from gamut.training.recipes import Recipe

Losses = Callable[[Sequence[Example], Sequence[int]], Any]
"""Takes examples with a seed for the noise of each, returns the loss of each. UserError, which names the example, for
one that cannot be learnt from.
"""


@dataclass(frozen=True)
class Learner:
    """An opened model. `core` can be trained, but for what has `frozen` in its name; `layers` may drop out while they
    learn, all else behaves as when it answers. `save_adapter` takes tensors by peft's names, and peft's config.
    """

    name: str
    device: str
    dtype: str
    core: Any
    frozen: str
    layers: Any
    losses: Losses
    save_whole: Callable[[Path], None]
    save_adapter: Callable[[Path, Mapping[str, Any], Any], None]


@dataclass(frozen=True)
class Training:
    """What a recipe trains of a learner: weights by name, in float32; `save` writes a checkpoint into a folder."""

    weights: Mapping[str, Any]
    save: Callable[[Path], None]


def prepare_training(learner: Learner, recipe: Recipe, seed: int) -> Training:
    """Add an adapter, by default random and without effect, or take all weights; the rest stays as it is."""
    import torch

    core, lora = learner.core, recipe.lora
    if lora is None:
        for name, weight in core.named_parameters():
            weight.requires_grad_(learner.frozen not in name)
            if weight.requires_grad:
                weight.data = weight.data.float()
        return Training(trained_weights(core), learner.save_whole)
    require_package(learner.name, "peft", "models")
    require_targets(learner, lora.targets)
    import peft

    config = peft.LoraConfig(
        r=lora.rank,
        lora_alpha=lora.alpha,
        target_modules=sorted({*lora.targets}),
        exclude_modules=rf".*{learner.frozen}.*",
    )
    torch.manual_seed(seed)
    try:
        adapted = peft.get_peft_model(core, config)
    except ValueError as error:
        raise UserError(
            f"{learner.name}: a LoRA adapter has no place there ({first_line(error)}): mend targets"
        ) from None

    def save(folder: Path) -> None:
        tensors = peft.get_peft_model_state_dict(adapted, save_embedding_layers=False)
        learner.save_adapter(folder, {name: tensor.cpu() for name, tensor in tensors.items()}, config)

    return Training(trained_weights(core), save)


def trained_weights(core: Any) -> Mapping[str, Any]:
    return {name: weight for name, weight in core.named_parameters() if weight.requires_grad}


def require_targets(learner: Learner, targets: Sequence[str]) -> None:
    import torch

    names = [
        name
        for name, layer in learner.core.named_modules()
        if isinstance(layer, torch.nn.Linear) and learner.frozen not in name
    ]
    for target in targets:
        if not any(f".{name}".endswith(f".{target}") for name in names):
            ends = {name.rpartition(".")[2] for name in names} - {str(number) for number in range(10)}
            raise UserError(
                f"{learner.name}: no linear layer is called {target!r}{nearest_choice(target, ends)}: mend lora.targets"
            )
