"""Trains a tiny Emu3 in processes that kill themselves, and once more in one that goes on: `killed.py FOLDER WEIGHTS`.

Prints, as JSON, by the place of the kill what was there when it died and how many steps the second process took. Each
is forked from this one, which imports and computes nothing else, so that one import serves all.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import accelerate
import peft
import safetensors.torch
import torch
import transformers

from gamut.asking.models.weights import digest
from gamut.training import training
from tests import tiny_unified
from tests.training.learning import both_ways, recipe, train

CHECKPOINTS = [3, 6]


def die(*_: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def at_call(module: Any, name: str, number: int, after: bool) -> None:
    """Kill this process at so many calls of a function, before or after it did its work."""
    function, calls = getattr(module, name), iter(range(1, 100))

    def killing(*arguments: Any, **named: Any) -> Any:
        last = next(calls) == number
        if last and not after:
            die()
        result = function(*arguments, **named)
        if last and after:
            die()
        return result

    setattr(module, name, killing)


def each_step(then: Callable[[], None]) -> None:
    training.SECONDS_BETWEEN_STATES = -1
    then()


PLACES: dict[str, Callable[[], None]] = {
    "before the first checkpoint": lambda: each_step(lambda: at_call(training, "keep_state", 2, after=False)),
    "while a state is written": lambda: each_step(lambda: at_call(safetensors.torch, "save_file", 2, after=True)),
    "a checkpoint is written, its state is not": lambda: at_call(training, "keep_state", 1, after=False),
    "between checkpoints": lambda: at_call(training.Pace, "moved", 5, after=True),
    "after the outputs": lambda: at_call(training, "write_csv", 1, after=True),
}


def in_a_process(place: Path, weights: Path, prepare: Callable[[], None]) -> int:
    """Return how many steps a training took in a process of its own, or -9 where it was killed."""
    if child := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    steps, code = Counter[str](), 100
    try:
        prepare()
        moved = training.Pace.moved
        training.Pace.moved = lambda *arguments, **named: (steps.update(["taken"]), moved(*arguments, **named))[1]
        how = recipe(["q_proj", "down_proj"], CHECKPOINTS)
        train(tiny_unified.model(weights), weights, how, both_ways(32), place, both_ways(32)[:1])
        code = steps["taken"]
    finally:
        sys.stdout.flush()
        os._exit(code)


if __name__ == "__main__":
    folder, weights = map(Path, sys.argv[1:])
    torch.set_num_threads(1)
    slow = (accelerate.Accelerator, peft.LoraConfig, transformers.Emu3ForConditionalGeneration)
    slow += (transformers.AutoModelForImageTextToText, transformers.AutoImageProcessor, transformers.AutoTokenizer)
    found = {}
    for place, prepare in {"nowhere": lambda: None, **PLACES}.items():
        os.environ["GAMUT_STORE"] = str(folder / "stores" / place)
        out = folder / place
        first = in_a_process(out, weights, prepare)
        left = len([*(folder / "stores" / place / "trainings").glob("*")])
        steps = in_a_process(out, weights, lambda: None) if first < 0 else first
        bytes_ = [digest(out), out.with_suffix(".csv").read_text()]
        found[place] = {"first": first, "left": left, "steps": steps, "bytes": bytes_}
    print(json.dumps(found))
