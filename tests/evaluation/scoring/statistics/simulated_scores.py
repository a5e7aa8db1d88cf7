"""Scores with known variance components: contestants on items in strata, by several judges, with scores missing."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gamut.evaluation.scoring.reliability import SOURCES, Design, Floats, levels

KNOWN = {"items": 2.0, "samples": 1.0, "judges": 0.5, "judges_by_items": 1.0, "judges_by_samples": 0.6, "repeats": 1.0}


def simulated(
    boards: int,
    seed: int,
    items: int = 7,
    samples: int = 2,
    judges: int = 4,
    repeats: int = 2,
    missing: float = 0.1,
    known: Mapping[str, float] = KNOWN,
) -> tuple[Floats, Design]:
    """Scores of so many boards, shape (scores, boards), of one design: three contestants, four strata, each with a mean
    of its own; as many scores as `missing` says are not there, the same on all boards.
    """
    chance = np.random.default_rng(seed)
    sizes = (3, 4, items, samples, judges, repeats)
    labels = [axis.ravel() for axis in np.meshgrid(*map(np.arange, sizes), indexing="ij")]
    there = chance.random(labels[0].size) >= missing
    design = Design(*(one[there] for one in labels))
    block = levels(design.group, design.stratum)
    scores = np.repeat(5.0 * design.group[:, None] + design.stratum[:, None], boards, axis=1)
    for source, names in SOURCES.items():
        within = design.group if source == "judges" else block  # a judge is as kind in all strata
        of = levels(within, *(getattr(design, name) for name in names))
        scores += chance.normal(0, known[source] ** 0.5, (of.max() + 1, boards))[of]
    return scores, design
