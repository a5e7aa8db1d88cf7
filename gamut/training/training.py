"""Training a model by a recipe on examples: the loop, checkpoints, losses, and going on after a run was killed."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

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
from gamut.project.plain_text import amount
from gamut.project.roles import RoleModel
from gamut.project.settings import Settings
from gamut.training import states
from gamut.training.examples import Example
from gamut.training.learners import Learner, prepare_training
from gamut.training.recipes import Recipe
from gamut.training.states import Loss
from gamut.training.unified_loss import open_unified

LARGEST_GRADIENT = 1.0
"""The norm to which larger gradients are clipped."""
SECONDS_BETWEEN_STATES = 300
"""After a kill at most so much is trained again."""


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
    name = str(role_model)
    if not examples:
        raise UserError(f"{name}: there are no examples to train on: mend what selects them in params.yaml")
    drawn = drawn_examples(len(examples), recipe.steps * recipe.batch, seed)
    key = key_of(role_model, recipe, examples, held_out, drawn, seed)
    with writer_in_turn(f"training-{key[:16]}"):
        began, state = time.monotonic(), states.state_folder(key)
        lines = run(open_learner(role_model, settings), recipe, examples, held_out, drawn, seed, state)
        states.hand_over(state, folder, recipe.checkpoints)
        rows = [["" if value is None else f"{value:.6g}" for value in line] for line in lines]
        write_csv(losses, Loss._fields, rows)
        states.forget_state(state)
    first, last = lines[0].held_out, lines[-1].held_out
    learnt = "" if first is None else f"; the held-out loss went from {first:.4g} to {last:.4g}"
    print(
        f"{name}: {recipe.steps:,} steps of {amount(recipe.batch, 'example')} in "
        f"{duration(time.monotonic() - began)}{learnt}",
        flush=True,
    )


def open_learner(role_model: RoleModel, settings: Settings) -> Learner:
    model, endpoint = pinned_model(role_model, settings)
    name, slug = str(role_model), role_model.slug
    mend = f"mend models.{slug} in params.yaml"
    if not isinstance(model, UnifiedModel | DiffusersModel):
        raise UserError(f"{name}: kind {model.kind} cannot be trained here, kinds unified and diffusers can: {mend}")
    if model.adapter is not None:
        raise UserError(f"{name}: has an adapter, and what is trained upon it would fit no weights: {mend}")
    if model.dtype == "float16":
        raise UserError(f"{name}: gradients vanish in float16: take bfloat16 or float32, {mend}")
    require_package(name, "accelerate", "models")
    assert isinstance(model, UnifiedModel)
    return open_unified(name, slug, model, endpoint)


def drawn_examples(count: int, wanted: int, seed: int) -> list[int]:
    """Return positions of examples in the order in which they are drawn: all once, in an order of its own each time,
    then again.
    """
    return list(islice(epochs(count, seed), wanted))


def epochs(count: int, seed: int) -> Iterator[int]:
    epoch = 0
    while True:
        yield from np.random.default_rng([seed, epoch]).permutation(count).tolist()
        epoch += 1


def key_of(
    role_model: RoleModel,
    recipe: Recipe,
    examples: Sequence[Example],
    held_out: Sequence[Example],
    drawn: Sequence[int],
    seed: int,
) -> str:
    """Return a digest of all that decides what comes of a training; examples that it never draws decide nothing."""
    said = [
        digest_of(files_of(__name__)),
        identity(role_model.model, role_model.role),
        recipe.model_dump(),
        seed,
        len(examples),
    ]
    digest = hashlib.sha256(orjson.dumps(said, option=orjson.OPT_SORT_KEYS))
    for example in [*(examples[position] for position in dict.fromkeys(drawn)), *held_out]:
        parts = [part_digest(part) for part in (*example.given, example.answer)]
        digest.update(orjson.dumps([example.id, *parts]))
    return digest.hexdigest()


def run(
    learner: Learner,
    recipe: Recipe,
    examples: Sequence[Example],
    held_out: Sequence[Example],
    drawn: Sequence[int],
    seed: int,
    folder: Path,
) -> list[Loss]:
    """Leave all checkpoints in the folder of the training's state, and return the losses."""
    import torch
    from accelerate import Accelerator

    folder.mkdir(parents=True, exist_ok=True)
    training = prepare_training(learner, recipe, seed)
    weights = training.weights.values()
    optimizer = torch.optim.AdamW(weights)
    lines = states.take_state(folder, training.weights, optimizer, learner.device)
    precision = "bf16" if learner.dtype == "bfloat16" else "no"
    accelerator = Accelerator(cpu=learner.device.startswith("cpu"), mixed_precision=precision)

    def held_out_loss(step: int) -> float | None:
        learner.layers.eval()
        summed = 0.0
        for start in range(0, len(held_out), recipe.batch):
            some = held_out[start : start + recipe.batch]
            seeds = [seed_of(f"held out {start + place}", seed) for place in range(len(some))]
            with torch.no_grad(), accelerator.autocast():
                summed += learner.losses(some, seeds).sum().item()
        learner.layers.train()
        return (
            finite(summed / len(held_out), f"{learner.name}: the held-out loss after step {step}") if held_out else None
        )

    def loss_of_step(step: int) -> float:
        """Take a step, whose noise follows from its number, and return the loss before it."""
        torch.manual_seed(seed_of(f"step {step}", seed))  # of what drops out
        positions = drawn[(step - 1) * recipe.batch : step * recipe.batch]
        seeds = [seed_of(f"step {step} {place}", seed) for place in range(recipe.batch)]
        for group in optimizer.param_groups:
            group["lr"] = recipe.learning_rate * min(1.0, step / max(recipe.warmup, 1))
        with accelerator.autocast():
            loss = learner.losses([examples[position] for position in positions], seeds).mean()
        value = finite(loss.item(), f"{learner.name}: the loss of step {step}")
        accelerator.backward(loss)
        accelerator.clip_grad_norm_(weights, LARGEST_GRADIENT)
        optimizer.step()
        optimizer.zero_grad()
        return value

    lines = lines or [Loss(0, None, held_out_loss(0))]
    learner.layers.train()
    pace, kept = Pace(learner.name, recipe.steps, "steps", before=lines[-1].step), time.monotonic()
    for step in range(lines[-1].step + 1, recipe.steps + 1):
        loss, is_checkpoint = loss_of_step(step), step in recipe.checkpoints
        lines.append(Loss(step, loss, held_out_loss(step) if is_checkpoint else None))
        if is_checkpoint:
            states.write_checkpoint(folder, step, training.save)
        if is_checkpoint or time.monotonic() - kept > SECONDS_BETWEEN_STATES:
            states.keep_state(folder, training.weights, optimizer, lines)
            kept = time.monotonic()
        pace.moved(note=f", loss {loss:.3g}")
    return lines


def finite(loss: float, of_what: str) -> float:
    if not math.isfinite(loss):
        raise UserError(f"{of_what} is not a finite number: lower the recipe's learning_rate, or begin with a warmup")
    return loss
