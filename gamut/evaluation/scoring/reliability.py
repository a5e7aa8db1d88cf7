"""How reliable a mean of judgements is: where its variance comes from, and what to add to halve its interval."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gamut.evaluation.scoring.agreement import Rating
from gamut.evaluation.scoring.estimates import round_value
from gamut.evaluation.scoring.statistics.inference import Floats

Labels = NDArray[np.int64]
"""The level of each score, shape (scores,): equal numbers are one level."""
SOURCES: Mapping[str, tuple[str, ...]] = {
    "items": ("item",),
    "samples": ("item", "sample"),
    "judges": ("judge",),
    "judges_by_items": ("item", "judge"),
    "judges_by_samples": ("item", "sample", "judge"),
    "repeats": ("item", "sample", "judge", "repeat"),
}
"""Each source, and the factors that define its levels, within a group and stratum. A judge may be milder than another
for all answers (`judges`), or for some items or samples."""
PURCHASES: Mapping[str, tuple[str, ...]] = {
    "items": ("items", "samples", "judges_by_items", "judges_by_samples", "repeats"),
    "samples": ("samples", "judges_by_samples", "repeats"),
    "repeats": ("repeats",),
}
"""What can be added to make a mean by one judge more certain, and the sources that it divides."""
HALF = 1 / 4
"""The factor on the variance that makes an interval half as wide."""


class Design(NamedTuple):
    """The factors of each score. Means are computed for a `group` (a contestant), and strata are fixed within it."""

    group: Labels
    stratum: Labels
    item: Labels
    sample: Labels
    judge: Labels
    repeat: Labels


class Split(NamedTuple):
    """Variances by source, joined if scores do not separate them. `components`: of a single effect; chance may make
    them negative. `of_mean`: what each adds to the variance of a group's mean over items.
    """

    sources: tuple[tuple[str, ...], ...]
    components: Floats
    of_mean: Floats


def variance_components(scores: Floats, design: Design) -> Split:
    """Split the variance. `scores`: shape (scores,) or (scores, sets). ValueError if a component is undefined."""
    block = levels(design.group, design.stratum)
    sources = distinct_sources(design, block)
    if not sources:
        raise ValueError("no stratum has two scores")
    centred = scores - level_means(scores, block)[block]
    expected = np.array([[expectation(a, b, block) for b in sources.values()] for a in sources.values()])
    if np.linalg.matrix_rank(expected) < len(sources):
        raise ValueError("these scores leave a component undefined")
    squares = np.stack([np.bincount(labels) @ level_means(centred, labels) ** 2 for labels in sources.values()])
    components: Floats = np.linalg.solve(expected, squares)
    spread = np.array([spread_of(name, labels, design, block) for name, labels in sources.items()])
    return Split(tuple(sources), components, (np.maximum(components, 0).T * spread).T)


def distinct_sources(design: Design, block: Labels) -> dict[tuple[str, ...], Labels]:
    """Return the levels of each source, under all names of sources with the same levels."""
    named = {source: levels(block, *(getattr(design, name) for name in names)) for source, names in SOURCES.items()}
    found: dict[tuple[str, ...], Labels] = {}
    for source, labels in named.items():
        if same_levels(labels, block):
            continue
        alike = next((names for names, other in found.items() if same_levels(labels, other)), None)
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


def same_levels(one: Labels, other: Labels) -> bool:
    return bool(one.max() == other.max() == levels(one, other).max())


def cross_levels(one: Labels, other: Labels) -> tuple[Labels, Labels, Floats]:
    pairs, counts = np.unique(pairs_of(one, other), return_counts=True)
    return *np.divmod(pairs, other.max() + 1), counts.astype(np.float64)


def expectation(one: Labels, other: Labels, block: Labels) -> float:
    """Return how much the sum of squares between levels of one source grows with the variance of another."""

    def of(labels: Labels) -> float:
        rows, _, counts = cross_levels(labels, other)
        return float((counts**2 / np.bincount(labels)[rows]).sum())

    return of(one) - of(block)


def level_means(scores: Floats, labels: Labels) -> Floats:
    """Shape (levels, …)."""
    order = np.argsort(labels, kind="stable")
    counts = np.bincount(labels)
    sums = np.add.reduceat(scores[order], np.r_[0, counts.cumsum()[:-1]], axis=0)
    found: Floats = (sums.T / counts).T
    return found


def spread_of(names: tuple[str, ...], labels: Labels, design: Design, block: Labels) -> float:
    """Return the share of a component's variance in a group's mean over items, averaged over groups. A judge's mildness
    is equal in all strata, so it does not cancel out.
    """
    items = levels(block, design.item)
    _, of_item = np.unique(items, return_index=True)
    group = design.group[np.unique(block, return_index=True)[1]]
    weight = np.bincount(block[of_item]) / np.bincount(design.group[of_item])[group]
    rows, columns, counts = cross_levels(block, levels(design.group, design.judge) if names == ("judges",) else labels)
    added = weight[rows] * counts / np.bincount(block)[rows]
    return float((np.bincount(columns, added) ** 2).sum() / len(np.unique(design.group)))


def to_halve(split: Split, what: str) -> float | None:
    """Return how many times as many are needed to halve the interval of a mean; None if unknown."""
    divided = [{*names} & {*PURCHASES[what]} for names in split.sources]
    wholly = [part == {*names} for part, names in zip(divided, split.sources, strict=True)]
    least, most = (
        times_to_halve(split.of_mean, np.array(which, np.bool_)) for which in (wholly, list(map(bool, divided)))
    )
    return least if least == most else None


def times_to_halve(of_mean: Floats, divided: NDArray[np.bool_]) -> float:
    """Return the divisor of the `divided` part that leaves HALF of the total variance."""
    left = HALF * of_mean.sum() - of_mean[~divided].sum()
    return float(of_mean[divided].sum() / left) if left > 0 else float("inf")


class Reliability(NamedTuple):
    setting: str
    measure: str
    split: Split


def reliabilities(ratings: Iterable[Rating], stratum_of: Mapping[str, Hashable]) -> Iterator[Reliability]:
    """Yield the split of each setting and measure, of all contestants together, if scores separate two sources. Each
    judge's scores are taken minus the mean of the contestant's stratum.
    """
    scores: dict[tuple[str, str], dict[tuple[str, str, int, str, int], list[float]]] = {}
    for setting, measure, judge, (contestant, item, sample, *_), value, repeat in ratings:
        key = contestant, item, sample, judge, repeat
        scores.setdefault((setting, measure), {}).setdefault(key, []).append(value)
    for (setting, measure), found in scores.items():
        contestants, items, samples, judges, repeats = zip(*found, strict=True)
        of_each = contestants, [stratum_of[item] for item in items], items, samples, judges, repeats
        try:
            split = variance_components(np.array([*map(fmean, found.values())]), Design(*map(number_labels, of_each)))
        except ValueError:
            continue
        if len(split.sources) > 1:
            yield Reliability(setting, measure, split)


def number_labels(labels: Sequence[Hashable]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    return np.array([numbers[label] for label in labels], np.int64)


def flat_reliability(splits: Iterable[Reliability]) -> dict[str, float]:
    """Return keys `<setting>.<measure>.variance.<sources>`, `….share` (percent), `….below_zero`,
    `….to_halve.<what>`.
    """
    keys: dict[str, float] = {}
    for setting, measure, split in splits:
        start, total = f"{setting}.{measure}", float(split.of_mean.sum())
        for names, component, of_mean in zip(*split, strict=True):
            source = f"{start}.variance.{'_and_'.join(names)}"
            keys[source] = round_value(max(component, 0.0))
            if round_value(component) < 0:
                keys[f"{source}.below_zero"] = round_value(component)
            if total > 0:
                keys[f"{source}.share"] = round_value(100 * of_mean / total)
        board = of_one_judge(split)
        for what in PURCHASES:
            if board.of_mean.any() and (more := to_halve(board, what)) is not None and math.isfinite(more):
                keys[f"{start}.to_halve.{what}"] = round_value(more)
    return keys


def of_one_judge(split: Split) -> Split:
    kept = [number for number, names in enumerate(split.sources) if names != ("judges",)]
    return Split(tuple(split.sources[number] for number in kept), split.components[kept], split.of_mean[kept])


def purchases_in_words(split: Split) -> str:
    """Return what to add to halve the interval of a mean on one judge's board, and how much judges differ."""
    board = of_one_judge(split)
    if not board.of_mean.any():
        return "nothing varies"
    more = {what: to_halve(board, what) for what in PURCHASES}
    enough = [f"{times:.1f} times the {what}" for what, times in more.items() if times and math.isfinite(times)]
    never = [what for what, times in more.items() if times == math.inf]
    untold = [what for what, times in more.items() if times is None]
    judges = next((c for names, c in zip(split.sources, split.components, strict=True) if names == ("judges",)), 0)
    parts = [
        " or ".join(enough) or "more of one thing alone is not enough",
        f"any number of {' or '.join(never)} cannot" if never else "",
        f"for {' and '.join(untold)} this is unknown" if untold else "",
        f"judges differ by {math.sqrt(judges):.2f} in all answers (standard deviation), however many scores there are"
        if judges > 0
        else "",
    ]
    return "; ".join(filter(None, parts))
