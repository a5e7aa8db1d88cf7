"""Of several attempts at every slot the first that is unlike all that were chosen before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stages.asking.requests import seed_of
from stages.tables.columns import Row
from stages.texts.near_duplicates.pairs import Reading, near


def chosen(attempts: Mapping[str, Sequence[Row]], text: str, similarity: float, seed: int) -> list[Row]:
    """Return a row for every slot, in their order; whose turn it is to choose is drawn by seed. `attempts`: rows by
    slot.
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
