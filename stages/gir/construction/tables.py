"""The tables of the construction: a row a case, in the same columns whatever its task.

`case` holds the item's own keys as JSON, and `proof`: why there is one right answer, for whoever reviews it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import orjson
import pyarrow as pa

from stages.evaluation.curating.slots import PICTURES, OwnPictures, Slots
from stages.gir.construction.parameters import Params
from stages.gir.shared.items import Task
from stages.project.roles import RoleModel
from stages.tables.columns import Row, make_id

TEXT = pa.string()
CASE = {"task": TEXT, "case": TEXT}
WHOLE = {**CASE, "prompt": TEXT, "images": PICTURES}
DRAWN = ("draw_quantity", "draw_spatial", "draw_lettering", "cut_jigsaw", "draw_sudoku", "mask_scenes")
"""Stages that make whole cases."""
ENTITIES = ("list_entities", "show_entities", "describe", "guess")
"""Stages that make the cases of entities together."""
COLUMNS: Mapping[str, Mapping[str, Any]] = {
    **dict.fromkeys(DRAWN, WHOLE),
    "list_entities": CASE,
    "show_entities": {"images": PICTURES},  # a row a picture
    "describe": {"prompt": TEXT},
    "guess": {"guess": TEXT},
}


def slots_of(params: Params, edition: str) -> Slots:
    """Return the slots of an edition. Ids are `<task>-<8 digits>`: more of one task leave the others as they are."""
    return Slots("gir", edition, COLUMNS, params.propose.max_failures)


def author_of(params: Params) -> RoleModel:
    author = params.propose.author
    return RoleModel("creator", author, params.models[author])


def packed(case: Mapping[str, Any]) -> str:
    return orjson.dumps(case).decode()


def case_of(row: Row) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(row["case"])
    return found


def drawn_row(
    task: Task, number: int, prompt: str, case: Mapping[str, Any], pictures: Mapping[str, bytes] | None = None
) -> Row:
    row_id = make_id(task, number)
    images = [OwnPictures().image(row_id, name, data, "drawn by rule") for name, data in (pictures or {}).items()]
    return {"id": row_id, "status": "ok", "task": task, "prompt": prompt, "case": packed(case), "images": images}


def begun(task: Task, count: int) -> list[Row]:
    return [{"id": make_id(task, number), "task": task} for number in range(count)]


def digest_of(data: bytes) -> str:
    """Return which picture a case is about, as its proof names it: two cases may have the same words."""
    return hashlib.sha256(data).hexdigest()[:16]


def image_with(image: Row, data: bytes, name: str, role: str) -> Row:
    """Return a picture of a proposal as another one that was made of it: what is known of its origin stays."""
    return image | {"name": name, "role": role, "image": {"bytes": data, "path": None}}
