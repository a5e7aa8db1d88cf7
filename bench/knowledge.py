"""Whether the study finds transfer where there is some, and none where there is none.

    python bench/knowledge.py
    python bench/knowledge.py --pairs 6 --draws 200

Two networks see and paint: seeing is a softmax over names of a picture's column, painting one over pictures of a name's
row. In `shared` both are of one matrix, so that what is learnt by seeing is painted by construction; in `separate` each
side has a matrix of its own. Both know every name; then names of pairs are exchanged by gradient steps on one side
alone, and at every checkpoint answers are drawn. Three more are no such networks: `same_name` answers whatever it is
asked with the new fact, `refusing` no longer answers on the other side, `nothing` was not trained. Measured is transfer
with its interval, damage, and how often such an interval holds a known transfer (`coverage`). All of it stands in the
last line, as JSON.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # this folder would hide Python's own `statistics`

import argparse
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from gamut.evaluation.defining.measures import Scale
from gamut.tables.columns import Row
from stages.knowledge import changes
from stages.knowledge.transfer import Cell, values_of

CHECKPOINTS = (0, 5, 10, 20, 40, 80)
KNOWN = 6.0
"""The logit of what is right before training."""
RATE = 1.0
NEIGHBOURS = 6
ANSWERS = 4
"""To each question at each checkpoint."""
SIDES = {"und": 0, "gen": 1}
NETWORKS = ("shared", "separate", "same_name", "refusing", "nothing")


def softmax(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


class Network:
    """`matrices`: one for each side, names × pictures; the same one where codes are shared."""

    def __init__(self, entities: int, shared: bool) -> None:
        first = KNOWN * np.eye(entities)
        self.matrices = (first, first if shared else first.copy())

    def chances(self, side: str) -> np.ndarray:
        """Of each question (a picture, or a name) how likely each answer is, shape (entities, entities)."""
        one = self.matrices[SIDES[side]]
        return softmax(one.T if side == "und" else one)

    def learn(self, side: str, pairs: int) -> None:
        """One gradient step of cross entropy on the exchanged pairs, by one side."""
        asked = np.arange(2 * pairs)
        slope = self.chances(side)[asked]
        slope[asked, asked ^ 1] -= 1
        if side == "und":
            self.matrices[0][:, asked] -= RATE * slope.T
        else:
            self.matrices[1][asked] -= RATE * slope


def answers(name: str, trained: str, pairs: int, seed: int) -> Iterator[Row]:
    """Rows as `measure` writes them, of one network trained on a side alone."""
    entities, draws = 2 * pairs + NEIGHBOURS, np.random.default_rng([seed, NETWORKS.index(name), SIDES[trained]])
    network = Network(entities, shared=name == "shared")
    for step in range(CHECKPOINTS[-1] + 1):
        if step in CHECKPOINTS:
            for side in SIDES:
                chances = network.chances(side)
                for entity in range(entities):
                    for given in draws.choice(entities, ANSWERS, p=chances[entity]):
                        if name == "same_name" and step:
                            given = entity ^ 1
                        refused = name == "refusing" and step and side != trained
                        yield from rows_of(step, side, entity, None if refused else int(given), pairs)
        if name != "nothing":
            network.learn(trained, pairs)


def rows_of(step: int, side: str, entity: int, given: int | None, pairs: int) -> Iterator[Row]:
    of_pair = entity < 2 * pairs
    facts = {"new": entity ^ 1, "old": entity} if of_pair else {"neighbour": entity}
    for fact, right in facts.items():
        yield {
            "study": "edit",
            "step": step,
            "side": side,
            "fact": fact,
            "wording": "held_out",
            "entity": f"e{entity}",
            "cluster": f"pair{entity // 2}" if of_pair else f"e{entity}",
            "status": "ok" if given is not None else "refused_generation",
            "value": None if given is None else float(given == right),
        }


def said_of(name: str, pairs: int, seed: int) -> dict[str, Any]:
    """What the study says of a network trained on each side alone."""
    cells = {Cell(name, "edit", side): changes.levels_of(answers(name, side, pairs, seed)) for side in SIDES}
    return {cell.strategy: values_of(cell, cells) for cell in cells}


def coverage(clusters: int, draws: int, seed: int, true: float = 0.1, trained: float = 0.9) -> dict[str, float]:
    """How often intervals hold a transfer of true / trained, where each cluster changed wholly or not at all on a side:
    ours, and the percentile bootstrap's beside it.
    """
    random = np.random.default_rng([seed, clusters])
    held = {"ours": 0, "bootstrap": 0, "said": 0}
    for _ in range(draws):
        both = (random.random((2, clusters)) < np.array([[true], [trained]])).astype(float)
        other, own = (changes.Change({str(n): value for n, value in enumerate(side)}, Scale(0, 1)) for side in both)
        weights = random.standard_exponential((1000, clusters))
        try:
            _, low, high, _ = changes.ratio(other, own, "")
        except changes.Unsaid:
            continue
        held["said"] += 1
        held["ours"] += low is not None and high is not None and low <= true / trained <= high
        low, high = np.quantile(weights @ both[0] / (weights @ both[1]), (0.025, 0.975))
        held["bootstrap"] += bool(low <= true / trained <= high)
    return {name: round(count / max(1, held["said"]), 3) for name, count in held.items() if name != "said"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--draws", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    figures: dict[str, Any] = {}
    for name in NETWORKS:
        said = said_of(name, options.pairs, options.seed)
        print(name)
        for side, values in said.items():
            print(f"  trained on {side}: {values}")
        figures[name] = {
            f"{side}.{key}": value
            for side, values in said.items()
            for key, value in values.items()
            if key.startswith(("transfer", "no_transfer", "damage"))
        }
    figures["coverage"] = {k: coverage(k, options.draws, options.seed) for k in (6, 12, options.pairs)}
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
