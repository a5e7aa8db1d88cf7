"""The proposed cases, for people to review; of what cannot be proposed, why not. And what they amount to."""

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from stages.evaluation.curating.proposals import leave_out_near_duplicates, path_of, write_proposal
from stages.evaluation.curating.slots import Slots
from stages.gir.construction.parameters import Params
from stages.gir.construction.reviewed import AMONG, BESIDE, TEXTS, mistakes
from stages.gir.construction.tables import DRAWN, ENTITIES, case_of, digest_of, slots_of
from stages.gir.shared.items import TASKS
from stages.gir.shared.measures.recognition import named
from stages.project.files import write_json
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.reading import read_rows

RIGHT = "guessed rightly: "


def propose(params: Params, edition: str) -> None:
    slots, similarity = slots_of(params, edition), params.propose.similarity
    entities = whole(slots, *ENTITIES)
    leave_out_near_duplicates(entities, "prompt", similarity, f"gir.entities@{edition}")  # who could tell them apart?
    rows = [*entities, *(row for stage in DRAWN for row in whole(slots, stage))]
    waves: dict[str, list[Row]] = {task: [row for row in rows if row["task"] == task] for task in TASKS}
    write_proposal("gir", edition, waves, (*BESIDE, *TEXTS), similarity, among=AMONG)
    proposed = list(read_rows(path_of("gir", edition), ["task", "remarks", "status"]))
    write_json(Path("metrics/gir", edition, "construction.json"), counted(proposed))


def whole(slots: Slots, *stages: str) -> list[Row]:
    """Return the cases that stages made together, with all columns; one with a mistake is not usable."""
    rows = []
    for row in slots.joined(*stages):
        texts = {name: row.get(name) or "" for name in (*BESIDE, *TEXTS)}
        texts |= {"remarks": remark(row["guess"], case_of(row))} if row.get("guess") else {}
        found = {name: row[name] for name in ("id", "status", "reason")} | texts | {"images": []}
        if row["status"] == "ok":
            found["images"] = slots.images(row["id"], *(stage for stage in stages if "images" in slots.columns[stage]))
            references = [digest_of(one["image"]["bytes"]) for one in found["images"] if one["role"] == "reference"]
            wrong = next(mistakes(found["prompt"], case_of(found), references), None)
            found |= {"status": "unusable", "reason": wrong} if wrong else {}
        rows.append(found)
    return rows


def remark(guess: str, case: Mapping[str, Any]) -> str:
    right = named(guess, case["names"], case["distractors"])
    return f"{RIGHT if right else 'guessed wrongly: '}{guess}"


def counted(rows: Sequence[Row]) -> dict[str, float]:
    items, statuses = [row for row in rows if row["status"] == "ok"], Counter(row["status"] for row in rows)
    figures: dict[str, float] = {"slots": len(rows), "items": statuses.pop("ok", 0)}
    figures |= {f"left_out.{status}": count for status, count in sorted(statuses.items())}
    figures |= dict(Counter(f"items.{row['task']}" for row in items))
    if guessed := [row["remarks"].startswith(RIGHT) for row in items if row["remarks"]]:
        figures["guessed"] = round(100 * sum(guessed) / len(guessed), 2)
    return figures


if __name__ == "__main__":
    main("gir.propose", propose, Params, *sys.argv[1:])
