"""The tables of the construction: a row a case, and a row a picture of its context."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from stages.evaluation.curating.slots import PICTURES, Slots
from stages.genius.construction.parameters import Params
from stages.genius.construction.scenes import Pool, read_pool
from stages.project.roles import RoleModel

TEXT = pa.string()
WORDS = ("context", "prompt", "rule_hint", "text_hint", "multimodal_hint")
SHOWN = pa.list_(pa.struct([pa.field("name", TEXT), pa.field("shows", TEXT)]))
COLUMNS: Mapping[str, Mapping[str, Any]] = {
    "draw_cases": {
        "task": TEXT,
        "sub_task": TEXT,
        **dict.fromkeys(WORDS, TEXT),
        "others": pa.list_(TEXT),
        "consistency_hints": TEXT,
        "pictures": SHOWN,
    },
    "describe_pictures": {"name": TEXT, "shows": TEXT, "described": TEXT},  # a row a picture
    "paint_pictures": {"name": TEXT, "images": PICTURES},  # a row a picture
    "write_distractors": {"rule_hint": TEXT, "distractors": pa.list_(TEXT)},
    "check_distractors": {"distractor": TEXT, "wrong": TEXT, "why": TEXT},  # a row an option that rules do not read
}
"""`others`: what other readings of a context come to. `consistency_hints`: as JSON. `shows`: what a picture is to show,
plainly; `described`: as its painter is told. `distractors`: the wrong options of a case's probe; `wrong`: whether one
is, yes or no.
"""


def slots_of(params: Params, edition: str) -> Slots:
    """Return the slots of an edition. Ids are `<sub-task>-<8 digits>`: more of one leave the others as they are."""
    return Slots("genius", edition, COLUMNS, params.propose.max_failures)


def author_of(params: Params) -> RoleModel:
    author = params.propose.author
    return RoleModel("creator", author, params.models[author])


def checker_of(params: Params) -> RoleModel:
    checker = params.propose.checker
    return RoleModel("writer", checker, params.models[checker])


def pool_of(params: Params) -> Pool:
    return read_pool(Path(params.propose.pool))
