"""Write the version of the embedded world, or of a Python file of the project, at each place where params.yaml uses it.

Each place, such as `roles/ROLE` or `judges/MODEL`, has a small file, which also says if neither is used. Files of
contestants are in datasets/players. A stage depends on the file of its place: an edit of the world, or of a model's
file, runs only the stages again that use it. A build with other models depends on none of the world's files.
"""

from __future__ import annotations

from gamut.dataset.shared.parameters import HoldOut
from gamut.dataset.shared.source_blocks import Build
from gamut.dataset.world_places import write_world
from gamut.pipeline.steps import Makes, start
from gamut.project.code import OWN_MODELS

STEP = Makes(
    "world",
    run=write_world,
    reads=OWN_MODELS,
    base=Build,
    parameters={"hold_out": HoldOut},
    tracked=("sources", "models", "roles", "hold_out.paraphrases"),
)

if __name__ == "__main__":
    start(STEP)
