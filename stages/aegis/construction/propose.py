"""The proposed items, for people to review; of what cannot be proposed, why not. And what they amount to (table 2)."""

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from stages.aegis.construction.parameters import Params
from stages.aegis.construction.reviewed import BESIDE, TEXTS
from stages.aegis.construction.tables import COUNTED, read_taxonomy, slots_of
from stages.evaluation.curating.proposals import path_of, write_proposal
from stages.project.files import write_json
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.reading import read_rows

REMOVED = 20.0
"""Per cent of the questions that people removed (section 3.3)."""


def propose(params: Params, edition: str) -> None:
    slots, waves = slots_of(params, edition), dict[str, list[Row]]()
    joined = slots.joined("choose", "enhance", "picture", "refer", "extract", "check", "refine")
    for row in joined:
        texts = {name: row.get(name) or "" for name in (*BESIDE, *TEXTS)}
        texts["keywords"] = "\n".join(texts["keywords"])
        images = slots.images(row["id"], "picture", "refer") if row["status"] == "ok" else []
        kept = {name: row[name] for name in ("id", "status", "reason")} | {"images": images}
        waves.setdefault(row["id"].rpartition("-")[0], []).append(texts | kept)
    write_proposal("aegis", edition, waves, (*BESIDE, *TEXTS), params.propose.similarity)
    statuses = {row["id"]: row for row in read_rows(path_of("aegis", edition), ["id", "status"])}
    shares = read_taxonomy(params.propose.taxonomy).shares
    figures = counted([row | statuses[row["id"]] for row in joined], shares)
    write_json(Path("metrics/aegis", edition, "construction.json"), figures)


def counted(rows: Sequence[Row], shares: Mapping[str, float]) -> dict[str, float]:
    items, statuses = [row for row in rows if row["status"] == "ok"], Counter(row["status"] for row in rows)
    of = {name: sum(row[name] for row in items) for name in COUNTED}
    figures: dict[str, float] = {"slots": len(rows), "items": statuses.pop("ok", 0)}
    figures |= {f"left_out.{status}": count for status, count in sorted(statuses.items())}
    figures |= dict(Counter(f"items.{row['topic']}.{row['task']}" for row in items))
    if items:
        reasoning = Counter(row["reasoning"] for row in items)
        parts = {f"reasoning.{kind}": (reasoning[kind], len(items)) for kind in shares}
        parts |= {"questions.removed": (of["removed"], of["written"])}
        parts |= {"keywords.covered": (of["keywords_covered"], of["keywords_wanted"])}
        figures |= {name: round(100 * part / whole, 2) for name, (part, whole) in parts.items()}
        figures |= {f"reasoning.{kind}.paper": share for kind, share in shares.items()}
        figures |= {"questions.removed.paper": REMOVED}
        figures |= {"questions.of_an_item": round((of["written"] - of["removed"]) / len(items), 2)}
        figures |= {f"questions.{name}": of[name] for name in ("written", "inverted")}
    return figures


if __name__ == "__main__":
    main("aegis.propose", propose, Params, *sys.argv[1:])
