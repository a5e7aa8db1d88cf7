"""Whether what is said of recipes holds: trainings on good data against trainings on bad data, and against their like.

    python bench/trainings.py                          # 40 models, some seconds each after the base is built
    python bench/trainings.py --base FOLDER            # a base that `gamut.training.tiny_base` built before
    python bench/trainings.py --models 4 --steps 1 --draws 5 --kinds 2 --random   # a base that knows nothing

One pool of models, each an adapter on the tiny base, trained on pictograms with captions: a quarter on one half of the
good pictures, a quarter on the other half, two quarters where a share of captions names another thing. Each paints by
wordings that none was trained on, and the embedded world says whether the right thing is there. Then five are drawn
against five: good against bad has to be told apart in 90 of 100 draws, half against half in at most 6.
The last line is JSON: both shares, the mean scores of the three kinds, and processor seconds a model.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[0] = str(ROOT)  # this folder would hide Python's own `statistics`

import argparse
import asyncio
import json
import random
import tempfile
import time
from collections.abc import Sequence

import numpy as np

from gamut.asking.models.opening import open_model
from gamut.asking.models.weights import digest
from gamut.asking.models.world.sandbox import pictogram, pictogram_kinds, wordings
from gamut.asking.requests import Paint
from gamut.evaluation.scoring.statistics.inference import Floats, interval
from gamut.evaluation.scoring.statistics.trainings import infer_over_trainings
from gamut.project.model_kinds import Adapter, PictureSampling, UnifiedModel
from gamut.project.roles import RoleModel
from gamut.project.settings import Endpoint, Settings
from gamut.training.examples import Example
from gamut.training.recipes import Lora, Recipe
from gamut.training.tiny_base import build_base
from gamut.training.training import train
from gamut.world.pictograms import kind_shown
from tests import tiny_unified

TARGETS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
PICTURES, HELD_OUT, SIDE = 12, 1, 64
"""Pictures of a kind in each half; wordings of either length that nobody is trained on; pixels."""


def captions(kind: str, held_out: bool) -> list[str]:
    both = [wordings(kind)[length] for length in ("concise", "detailed")]
    return [text for some in both for text in (some[-HELD_OUT:] if held_out else some[:-HELD_OUT])]


def examples(kinds: Sequence[str], halves: list[int], bad: float) -> list[Example]:
    """Captions with pictures of these halves; of a share `bad` the caption names another kind."""
    rng, found = random.Random(repr(halves)), list[Example]()
    for kind in kinds:
        for number in (2 * n + half for n in range(PICTURES) for half in halves):
            named = rng.choice([one for one in kinds if one != kind]) if rng.random() < bad else kind
            caption = rng.choice(captions(named, held_out=False))
            found.append(Example(f"{kind} {number}", (caption,), pictogram(kind, number)))
    return found


async def scores(player: RoleModel, settings: Settings, kinds: Sequence[str]) -> list[float]:
    """Return whether each painting shows what was asked for."""
    opened = open_model(player, settings)
    asked = [(kind, caption) for kind in kinds for caption in captions(kind, held_out=True)]
    replies = await asyncio.gather(*(opened.answer(Paint(caption, SIDE, SIDE, 0)) for _, caption in asked))
    await opened.close()
    return [float(kind_shown(one.content) == kind) for (kind, _), one in zip(asked, replies, strict=True)]


def told_apart(first: Floats, second: Floats, draws: int, size: int, seed: int) -> float:
    """Return the share of draws of so many trainings of each in which the interval leaves out 0."""
    rng, told = np.random.default_rng(seed), 0
    for _ in range(draws):
        drawn = (group[rng.choice(len(group), min(size, len(group)), replace=False)] for group in (first, second))
        found = infer_over_trainings(*drawn)
        ends = found and interval(found)
        told += bool(ends and not ends.low <= 0 <= ends.high)
    return told / draws


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=40)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--bad", type=float, default=0.5, help="the share of captions that name another thing")
    parser.add_argument("--base", type=Path)
    parser.add_argument("--kinds", type=int, help="of pictograms; all where nothing is said")
    parser.add_argument("--random", action="store_true", help="on a base of random weights, in seconds")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        base = given.base or Path(place) / "base"
        if given.random:
            tiny_unified.emu3(base)
        elif given.base is None:
            build_base(base, 0)
        painting = PictureSampling(guidance_scale=1, temperature=0)
        model = UnifiedModel(kind="unified", id="toy", revision=digest(base), dtype="float32", painting=painting)
        settings = Settings(models={"toy": Endpoint(device="cpu", weights=str(base), batch=16)})
        recipe = Recipe(
            lora=Lora(rank=8, alpha=16, targets=TARGETS), checkpoints=[given.steps], batch=16, learning_rate=0.005
        )
        quarter, kinds = given.models // 4, sorted(pictogram_kinds())[: given.kinds]
        groups = [*[("first half", [0], 0.0)] * quarter, *[("second half", [1], 0.0)] * quarter]
        groups += [("bad", [0], given.bad)] * quarter + [("bad", [1], given.bad)] * quarter
        found: dict[str, list[list[float]]] = {}
        began = time.process_time()
        for seed, (name, halves, bad) in enumerate(groups):
            folder = Path(place) / str(seed)
            player = RoleModel("painter", "toy", model)
            train(player, settings, recipe, examples(kinds, halves, bad), [], seed, folder, folder.with_suffix(".csv"))
            step = folder / f"step-{given.steps}"
            adapted = model.model_copy(update={"adapter": Adapter(path=str(step), revision=digest(step))})
            found.setdefault(name, []).append(
                asyncio.run(scores(RoleModel("painter", "toy", adapted), settings, kinds))
            )
            print(f"{name}: {np.mean(found[name][-1]):.3f} of what was asked for is painted", flush=True)
        seconds = (time.process_time() - began) / len(groups)
    first, second, bad_ones = (np.array(found[name]) for name in ("first half", "second half", "bad"))
    good = np.concatenate([first, second])
    result = {
        "models": len(groups),
        "good_against_bad": told_apart(good, bad_ones, given.draws, 5, 1),
        "half_against_half": told_apart(first, second, given.draws, 5, 2),
        **{name: round(float(of.mean()), 3) for name, of in (("good", good), ("bad", bad_ones))},
        "spread_of_good": round(float(good.mean(axis=1).std(ddof=1)), 3),
        "seconds_a_model": round(seconds, 1),
    }
    print(json.dumps(result))
