"""What people decided about selected pictures, one by one: `gamut review dataset`.

A picture that more people reject than accept is left out. Decisions about another prompt, seed or painter do not count.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from gamut.dataset.shared.joins import table_of
from gamut.project import decisions
from gamut.project.decisions import Decision
from gamut.project.errors import nearest_choice
from gamut.project.plain_text import amount
from gamut.tables.columns import Row, place
from gamut.tables.reading import shard_rows

TASK = "review.dataset"
DECISIONS = ("accept", "reject")
EXCLUDED = "excluded_by_human"
"""The reason of a picture that people reject."""
ABOUT = ("prompt", "seed", "model")
"""Columns of `synthesize` that identify a picture."""


def digest_of(row: Row) -> str:
    return decisions.digest_of([row[name] for name in ABOUT])


@dataclass
class Reviews:
    """Decisions by shard and id. `met` counts the decisions that count (`counted`) and the ties (`divided`)."""

    by_shard: dict[str, dict[str, list[Decision]]]
    met: Counter[str] = field(default_factory=Counter)

    def excluded_ids(self, shard: str) -> set[str]:
        about = self.by_shard.get(shard, {})
        found = set()
        for row in shard_rows(table_of("synthesize"), shard, ["id", *ABOUT], set(about)) if about else ():
            votes = [one.decision for one in about[row["id"]] if one.about == digest_of(row)]
            most = decisions.majority(votes)
            self.met["counted"] += len(votes)
            self.met["divided"] += bool(votes) and most is None
            if most == "reject":
                found.add(row["id"])
        return found

    def summary(self) -> str | None:
        """Return how many decisions count, after all shards were read; None if there are no decisions."""
        total = sum(len(some) for of_shard in self.by_shard.values() for some in of_shard.values())
        if not total:
            return None
        others, divided = total - self.met["counted"], self.met["divided"]
        rest = f"; {amount(others, 'decision')} not counted, because the picture has changed" if others else ""
        rest += f"; reviewers are evenly divided about {amount(divided, 'picture')}, which stay" if divided else ""
        return f"{amount(self.met['counted'], 'decision')} of people{rest}"


def read_reviews() -> Reviews:
    """Return all decisions; UserError with a line for each that is not a decision about a picture."""
    found: dict[str, dict[str, list[Decision]]] = {}
    for reviewer, of_reviewer in decisions.read_decisions(TASK).items():
        mistakes: dict[tuple[str, int], str] = {}
        for one in (one for one in of_reviewer.values() if not one.round):
            try:
                shard = place(one.id)[0]
            except ValueError:
                mistakes[one.key] = f"{one.id!r} is not the id of a row"
                continue
            if one.decision not in DECISIONS:
                mistakes[one.key] = f"there is no decision {one.decision!r}{nearest_choice(one.decision, DECISIONS)}"
            found.setdefault(shard, {}).setdefault(one.id, []).append(one)
        decisions.refuse_decisions(decisions.path_of(reviewer, TASK), mistakes)
    return Reviews(found)
