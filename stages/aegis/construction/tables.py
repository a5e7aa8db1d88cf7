"""The tables of the construction, and the taxonomies that it begins with (section 3.2)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Self

import pyarrow as pa
from pydantic import model_validator

from stages.aegis.construction.parameters import Params
from stages.aegis.shared.items import DOMAIN_OF, REASONING
from stages.evaluation.curating.slots import PICTURES, Slots
from stages.project.roles import RoleModel
from stages.project.validation import Strict, read_yaml, validated

TEXT, TEXTS, COUNT = pa.string(), pa.list_(pa.string()), pa.int32()
DRAFT = {"topic": TEXT, "task": TEXT, "direction": TEXT, "clear_prompt": TEXT, "pictures": TEXTS}
COUNTED = ("written", "removed", "inverted", "keywords_wanted", "keywords_covered")
ASKED = ("question", "about", "keyword")
COLUMNS = {
    "propose_topics": {"topics": TEXTS},
    "draft": DRAFT,  # a row an attempt
    "choose": DRAFT,
    "enhance": {"reasoning": TEXT, "prompt": TEXT},
    "picture": {"name": TEXT, "described": TEXT, "images": PICTURES},  # a row a picture
    "refer": {"reference": TEXT, "images": PICTURES},
    "extract": {"keywords": TEXTS},
    "check": {"questions": pa.list_(pa.struct([*((name, TEXT) for name in ASKED), ("inverted", pa.bool_())]))},
    "refine": {"checklist": TEXT, "remarks": TEXT, **dict.fromkeys(COUNTED, COUNT)},
}


def slots_of(params: Params, edition: str) -> Slots:
    """Return the slots of an edition. Ids are `<topic>-<task>-<8 digits>`: more of one leave the others as they are."""
    return Slots("aegis", edition, COLUMNS, params.propose.max_failures)


def author_of(params: Params) -> RoleModel:
    author = params.propose.author
    return RoleModel("creator", author, params.models[author])


class Taxonomy(Strict):
    """What each topic and kind of reasoning is about, the kinds' shares of all items in per cent, and directions."""

    topics: Mapping[str, str]
    reasoning: Mapping[str, str]
    shares: Mapping[str, float]
    directions: list[str]

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        wanted = {"topics": DOMAIN_OF, "reasoning": REASONING, "shares": REASONING}
        for where, names in wanted.items():
            if unlike := getattr(self, where).keys() ^ set(names):
                raise ValueError(f"{where}: {min(unlike)!r} is missing, or is none that items can have")
        return self


def read_taxonomy(path: str) -> Taxonomy:
    return validated(Taxonomy, read_yaml(Path(path)), Path(path))
