"""The proposed cases, for people to review; of what cannot be proposed, why not. And what they amount to."""

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from stages.evaluation.curating.proposals import path_of, write_proposal
from stages.gapeval.construction.parameters import Params
from stages.gapeval.construction.recount_things import RIGHT
from stages.gapeval.construction.reviewed import AMONG, BESIDE, TEXTS
from stages.gapeval.construction.tables import DRAWN, REFERENCE, STAGES, slots_of
from stages.gapeval.shared.items import CATEGORIES
from stages.project.files import write_json
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.reading import read_rows


def propose(params: Params, edition: str) -> None:
    slots = slots_of(params, edition)
    waves: dict[str, list[Row]] = {category: [] for category in CATEGORIES}
    joined = [*slots.joined(*STAGES), *slots.rows(DRAWN)]
    for row in joined:
        images = slots.images(row["id"], "show_cases", "answer_cases", DRAWN) if row["status"] == "ok" else []
        if counted_wrong(row):
            images = [one for one in images if one["name"] != REFERENCE]
        texts = {name: row.get(name) or "" for name in (*BESIDE, *TEXTS)} | {"remarks": remarks(row)}
        kept = {name: row[name] for name in ("id", "status", "reason")}
        waves[row["category"]].append(kept | texts | {"images": images})
    write_proposal("gapeval", edition, waves, (*BESIDE, *TEXTS), params.propose.similarity, among=AMONG)
    statuses = {row["id"]: row for row in read_rows(path_of("gapeval", edition), ["id", "status"])}
    figures = counted([row | statuses[row["id"]] for row in joined])
    write_json(Path("metrics/gapeval", edition, "construction.json"), figures)


def counted_wrong(row: Mapping[str, str | None]) -> bool:
    return row.get("found") not in (None, RIGHT)


def remarks(row: Mapping[str, str | None]) -> str:
    told = [f"not one intent: {row.get('why')}"] if row.get("same") == "no" else []
    if counted_wrong(row):
        told.append(f"without a reference picture, as what was painted shows: {row.get('found')}")
    return " ".join(told)


def counted(rows: Sequence[Row]) -> dict[str, float]:
    """Return figures: per cent of pairs with one intent, and of painted references with the right numbers."""
    items, statuses = [row for row in rows if row["status"] == "ok"], Counter(row["status"] for row in rows)
    figures: dict[str, float] = {"slots": len(rows), "items": statuses.pop("ok", 0)}
    figures |= {f"left_out.{status}": count for status, count in sorted(statuses.items())}
    figures |= dict(Counter(f"items.{row['category']}" for row in items))
    figures |= dict(Counter(f"items.{row['category']}.{row['subcategory']}" for row in items))
    for name, column, right in (("one_intent", "same", "yes"), ("references_right", "found", RIGHT)):
        if found := [row[column] == right for row in items if row.get(column)]:
            figures[name] = round(100 * sum(found) / len(found), 2)
    return figures


if __name__ == "__main__":
    main("gapeval.propose", propose, Params, *sys.argv[1:])
