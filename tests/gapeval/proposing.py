"""The block `propose` of params.yaml, as tests have it."""

from __future__ import annotations

POOLS = "stages/gapeval/construction/pools"
DRAFTS = {"world_knowledge": 2, "numerical": 2, "instruction_following": 2, "reasoning": 7}
PROPOSE = {
    "editions": ["v1"],
    "pools": f"{POOLS}/world",
    "drafts": DRAFTS,
    "similarity": 0.845,
    "author": "world",
    "detector": "world",
    "checker": "world",
    "pictures": "datasets/gapeval/pictures",
    "width": 256,
    "height": 256,
    "max_failures": 0,
}
