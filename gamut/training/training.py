"""Training a model by a recipe on examples: the loop, checkpoints, losses, and going on after a run was killed.

Its state is kept in the store, because DVC deletes outputs before a stage runs: finished checkpoints, and a file with
losses, trained weights and the optimizer's moments. Order and noise follow from seed and step.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from gamut.asking.models.extras import require_package
from gamut.asking.models.opening import pinned_model
from gamut.asking.progress import Pace, duration
from gamut.asking.requests import part_digest, seed_of
from gamut.project.code import digest_of, files_of
from gamut.project.errors import UserError
from gamut.project.files import write_csv
from gamut.project.locks import writer_in_turn
from gamut.project.model_kinds import DiffusersModel, UnifiedModel, identity
from gamut.project.places import store_root
from gamut.project.roles import RoleModel
from gamut.project.settings import Settings
from gamut.training.examples import Example
from gamut.training.learners import Learner, prepare_training
from gamut.training.painter_loss import open_painter
from gamut.training.recipes import Recipe
from gamut.training.unified_loss import open_unified

LARGEST_GRADIENT = 1.0  # the norm to which larger ones are clipped
SECONDS_BETWEEN_STATES = 300  # after a kill, at most so much is trained again
EXAMPLES_READ = 512  # so many are kept encoded, as the model reads them
PACKAGES = ("torch", "transformers", "diffusers", "accelerate", "peft")
STATE, COLUMNS = "state.safetensors", ("step", "loss", "held_out")
Line = tuple[int, float | None, float | None]  # the loss that a step began with, and of what is held out after it


def train(
    role_model: RoleModel,
    settings: Settings,
    recipe: Recipe,
    examples: Sequence[Example],
    held_out: Sequence[Example],
    seed: int,
    folder: Path,
    losses: Path,
) -> None:
    """Write `folder/step-N` for each checkpoint, an adapter or whole weights, and the losses of all steps as CSV.

    Without held-out examples their column stays empty. After a kill at any moment, a call with the same arguments goes
    on from the last state; on a CPU it writes the same bytes.
    """
    name = str(role_model)
    if not examples:
        raise UserError(f"{name}: there are no examples to train on: fix what selects them in params.yaml")
    model, open_learner = trainable_model(role_model, settings, recipe)
    order = order_of_examples(len(examples), recipe.steps * recipe.batch, seed)
    code = [digest_of(files_of(__name__)), *map(version, PACKAGES)]
    how = [code, identity(model), recipe.model_dump(), seed, order]
    digest = hashlib.sha256(orjson.dumps(how, option=orjson.OPT_SORT_KEYS))
    for example in itertools.chain(map(examples.__getitem__, dict.fromkeys(order)), held_out):
        digest.update(orjson.dumps([example.id, *map(part_digest, (*example.given, example.answer))]))
    with writer_in_turn(f"training-{digest.hexdigest()[:16]}"):
        began, state = time.monotonic(), store_root() / "trainings" / digest.hexdigest()
        state.mkdir(parents=True, exist_ok=True)
        lines = run(open_learner(), recipe, lambda place: examples[order[place]], held_out, seed, state)
        shutil.rmtree(folder, ignore_errors=True)
        for step in recipe.checkpoints:
            shutil.copytree(state / f"step-{step}", folder / f"step-{step}")
        write_csv(losses, COLUMNS, [["" if x is None else f"{x:.6g}" for x in line] for line in lines])
        (state / STATE).unlink()  # first: without it nothing else there counts
        shutil.rmtree(state)
    learnt = f"; the held-out loss went from {lines[0][2]:.4g} to {lines[-1][2]:.4g}" if held_out else ""
    print(f"{name}: {recipe.steps:,} steps in {duration(time.monotonic() - began)}{learnt}", flush=True)


def order_of_examples(count: int, wanted: int, seed: int) -> list[int]:
    """Return positions of examples: all once, then all again, each time in a random order."""
    epochs = range(-(-wanted // count))
    orders = [np.random.default_rng([seed, epoch]).permutation(count) for epoch in epochs]
    return [int(position) for position in np.concatenate(orders)[:wanted]]


def trainable_model(
    role_model: RoleModel, settings: Settings, recipe: Recipe
) -> tuple[UnifiedModel | DiffusersModel, Callable[[], Learner]]:
    """Return a model, and a function that opens it."""
    name, (model, endpoint) = str(role_model), pinned_model(role_model, settings)
    for package in PACKAGES:
        require_package(name, package, "models")
    fix = f"fix models.{role_model.slug} in params.yaml"
    if not isinstance(model, UnifiedModel | DiffusersModel):
        raise UserError(f"{name}: kind {model.kind} cannot be trained, only unified and diffusers: {fix}")
    if model.adapter is not None or getattr(model, "quantization", None) or model.dtype == "float16":
        raise UserError(f"{name}: weights with an adapter, quantised or in float16 cannot be trained: {fix}")
    if isinstance(model, DiffusersModel):
        return model, partial(open_painter, name, role_model.slug, model, endpoint, recipe)
    if recipe.width or recipe.height:
        raise UserError(f"{name}: kind unified does not use a recipe's width and height: remove them")
    return model, partial(open_unified, name, role_model.slug, model, endpoint)


def run(
    learner: Learner,
    recipe: Recipe,
    take: Callable[[int], Example],
    held_out: Sequence[Example],
    seed: int,
    folder: Path,
) -> list[Line]:
    """Train, write all checkpoints into the folder of the training's state, and return the losses."""
    import torch
    from accelerate import Accelerator

    torch.backends.cuda.enable_cudnn_sdp(False)  # it gave NaN in the backward pass (docs/measured.md)
    precision = "bf16" if learner.core.dtype == torch.bfloat16 else "no"
    accelerator = Accelerator(cpu=learner.core.device.type == "cpu", mixed_precision=precision)
    weights, save = prepare_training(learner, recipe, seed)
    optimizer = torch.optim.AdamW(weights.values())

    @lru_cache(EXAMPLES_READ)
    def read(example: Example) -> Any:
        try:
            with torch.no_grad():
                return learner.read(example)
        except ValueError as error:
            raise UserError(f"{learner.name}: example {example.id}: {error}: fix or leave out this example") from None

    def losses_of(examples: Sequence[Example], noise: str) -> Any:
        batch = [read(example) for example in examples]
        with accelerator.autocast():
            return learner.losses(batch, [seed_of(f"{noise} {place}", seed) for place in range(len(batch))])

    def held_out_loss() -> float | None:
        learner.layers.eval()
        with torch.no_grad():
            losses = [losses_of([one], f"held out {place}").item() for place, one in enumerate(held_out)]
        learner.layers.train()
        return sum(losses) / len(losses) if losses else None

    def take_step(step: int) -> tuple[float, float]:
        """Return the loss before the step, whose noise follows from its number, and the norm of its gradient."""
        torch.manual_seed(seed_of(f"step {step}", seed))  # of what drops out
        examples = [take(place) for place in range((step - 1) * recipe.batch, step * recipe.batch)]
        loss = losses_of(examples, f"step {step}").mean()
        accelerator.backward(loss)
        norm = accelerator.clip_grad_norm_(weights.values(), LARGEST_GRADIENT)
        optimizer.param_groups[0]["lr"] = recipe.learning_rate * min(1.0, step / max(recipe.warmup, 1))
        optimizer.step()
        optimizer.zero_grad()
        return loss.item(), norm.item()

    try:
        lines = take_state(folder, weights, optimizer) or [(0, None, held_out_loss())]
        learner.layers.train()
        pace, kept = Pace(learner.name, recipe.steps, "steps", before=lines[-1][0]), time.monotonic()
        for step in range(lines[-1][0] + 1, recipe.steps + 1):
            (loss, norm), is_checkpoint = take_step(step), step in recipe.checkpoints
            lines.append((step, loss, held_out_loss() if is_checkpoint else None))
            if not all(math.isfinite(one or 0) for one in (norm, *lines[-1])):
                why = "its loss or gradient is not finite: lower the recipe's learning_rate"
                raise UserError(f"{learner.name}: step {step}: {why}")
            if is_checkpoint:
                place = folder / f"step-{step}"
                shutil.rmtree(place, ignore_errors=True)  # of a run that was killed before it kept its state
                place.mkdir()
                save(place)
            if is_checkpoint or time.monotonic() - kept > SECONDS_BETWEEN_STATES:
                keep_state(folder, weights, optimizer, lines)
                kept = time.monotonic()
            pace.moved(note=f", loss {loss:.3g}")
    except torch.OutOfMemoryError:
        fix = "lower its recipe's batch, rank or size of pictures, or take a larger GPU"
        raise UserError(f"{learner.name}: the GPU's memory is too small: {fix}") from None
    return lines


def keep_state(folder: Path, weights: Mapping[str, Any], optimizer: Any, lines: Sequence[Line]) -> None:
    from safetensors.torch import save_file

    tensors = {f"weight {name}": weight.detach() for name, weight in weights.items()}
    kept = [(f"{key} {name}", one) for name in weights for key, one in optimizer.state.get(weights[name], {}).items()]
    save_file(tensors | dict(kept), folder / f".{STATE}.new", {"lines": json.dumps(lines)})
    os.replace(folder / f".{STATE}.new", folder / STATE)


def take_state(folder: Path, weights: Mapping[str, Any], optimizer: Any) -> list[Line]:
    """Restore weights and moments, and return the losses so far; an empty list for a new training."""
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
        return [(step, loss, held_out) for step, loss, held_out in json.loads(file.metadata()["lines"])]
