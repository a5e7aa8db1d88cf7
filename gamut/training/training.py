"""Training a model by a recipe on examples: the loop, checkpoints, losses, and going on after a run was killed."""

from __future__ import annotations

import hashlib
import itertools
import math
import time
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from gamut.asking.models.extras import require_package
from gamut.asking.models.opening import identity, pinned_model
from gamut.asking.progress import Pace, duration
from gamut.asking.requests import part_digest, seed_of
from gamut.project.code import digest_of, files_of
from gamut.project.errors import UserError
from gamut.project.files import write_csv
from gamut.project.locks import writer_in_turn
from gamut.project.model_kinds import DiffusersModel, UnifiedModel
from gamut.project.places import store_root
from gamut.project.plain_text import amount
from gamut.project.roles import RoleModel
from gamut.project.settings import Settings
from gamut.training import states
from gamut.training.examples import Example
from gamut.training.learners import Learner, prepare_training
from gamut.training.painter_loss import open_painter
from gamut.training.recipes import Recipe
from gamut.training.states import Loss
from gamut.training.unified_loss import open_unified

LARGEST_GRADIENT = 1.0
"""The norm to which larger gradients are clipped."""
SECONDS_BETWEEN_STATES = 300
"""After a kill at most so much is trained again."""
EXAMPLES_READ = 512
"""So many stay as the model reads them: encoded, which costs the time of a painter's or a picture tokenizer's run."""


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

    Without held-out examples their column stays empty. Killed at any moment, it goes on from the last state when it is
    called again with the same; on a processor the same bytes come of it.
    """
    if not examples:
        raise UserError(f"{role_model}: there are no examples to train on: mend what selects them in params.yaml")
    import torch

    name, began = str(role_model), time.monotonic()
    drawn = list(itertools.islice(drawn_positions(len(examples), seed), recipe.steps * recipe.batch))

    def draw(step: int) -> list[Example]:
        return [examples[position] for position in drawn[(step - 1) * recipe.batch : step * recipe.batch]]

    said = [digest_of(files_of(__name__)), identity(role_model.model, role_model.role), recipe.model_dump(), seed]
    digest = hashlib.sha256(orjson.dumps([*said, drawn], option=orjson.OPT_SORT_KEYS))
    for example in [*(examples[position] for position in dict.fromkeys(drawn)), *held_out]:
        digest.update(orjson.dumps([example.id, *map(part_digest, (*example.given, example.answer))]))
    key = digest.hexdigest()
    with writer_in_turn(f"training-{key[:16]}"):
        state = store_root() / "trainings" / key
        state.mkdir(parents=True, exist_ok=True)
        try:
            lines = run(open_learner(role_model, settings, recipe), recipe, draw, held_out, seed, state)
        except torch.OutOfMemoryError:
            raise UserError(
                f"{name}: the GPU's memory is too small: lower the recipe's batch, its rank or the size of its "
                "pictures, or take a larger GPU"
            ) from None
        states.hand_over(state, folder, recipe.checkpoints)
        write_csv(losses, Loss._fields, [["" if x is None else f"{x:.6g}" for x in line] for line in lines])
        states.forget_state(state)
    first, last = lines[0].held_out, lines[-1].held_out
    learnt = "" if first is None else f"; the held-out loss went from {first:.4g} to {last:.4g}"
    took = duration(time.monotonic() - began)
    print(f"{name}: {recipe.steps:,} steps of {amount(recipe.batch, 'example')} in {took}{learnt}", flush=True)


def drawn_positions(count: int, seed: int) -> Iterator[int]:
    """Yield positions of examples in the order in which they are drawn: all once, each time in an order of its own."""
    for epoch in itertools.count():
        yield from np.random.default_rng([seed, epoch]).permutation(count).tolist()


def open_learner(role_model: RoleModel, settings: Settings, recipe: Recipe) -> Learner:
    model, endpoint = pinned_model(role_model, settings)
    name, slug = str(role_model), role_model.slug
    mend = f"mend models.{slug} in params.yaml"
    if not isinstance(model, UnifiedModel | DiffusersModel):
        raise UserError(f"{name}: kind {model.kind} cannot be trained, kinds unified and diffusers can: {mend}")
    if model.adapter is not None or getattr(model, "quantization", None):
        raise UserError(f"{name}: neither weights with an adapter nor quantised ones can be trained: {mend}")
    if model.dtype == "float16":
        raise UserError(f"{name}: gradients vanish in float16, bfloat16 and float32 can be trained: {mend}")
    require_package(name, "accelerate", "models")
    if isinstance(model, DiffusersModel):
        return open_painter(name, slug, model, endpoint, recipe)
    if recipe.width or recipe.height:
        raise UserError(f"{name}: its pictures keep their size: take width and height out of its recipe")
    return open_unified(name, slug, model, endpoint)


def run(
    learner: Learner,
    recipe: Recipe,
    draw: Callable[[int], Sequence[Example]],
    held_out: Sequence[Example],
    seed: int,
    folder: Path,
) -> list[Loss]:
    """Leave all checkpoints in the folder of the training's state, and return the losses."""
    import torch
    from accelerate import Accelerator

    torch.backends.cuda.enable_cudnn_sdp(False)  # it gave NaN in the backward pass (docs/measured.md)
    precision = "bf16" if learner.core.dtype == torch.bfloat16 else "no"
    accelerator = Accelerator(cpu=learner.core.device.type == "cpu", mixed_precision=precision)
    weights, save = prepare_training(learner, recipe, seed)
    optimizer = torch.optim.AdamW(weights.values())
    lines = states.take_state(folder, weights, optimizer)

    @lru_cache(EXAMPLES_READ)
    def read(example: Example) -> Any:
        try:
            with torch.no_grad():
                return learner.read(example)
        except ValueError as error:
            raise UserError(f"{learner.name}: example {example.id}: {error}: mend it, or leave it out") from None

    def losses_of(examples: Sequence[Example], noise: str) -> Any:
        batch = [read(example) for example in examples]
        with accelerator.autocast():
            return learner.losses(batch, [seed_of(f"{noise} {place}", seed) for place in range(len(batch))])

    def held_out_loss(step: int) -> float | None:
        learner.layers.eval()
        starts = range(0, len(held_out), recipe.batch)
        with torch.no_grad():
            losses = [losses_of(held_out[at : at + recipe.batch], f"held out {at}").sum().item() for at in starts]
        learner.layers.train()
        return finite(sum(losses) / len(held_out), learner, f"held-out loss after step {step}") if losses else None

    def take_step(step: int) -> float:
        """Return the loss before the step, whose noise follows from its number."""
        torch.manual_seed(seed_of(f"step {step}", seed))  # of what drops out
        loss = losses_of(draw(step), f"step {step}").mean()
        value = finite(loss.item(), learner, f"loss of step {step}")
        accelerator.backward(loss)
        accelerator.clip_grad_norm_(weights.values(), LARGEST_GRADIENT)
        optimizer.param_groups[0]["lr"] = recipe.learning_rate * min(1.0, step / max(recipe.warmup, 1))
        optimizer.step()
        optimizer.zero_grad()
        return value

    lines = lines or [Loss(0, None, held_out_loss(0))]
    learner.layers.train()
    pace, kept = Pace(learner.name, recipe.steps, "steps", before=lines[-1].step), time.monotonic()
    for step in range(lines[-1].step + 1, recipe.steps + 1):
        loss, is_checkpoint = take_step(step), step in recipe.checkpoints
        lines.append(Loss(step, loss, held_out_loss(step) if is_checkpoint else None))
        if is_checkpoint:
            states.write_checkpoint(folder, step, save)
        if is_checkpoint or time.monotonic() - kept > SECONDS_BETWEEN_STATES:
            states.keep_state(folder, weights, optimizer, lines)
            kept = time.monotonic()
        pace.moved(note=f", loss {loss:.3g}")
    return lines


def finite(loss: float, learner: Learner, which: str) -> float:
    if not math.isfinite(loss):
        raise UserError(f"{learner.name}: the {which} is not a finite number: lower the recipe's learning_rate")
    return loss
