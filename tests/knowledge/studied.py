"""Rows as a study's `measure` writes them, by what is known at each step; and their tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path

from gamut.tables.columns import Row, grouped, make_id, place
from gamut.tables.writing import TableWriter
from stages.knowledge.measure import SCHEMA
from tests.fakes import jpeg

STEPS = (0, 10, 20, 40)
Knows = Callable[[str, int, str, int], float]
"""By side, step, fact and number of the cluster, the value of each answer."""


def rows_of(
    knows: Knows, *, study: str = "edit", strategy: str = "und", clusters: int = 6, steps: Sequence[int] = STEPS
) -> list[Row]:
    return [
        {"id": make_id(f"step{row['step']}", n)} | row
        for n, row in enumerate(found(knows, study, strategy, clusters, steps))
    ]


def found(knows: Knows, study: str, strategy: str, clusters: int, steps: Sequence[int]) -> Iterator[Row]:
    """Two entities a pair, each asked once in held-out wordings; neighbours are clusters of their own."""
    facts = ("new", "old") if study == "edit" else ("new",)
    for step, cluster, side, half in product(steps, range(clusters), ("und", "gen"), "ab"):
        for fact in (*facts, "neighbour"):
            name = f"{cluster}{half}" if fact != "neighbour" else f"n{cluster}{half}"
            yield {
                "model": "toy",
                "study": study,
                "strategy": strategy,
                "step": step,
                "entity": name,
                "cluster": f"pair{cluster}" if study == "edit" and fact != "neighbour" else name,
                "side": side,
                "fact": fact,
                "wording": "held_out",
                "value": knows(side, step, fact, cluster),
                "status": "ok",
                "reason": None,
                "reply": f"a {name}" if side == "und" else None,
                "image": jpeg() if side == "gen" and fact == "new" else None,
                "question": "What is it?",
            }


def references(value: float, clusters: int = 6) -> list[Row]:
    """What cosines can reach, of the entities that `rows_of` injects."""
    rows = found(lambda *_: value, "inject", "und", clusters, (0,))
    about = {"id": "step0-00004999", "fact": "reference", "image": None}
    return [row | about for row in rows if (row["side"], row["fact"]) == ("gen", "new")]


def write_measured(folder: Path, rows: Sequence[Row]) -> None:
    with TableWriter(folder, SCHEMA) as table:
        for shard, some in grouped((place(row["id"])[0], row) for row in rows).items():
            table.write(shard, some)


def learns(trained: str, other: float = 0.0, by: int = 20) -> Knows:
    """The trained side knows the new fact from a step on, the other one in a share of clusters; neighbours stay."""

    def knows(side: str, step: int, fact: str, cluster: int) -> float:
        if fact == "neighbour":
            return 1.0
        new = float(step >= by and (side == trained or cluster < 6 * other))
        return new if fact == "new" else 1 - new

    return knows
