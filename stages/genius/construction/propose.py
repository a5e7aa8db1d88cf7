"""The proposed cases, for people to review; of what cannot be proposed, why not. And what they amount to."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from stages.evaluation.curating.proposals import path_of, write_proposal
from stages.evaluation.curating.slots import Slots
from stages.genius.construction.parameters import Params
from stages.genius.construction.probes import untaken
from stages.genius.construction.reviewed import AMONG, BESIDE, TEXTS
from stages.genius.construction.tables import slots_of
from stages.genius.shared.items import SUB_TASKS
from stages.project.files import write_json
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.reading import read_rows


def propose(params: Params, edition: str) -> None:
    slots = slots_of(params, edition)
    waves: dict[str, list[Row]] = {sub_task: [] for sub_task in chain.from_iterable(SUB_TASKS.values())}
    joined = [row | of_probe for row, of_probe in with_probes(slots)]
    for row in joined:
        images = slots.images(row["id"], "paint_pictures") if row["status"] == "ok" else []
        shown = " | ".join(f"{picture['name']}: {picture['shows']}" for picture in row["pictures"])
        texts = {name: row.get(name) or "" for name in (*BESIDE, *TEXTS)} | {"shown": shown}
        kept = {name: row[name] for name in ("id", "status", "reason")}
        waves[row["sub_task"]].append(kept | texts | {"images": images})
    write_proposal("genius", edition, waves, (*BESIDE, *TEXTS), params.propose.similarity, among=AMONG)
    statuses = {row["id"]: row for row in read_rows(path_of("genius", edition), ["id", "status"])}
    figures = counted([row | statuses[row["id"]] for row in joined])
    write_json(Path("metrics/genius", edition, "construction.json"), figures)


def with_probes(slots: Slots) -> Iterator[tuple[Row, Row]]:
    """Yield every case with its `distractors`, a line each, or why no probe can be made of them (`without_probe`)."""
    written = {row["id"]: row for row in slots.rows("write_distractors")}
    checks: dict[str, list[Row]] = {}
    for row in slots.rows("check_distractors"):
        checks.setdefault(row["id"], []).append(row)
    for row in slots.joined("draw_cases", "describe_pictures", "paint_pictures"):
        own = written.get(row["id"])
        why = untaken(own, checks.get(row["id"], ())) if own else None
        usable = own is not None and why is None
        yield row, {"distractors": "\n".join(own["distractors"]) if own and usable else "", "without_probe": why}


def counted(rows: Sequence[Row]) -> dict[str, float]:
    """Return figures: cases by task and sub-task, those with a probe, what was left out, and why some have none."""
    items, statuses = [row for row in rows if row["status"] == "ok"], Counter(row["status"] for row in rows)
    figures: dict[str, float] = {"slots": len(rows), "items": statuses.pop("ok", 0)}
    figures |= {f"left_out.{status}": count for status, count in sorted(statuses.items())}
    figures["probes"] = sum(bool(row["distractors"]) for row in items)
    figures |= dict(
        sorted(Counter(f"without_probe.{row['without_probe']}" for row in items if row["without_probe"]).items())
    )
    figures |= dict(Counter(f"items.{row['task']}" for row in items))
    return figures | dict(Counter(f"items.{row['task']}.{row['sub_task']}" for row in items))


if __name__ == "__main__":
    main("genius.propose", propose, Params, *sys.argv[1:])
