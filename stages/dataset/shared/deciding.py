"""What deciding stages share: every row of a table is decided by a rule, and the stage says how many rows stayed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from stages.tables.columns import Row
from stages.tables.reading import shard_names, shard_rows, sliced
from stages.tables.writing import TableWriter

Rule = Callable[[Row], Row]
"""Gives the decision about a row: its id, `reason` (None for a row that stays) and what the stage tells besides."""


def decide_all(
    table: Path, out: Path, schema: pa.Schema, columns: Sequence[str], rule_of: Callable[[str], Rule]
) -> None:
    """Decide about every row of `table`, of which the columns are read, and write `out`.

    `rule_of` gives a shard's rule, made once for each: it may join that shard of other tables.
    """
    with Decisions(out, schema) as decisions:
        for shard in shard_names(table):
            rule = rule_of(shard)
            for _, _, rows in sliced(shard, shard_rows(table, shard, columns)):
                decisions.write(shard, [rule(row) for row in rows])


class Decisions(TableWriter):
    """A deciding stage's table that also says, when it is done, how many rows stayed and why the others did not."""

    def __init__(self, folder: Path, schema: pa.Schema) -> None:
        super().__init__(folder, schema)
        self.reasons: Counter[str | None] = Counter()

    def write(self, shard: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Append rows to a shard, counting their reasons."""
        super().write(shard, rows)
        self.reasons.update(reason_key(row["reason"]) if row["reason"] else None for row in rows)

    def commit(self) -> None:
        """Put the table in place and print the counts."""
        super().commit()
        left_out = [f"{count:,} {reason}" for reason, count in self.reasons.most_common() if reason]
        words = f"left out: {', '.join(left_out)}" if left_out else "none left out"
        print(f"{self.folder.name}: {self.reasons[None]:,} of {self.reasons.total():,} pass, {words}")


def reason_key(reason: str) -> str:
    """Return a reason without its particulars, as metrics name it."""
    return reason.partition(": ")[0]
