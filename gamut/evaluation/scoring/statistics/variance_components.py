"""Where the variance of scores comes from: items, samples of what is measured, judges, and repeats of a judgement.

Random effects by the analysis of variance, also where scores are missing (Henderson's method I; Searle, Casella and
McCulloch 1992, section 5.3), and a decision study of a mean (Brennan 2001, chapters 3 and 4).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]
"""Which level each score is of, shape (scores,): equal numbers are one level."""
SOURCES: Mapping[str, tuple[str, ...]] = {
    "items": ("item",),
    "samples": ("item", "sample"),
    "judges": ("judge",),
    "judges_by_items": ("item", "judge"),
    "judges_by_samples": ("item", "sample", "judge"),
    "repeats": ("item", "sample", "judge", "repeat"),
}
"""Each source, and what its levels differ in, within a group and stratum. A judge may be kinder than another throughout
(`judges`), or to some items or samples."""
BOUGHT: Mapping[str, tuple[str, ...]] = {
    "items": ("items", "samples", "judges_by_items", "judges_by_samples", "repeats"),
    "samples": ("samples", "judges_by_samples", "repeats"),
    "repeats": ("repeats",),
}
"""What can be had more of to make a mean by one judge surer, and which sources are divided by it."""
HALF = 1 / 4
"""Of the variance, so that an interval is half as wide."""


class Design(NamedTuple):
    """What each score is of. Means are of a `group` (a contestant), and strata are fixed within it."""

    group: Labels
    stratum: Labels
    item: Labels
    sample: Labels
    judge: Labels
    repeat: Labels


class Split(NamedTuple):
    """Variances by source, joined where scores do not tell them apart. `components`: of a single effect, below 0 where
    chance had it so; `of_mean`: what each adds to the variance of a group's mean over items.
    """

    sources: tuple[tuple[str, ...], ...]
    components: Floats
    of_mean: Floats


def variance_components(scores: Floats, design: Design) -> Split:
    """Return variance components of scores, shape (scores,) or (scores, sets); ValueError where one is undefined."""
    block = levels(design.group, design.stratum)
    sources = told_apart(design, block)
    if not sources:
        raise ValueError("no stratum has two scores")
    centred = scores - means(scores, block)[block]
    expected = np.array([[expectation(a, b, block) for b in sources.values()] for a in sources.values()])
    if np.linalg.matrix_rank(expected) < len(sources):
        raise ValueError("these scores leave a component undefined")
    squares = np.stack([np.bincount(labels) @ means(centred, labels) ** 2 for labels in sources.values()])
    components: Floats = np.linalg.solve(expected, squares)
    spread = np.array([spread_of(name, labels, design, block) for name, labels in sources.items()])
    return Split(tuple(sources), components, (np.maximum(components, 0).T * spread).T)


def told_apart(design: Design, block: Labels) -> dict[tuple[str, ...], Labels]:
    """Return the levels of each source; under all their names those that have the same levels."""
    named = {source: levels(block, *(getattr(design, name) for name in names)) for source, names in SOURCES.items()}
    found: dict[tuple[str, ...], Labels] = {}
    for source, labels in named.items():
        if same(labels, block):
            continue
        alike = next((names for names, other in found.items() if same(labels, other)), None)
        if alike is None:
            found[source,] = labels
        else:
            found = {(*names, source) if names == alike else names: other for names, other in found.items()}
    return found


def levels(*labels: Labels) -> Labels:
    found: Labels = np.unique(labels[0], return_inverse=True)[1]
    for other in labels[1:]:
        found = np.unique(pairs_of(found, other), return_inverse=True)[1]
    return found


def pairs_of(one: Labels, other: Labels) -> Labels:
    return one * (other.max() + 1) + other


def same(one: Labels, other: Labels) -> bool:
    return bool(one.max() == other.max() == levels(one, other).max())


def crossed(one: Labels, other: Labels) -> tuple[Labels, Labels, Floats]:
    pairs, counts = np.unique(pairs_of(one, other), return_counts=True)
    return *np.divmod(pairs, other.max() + 1), counts.astype(np.float64)


def expectation(one: Labels, other: Labels, block: Labels) -> float:
    """Return how much the sum of squares between levels of one source rises with the variance of another."""

    def of(labels: Labels) -> float:
        rows, _, counts = crossed(labels, other)
        return float((counts**2 / np.bincount(labels)[rows]).sum())

    return of(one) - of(block)


def means(scores: Floats, labels: Labels) -> Floats:
    """Return the mean of every level, shape (levels, …)."""
    order = np.argsort(labels, kind="stable")
    counts = np.bincount(labels)
    sums = np.add.reduceat(scores[order], np.r_[0, counts.cumsum()[:-1]], axis=0)
    found: Floats = (sums.T / counts).T
    return found


def spread_of(names: tuple[str, ...], labels: Labels, design: Design, block: Labels) -> float:
    """Return the share of a component's variance that a group's mean over items has, the mean over groups. A judge is
    as kind in all strata: what it adds to them does not cancel out.
    """
    items = levels(block, design.item)
    _, of_item = np.unique(items, return_index=True)
    group = design.group[np.unique(block, return_index=True)[1]]
    weight = np.bincount(block[of_item]) / np.bincount(design.group[of_item])[group]
    rows, columns, counts = crossed(block, levels(design.group, design.judge) if names == ("judges",) else labels)
    added = weight[rows] * counts / np.bincount(block)[rows]
    return float((np.bincount(columns, added) ** 2).sum() / len(np.unique(design.group)))


def to_halve(split: Split, what: str) -> float | None:
    """Return how many times as much it takes to halve the interval of a mean; None where that cannot be told."""
    divided = [{*names} & {*BOUGHT[what]} for names in split.sources]
    wholly = [part == {*names} for part, names in zip(divided, split.sources, strict=True)]
    least, most = (times(split.of_mean, np.array(which, np.bool_)) for which in (wholly, list(map(bool, divided))))
    return least if least == most else None


def times(of_mean: Floats, divided: NDArray[np.bool_]) -> float:
    """Return by how much what is divided has to be, for all to be HALF as wide."""
    left = HALF * of_mean.sum() - of_mean[~divided].sum()
    return float(of_mean[divided].sum() / left) if left > 0 else float("inf")
