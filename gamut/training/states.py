"""How far a training is, kept outside of its outputs, which DVC deletes before a stage runs: after `kill -9` it goes on
from there.

A folder a training in the store, by a digest of all that decides its result: finished checkpoints, and one file, the
last word, with the step, the losses so far, the trained weights and the optimizer's moments. Noise and order follow
from seed and step, so no state of a random generator is kept.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gamut.project.places import store_root

FOLDER = "trainings"
STATE = "state.safetensors"


class Loss(NamedTuple):
    """A line of the losses: of a step, and over the held-out examples after it."""

    step: int
    loss: float | None
    held_out: float | None


def state_folder(key: str) -> Path:
    return store_root() / FOLDER / key


def keep_state(folder: Path, weights: Mapping[str, Any], optimizer: Any, losses: Sequence[Loss]) -> None:
    from safetensors.torch import save_file

    tensors = {f"weight {name}": weight.detach() for name, weight in weights.items()}
    for name, weight in weights.items():
        tensors |= {f"{key} {name}": moment for key, moment in optimizer.state.get(weight, {}).items()}
    new = folder / f".{STATE}.new"
    save_file(tensors, new, {"losses": json.dumps(losses)})
    os.replace(new, folder / STATE)


def take_state(folder: Path, weights: Mapping[str, Any], optimizer: Any, device: str) -> list[Loss]:
    """Put weights and moments back, and return the losses so far; none where a training begins."""
    import torch
    from safetensors import safe_open

    if not (folder / STATE).exists():
        return []
    with safe_open(folder / STATE, "pt", device=device) as file, torch.no_grad():
        for name in file.keys():  # noqa: SIM118
            key, _, of = name.partition(" ")
            if key == "weight":
                weights[of].copy_(file.get_tensor(name))
            else:
                moment = file.get_tensor(name)
                optimizer.state[weights[of]][key] = moment.cpu() if key == "step" else moment
        return [Loss(*one) for one in json.loads(file.metadata()["losses"])]


def write_checkpoint(folder: Path, step: int, save: Callable[[Path], None]) -> None:
    new = folder / f".step-{step}.new"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    save(new)
    place = folder / f"step-{step}"
    shutil.rmtree(place, ignore_errors=True)  # of a run that was killed before it could say so
    os.replace(new, place)


def hand_over(state: Path, folder: Path, steps: Sequence[int]) -> None:
    """Put all checkpoints into the folder of the outputs, whatever was there, and forget the training."""
    for step in steps:
        place = folder / f"step-{step}"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(state / place.name, place)


def forget_state(folder: Path) -> None:
    (folder / STATE).unlink()  # first: without it nothing else in the folder is taken for anything
    shutil.rmtree(folder)
