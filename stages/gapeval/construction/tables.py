"""The tables of the construction: a row a case; `case` holds the item's further keys as JSON, with its `proof`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import orjson
import pyarrow as pa

from stages.evaluation.curating.slots import PICTURES, OwnPictures, Slots, read_own_pictures
from stages.gapeval.construction.cases import Prompts
from stages.gapeval.construction.parameters import Params
from stages.project.roles import RoleModel
from stages.tables.columns import Row

TEXT = pa.string()
WORDS = {"question": TEXT, "prompt": TEXT, "reference_text": TEXT, "case": TEXT}
COLUMNS: Mapping[str, Mapping[str, Any]] = {
    "list_cases": {"category": TEXT, "subcategory": TEXT, **WORDS, "painted": TEXT},
    "show_cases": {"images": PICTURES},
    "count_things": {**WORDS, "painted": TEXT},
    "write_edits": WORDS,
    "answer_cases": {"images": PICTURES},
    "recount_things": {"found": TEXT},
    "check_intent": {"same": TEXT, "why": TEXT},
    "draw_problems": {"category": TEXT, "subcategory": TEXT, **WORDS, "images": PICTURES},
}
DRAWN = "draw_problems"
"""The stage that makes whole cases."""
STAGES = tuple(stage for stage in COLUMNS if stage != DRAWN)
"""The others in their order: the rows of each are about some of the cases of the first."""
QUESTION, REFERENCE = "question_1", "reference_1"
"""Names of pictures."""


def slots_of(params: Params, edition: str) -> Slots:
    """Return the slots of an edition. Ids are `<category>-<8 digits>`: more of one leave the others as they are."""
    return Slots("gapeval", edition, COLUMNS, params.propose.max_failures)


def played(params: Params, name: str, role: str) -> RoleModel:
    """Return the model that `gapeval.propose` names, in a role."""
    slug: str = getattr(params.propose, name)
    return RoleModel(role, slug, params.models[slug])


def own_pictures(params: Params, edition: str, places: Sequence[tuple[str, str]]) -> OwnPictures:
    """Return a person's own pictures of these slots by these names, and those for slots that there are not, which are
    told to be unused.
    """
    folder = params.propose.pictures
    roles = {name.rpartition("_")[0] for _, name in places}
    found = [read_own_pictures(folder, edition, role) for role in sorted(roles)]
    return OwnPictures({place: one for some in found for place, one in some.items() if place in places})


def packed(case: Mapping[str, Any]) -> str:
    return orjson.dumps(case).decode()


def case_of(row: Row) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(row["case"])
    return found


def in_columns(prompts: Prompts, case: Mapping[str, Any]) -> Row:
    return {**prompts._asdict(), "case": packed(case)}


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
