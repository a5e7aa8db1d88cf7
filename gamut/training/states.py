"""How far a training is: kept in the store, since DVC deletes outputs before a stage runs.

A folder a training, by a digest of all that decides its result: finished checkpoints, and a file with the losses so
far, the trained weights and the optimizer's moments. Order and noise follow from seed and step.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

STATE = "state.safetensors"


class Loss(NamedTuple):
    """The loss that a step began with, None for step 0, and that of held-out examples after it, where they were looked
    at.
    """

    step: int
    loss: float | None
    held_out: float | None


def keep_state(folder: Path, weights: Mapping[str, Any], optimizer: Any, losses: Sequence[Loss]) -> None:
    from safetensors.torch import save_file

    tensors = {f"weight {name}": weight.detach() for name, weight in weights.items()}
    for name, weight in weights.items():
        tensors |= {f"{key} {name}": moment for key, moment in optimizer.state.get(weight, {}).items()}
    new = folder / f".{STATE}.new"
    save_file(tensors, new, {"losses": json.dumps(losses)})
    os.replace(new, folder / STATE)


def take_state(folder: Path, weights: Mapping[str, Any], optimizer: Any) -> list[Loss]:
    """Put weights and moments back, and return the losses so far; none where a training begins."""
    import torch
    from safetensors import safe_open

    if not (folder / STATE).exists():
        return []
    with safe_open(folder / STATE, "pt") as file, torch.no_grad():
        for entry in file.keys():  # noqa: SIM118
            key, _, name = entry.partition(" ")
            weight, tensor = weights[name], file.get_tensor(entry)
            if key == "weight":
                weight.copy_(tensor)
            else:  # the count of steps stays on the processor
                optimizer.state[weight][key] = tensor if key == "step" else tensor.to(weight.device)
        return [Loss(*one) for one in json.loads(file.metadata()["losses"])]


def write_checkpoint(folder: Path, step: int, save: Callable[[Path], None]) -> None:
    new, place = folder / f".step-{step}.new", folder / f"step-{step}"
    for leftover in (new, place):  # of a run that was killed before it kept its state
        shutil.rmtree(leftover, ignore_errors=True)
    new.mkdir(parents=True)
    save(new)
    os.replace(new, place)


def hand_over(state: Path, folder: Path, steps: Sequence[int]) -> None:
    """Put all checkpoints into the folder of outputs, whatever was left there."""
    for step in steps:
        shutil.rmtree(folder / f"step-{step}", ignore_errors=True)
        shutil.copytree(state / f"step-{step}", folder / f"step-{step}")


def forget_state(folder: Path) -> None:
    (folder / STATE).unlink()  # first: without it nothing else there counts
    shutil.rmtree(folder)
