"""The steps of a construction run in this process."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from gamut.evaluation.construction.parameters import Params
from gamut.evaluation.construction.proposals import path_of
from gamut.evaluation.construction.slots import Construction, Slots, Stage
from gamut.evaluation.construction.stages import run_stage
from gamut.evaluation.curating.review import AnyCuration, digest_of, proposed_rows, task_of
from gamut.project.decisions import Decision, open_log
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows
from gamut.texts.names import words_of


def slots_at(construction: Construction, params: Params, step: str = "", edition: str = "v1") -> Slots[Any]:
    """The slots as a step sees them."""
    return Slots(construction, params, edition, step)


def folded_name(name: str) -> str:
    """What two names of one thing have in common: words without case, marks, form of letters, article and plural."""
    words = words_of(unicodedata.normalize("NFKC", name))
    return " ".join(re.sub("(ies|y|es|s)$", "", word) for word in words if word not in ("a", "an", "the"))


class Watched:
    """An object of which only some attributes may be read; others are told."""

    def __init__(self, of: Any, may: Collection[str], **instead: Any) -> None:
        self._of, self._may, self._instead = of, may, instead

    def __getattr__(self, name: str) -> Any:
        assert name in self._may, f"{name} is read, and the stage does not declare it"
        return self._instead.get(name, getattr(self._of, name))


def run(construction: Construction, params: Params, *steps: str, edition: str = "v1") -> None:
    """Run all stages, or these steps, `propose` among them, in their order. Every stage reads the parameters alone that
    it declares.
    """
    for stage in construction.stages:
        own = {"propose", "player", "role_model", *stage.shared}
        of_edition = {"ROLES", *stage.parameters, *stage.asks, *(["max_failures"] if stage.asks else [])}
        watched: Any = Watched(params, own, propose=Watched(params.propose, of_edition))
        slots: Slots[Any] = Slots(construction, watched, edition)
        for step in [] if not steps else [its for its in stage.steps if its.name in steps]:
            step.run(replace(slots, step=step.name))
        if not steps or stage.name in steps:
            run_stage(slots, stage if not steps else Stage(stage.name, figures=stage.figures, metrics=stage.metrics))


def digest_of_proposal(benchmark: str, folder: Path = Path()) -> str:
    """A digest of all that is proposed for v1, but for the bytes of pictures, which differ among libraries."""
    rows = [dict(row) for row in read_rows(folder / path_of(benchmark, "v1"))]
    for row in rows:
        images = [{key: value for key, value in one.items() if key != "image"} for one in row.get("images") or ()]
        row |= {"images": images} if row.get("images") is not None else {}
    return hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()[:16]


def reviewed(
    curation: AnyCuration, rewritten: Mapping[str, Mapping[str, str]] | None = None, rejected: Collection[str] = ()
) -> None:
    """Have a person accept everything proposed for v1, but for what is rewritten or rejected, by id."""
    with open_log("ann", task_of(curation, "v1")) as log:
        for row in proposed_rows(curation, "v1"):
            texts = (rewritten or {}).get(row["id"], {})
            decision = "rewrite" if texts else "reject" if row["id"] in rejected else "accept"
            log.add(Decision(id=row["id"], about=digest_of(curation, row), decision=decision, texts=dict(texts)))


def with_pictures(row: Row) -> Row:
    """A row whose pictures are named as an item has them."""
    known = {"media_type": "image/jpeg", "width": 9, "height": 9}
    named = [{key: one[key] for key in ("name", "role")} for one in row["images"]]
    return row | {"images": [one | known | {"sha256": f"{number:064x}"} for number, one in enumerate(named)]}
