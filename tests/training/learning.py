"""What tests of trainings share: colours with names, seen and painted, and a training of a tiny model on them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PIL import Image

from gamut.asking.requests import Picture
from gamut.project.model_kinds import Model
from gamut.project.roles import RoleModel
from gamut.project.settings import Settings
from gamut.training import training
from gamut.training.examples import Example
from gamut.training.recipes import Recipe

COLOURS = {"red": (220, 30, 30), "blue": (30, 30, 220)}
SIDES = {"janus": 64, "emu3": 32}
QUESTION, TASK = "What colour?", "Paint {}"
UNIFIED_TARGETS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def plain(name: str, side: int) -> Picture:
    out = io.BytesIO()
    Image.new("RGB", (side, side), COLOURS[name]).save(out, "PNG")
    return Picture(out.getvalue(), "image/png")


def seen(name: str, side: int) -> Example:
    return Example(f"see {name}", (plain(name, side), QUESTION), name)


def painted(name: str, side: int) -> Example:
    return Example(f"paint {name}", (TASK.format(name),), plain(name, side))


def both_ways(side: int) -> list[Example]:
    return [way(name, side) for name in COLOURS for way in (seen, painted)]


def recipe(targets: Sequence[str] | None, checkpoints: Sequence[int], **values: Any) -> Recipe:
    lora = {"rank": 16, "alpha": 32, "targets": targets} if targets else None
    said = {"lora": lora, "checkpoints": checkpoints, "batch": 4, "learning_rate": 0.01}
    return Recipe.model_validate(said | values)


def train(
    model: Model,
    weights: Path,
    how: Recipe,
    examples: Sequence[Example],
    place: Path,
    held_out: Sequence[Example] = (),
    seed: int = 0,
) -> list[list[str]]:
    """Write `place/step-N` and `place.csv`; return the lines of the latter, without its head."""
    settings = Settings.model_validate({"models": {"tiny": {"weights": str(weights), "device": "cpu"}}})
    losses = place.with_suffix(".csv")
    training.train(RoleModel("model", "tiny", model), settings, how, examples, held_out, seed, place, losses)
    head, *lines = losses.read_text().splitlines()
    assert head == "step,loss,held_out"
    return [line.split(",") for line in lines]
