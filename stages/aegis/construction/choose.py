"""Of every slot the first clear prompt that is unlike all that were chosen before (section 3.2)."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from stages.aegis.construction.parameters import Params
from stages.aegis.construction.tables import slots_of
from stages.asking.requests import seed_of
from stages.project.stage import main
from stages.tables.columns import Row
from stages.texts.near_duplicates.pairs import Reading, near


def chosen(attempts: Mapping[str, Sequence[Row]], text: str, similarity: float, seed: int) -> list[Row]:
    """Return a row for every slot, in their order; whose turn it is to choose is drawn by seed.

    `attempts`: rows with a status, a reason and a `text`, by slot. Where no attempt can be chosen the first is left
    out, as a `near_duplicate` if any was one, else with its own status; its reason names each attempt's.
    """
    taken: list[tuple[Reading, str]] = []
    found: dict[str, Row] = {}
    for slot in sorted(attempts, key=lambda slot: seed_of(f"{slot} turn", seed)):
        reasons, statuses = [], []
        for number, row in enumerate(attempts[slot], start=1):
            status, reason = row["status"], row["reason"]
            if status == "ok":
                reading = Reading(row[text])
                twin = next((other for earlier, other in taken if near(earlier, reading, similarity)), None)
                if twin is None:
                    taken.append((reading, slot))
                    found[slot] = row
                    break
                status, reason = "near_duplicate", f"resembles {twin}"
            statuses.append(status)
            reasons.append(f"attempt {number}: {reason}")
        else:
            status = "near_duplicate" if "near_duplicate" in statuses else statuses[0]
            found[slot] = attempts[slot][0] | {"status": status, "reason": "; ".join(reasons)}
    return [found[slot] for slot in attempts]


def choose(params: Params, edition: str) -> None:
    slots, attempts = slots_of(params, edition), dict[str, list[Row]]()
    for row in slots.rows("draft"):
        attempts.setdefault(row["id"], []).append(row)
    slots.write("choose", chosen(attempts, "clear_prompt", params.propose.similarity, params.seed))


if __name__ == "__main__":
    main("aegis.choose", choose, Params, *sys.argv[1:])
