"""What smaller pictures do to verdicts, in the embedded world: its exact judge looks at the same pictures, scaled down.

    python bench/smaller_pictures.py        # 300 pictures, three minutes
    python bench/smaller_pictures.py --pictures 3 --sides 512

Scenes are painted at 1024 pixels a side with faults at the laptop's rates, scaled as `largest_picture` does it, and
judged for clarity and structure, for the six characteristics, and for lettering. For every score the lines say how many
pictures have another one than at full size, how many pass or fail the laptop's threshold otherwise, and how many
pictures can no longer be judged. A world of pictograms has large things with hard edges: what is lost here is lost in
photographs too, but what is not lost here may well be.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[0] = str(ROOT)

from stages.asking.models.sandbox import answer  # noqa: E402
from stages.asking.requests import Paint, Picture  # noqa: E402
from stages.dataset.calibration.filters import FILTERS  # noqa: E402
from stages.dataset.examine import EXAMINE  # noqa: E402
from stages.dataset.proofread import PROOFREADING  # noqa: E402
from stages.dataset.score import SCORE  # noqa: E402
from stages.dataset.shared.parameters import Params  # noqa: E402
from stages.project.model_kinds import SandboxModel  # noqa: E402
from stages.project.parameters import load  # noqa: E402
from stages.sandbox.scene import random_scene  # noqa: E402
from stages.sandbox.writing import write  # noqa: E402
from stages.tables.images import scaled_down  # noqa: E402

FULL = 1024
"""Pixels of a side, as the pictures are painted."""
QUESTIONS = (EXAMINE, SCORE, PROOFREADING)
Scores = Mapping[str, int]


def judged(picture: bytes) -> Scores:
    """Every score of one picture by name; none of a question that cannot be answered."""
    found: dict[str, int] = {}
    for question in QUESTIONS:
        reply = answer(question.about(None, [Picture(picture)]).request, {}, "judge")
        if reply.finish == "stop":
            values = json.loads(reply.content)
            found |= {name: value for name, value in values.items() if isinstance(value, int)}
    return found


def compared(whole: Sequence[Scores], small: Sequence[Scores], thresholds: Mapping[str, int]) -> dict[str, Any]:
    """By score: pictures that had one, and how many of them lost, changed and turned it."""
    table: dict[str, Counter[str]] = {name: Counter() for name in thresholds}
    for before, after in zip(whole, small, strict=True):
        for name in before.keys() & thresholds.keys():
            now = after.get(name)
            table[name]["judged"] += 1
            table[name]["lost"] += now is None
            table[name]["changed"] += now is not None and now != before[name]
            table[name]["turned"] += now is not None and (now >= thresholds[name]) != (before[name] >= thresholds[name])
    return {
        name: {key: counts[key] for key in ("judged", "changed", "turned", "lost")} for name, counts in table.items()
    }


def measured(pictures: int, sides: Sequence[int]) -> dict[str, Any]:
    """Paint, judge at full size and at each smaller one, and compare."""
    params = load(Params, ROOT / "profiles/laptop.yaml")
    painter = params.models["world_painter"]
    assert isinstance(painter, SandboxModel)
    names = {name for question in QUESTIONS for name in question.reply.model_fields}
    thresholds = {one.name: one.threshold(params) for one in FILTERS if one.name in names}
    prompts = [write(random_scene(random.Random(number))) for number in range(pictures)]
    painted = [
        answer(Paint(prompt, FULL, FULL, number), painter.faults, "painter").content
        for number, prompt in enumerate(prompts)
    ]
    whole = [judged(picture) for picture in painted]
    found = {}
    for side in sides:
        small = [judged(scaled_down(picture, side)) for picture in painted]
        found[str(side)] = compared(whole, small, thresholds)
        print(f"{side} instead of {FULL} pixels, {pictures} pictures")
        for name, counts in found[str(side)].items():
            print(f"  {name:<12}" + "".join(f"{counts[key]:>6} {key}" for key in counts))
    return {"pictures": pictures, "full": FULL, "sides": found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=int, default=300)
    parser.add_argument("--sides", type=int, nargs="+", default=[768, 512])
    options = parser.parse_args()
    print(json.dumps(measured(options.pictures, options.sides)))


if __name__ == "__main__":
    main()
