"""What answers as each contestant and rewrites prompts: the version of the embedded world, of a Python file, or of
weights and adapters that stages build. There is a small file for each, on which its cell of `answer` depends.

The stage `world` cannot write these: a training reads the release, so the release would depend on itself.
"""

from __future__ import annotations

from gamut.dataset.world_places import write_players
from gamut.evaluation.defining.parameters import Params
from gamut.pipeline.steps import Makes, start
from gamut.project.code import OWN_MODELS
from gamut.project.model_kinds import BASES, TRAINED

STEP = Makes(
    "players",
    run=write_players,
    reads=f"{OWN_MODELS} {BASES} {TRAINED}",
    base=Params,
    tracked=("models", "contestants"),
)

if __name__ == "__main__":
    start(STEP)
