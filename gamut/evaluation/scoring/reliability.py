"""How reliable a mean of judgements is: where its variance comes from, and what to buy next to halve its interval."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np

from gamut.evaluation.scoring.agreement import Rating
from gamut.evaluation.scoring.estimates import rounded
from gamut.evaluation.scoring.statistics.variance_components import (
    BOUGHT,
    Design,
    Split,
    to_halve,
    variance_components,
)


class Reliability(NamedTuple):
    """The split of one measure's variance in one setting."""

    setting: str
    measure: str
    split: Split


def reliabilities(ratings: Iterable[Rating], stratum_of: Mapping[str, Hashable]) -> Iterator[Reliability]:
    """Yield the split of each setting and measure, of all contestants together, where scores tell any two sources
    apart. Each judge's scores are held against the mean of a contestant's stratum.
    """
    scores: dict[tuple[str, str], dict[tuple[str, str, int, str, int], list[float]]] = {}
    for setting, measure, judge, (contestant, item, sample, *_), value, repeat in ratings:
        key = contestant, item, sample, judge, repeat
        scores.setdefault((setting, measure), {}).setdefault(key, []).append(value)
    for (setting, measure), found in scores.items():
        contestants, items, samples, judges, repeats = zip(*found, strict=True)
        of_each = contestants, [stratum_of[item] for item in items], items, samples, judges, repeats
        try:
            split = variance_components(np.array([*map(fmean, found.values())]), Design(*map(numbered, of_each)))
        except ValueError:
            continue
        if len(split.sources) > 1:
            yield Reliability(setting, measure, split)


def numbered(labels: Sequence[Hashable]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    return np.array([numbers[label] for label in labels], np.int64)


def flat_reliability(found: Iterable[Reliability]) -> dict[str, float]:
    """Return flat keys `<setting>.<measure>.variance.<sources>`, `….share` in percent, `….below_zero`, and
    `….to_halve.<what>`.
    """
    keys: dict[str, float] = {}
    for setting, measure, split in found:
        start, total = f"{setting}.{measure}", float(split.of_mean.sum())
        for names, component, of_mean in zip(*split, strict=True):
            source = f"{start}.variance.{'_and_'.join(names)}"
            keys[source] = rounded(max(component, 0.0))
            if rounded(component) < 0:
                keys[f"{source}.below_zero"] = rounded(component)
            if total > 0:
                keys[f"{source}.share"] = rounded(100 * of_mean / total)
        board = of_one_judge(split)
        for what in BOUGHT:
            if board.of_mean.any() and (more := to_halve(board, what)) is not None and math.isfinite(more):
                keys[f"{start}.to_halve.{what}"] = rounded(more)
    return keys


def of_one_judge(split: Split) -> Split:
    kept = [number for number, names in enumerate(split.sources) if names != ("judges",)]
    return Split(tuple(split.sources[number] for number in kept), split.components[kept], split.of_mean[kept])


def next_in_words(split: Split) -> str:
    """Return what to buy next to halve the interval of a mean on one judge's board, and how far judges lie apart."""
    board = of_one_judge(split)
    if not board.of_mean.any():
        return "nothing varies"
    more = {what: to_halve(board, what) for what in BOUGHT}
    enough = [f"{times:.1f} times the {what}" for what, times in more.items() if times and math.isfinite(times)]
    never = [what for what, times in more.items() if times == math.inf]
    untold = [what for what, times in more.items() if times is None]
    judges = next((c for names, c in zip(split.sources, split.components, strict=True) if names == ("judges",)), 0)
    parts = [
        " or ".join(enough) or "nothing alone would do",
        f"any number of {' or '.join(never)} cannot" if never else "",
        f"of {' and '.join(untold)} it cannot be told" if untold else "",
        f"judges differ by {math.sqrt(judges):.2f} throughout (standard deviation), whatever is bought"
        if judges > 0
        else "",
    ]
    return "; ".join(filter(None, parts))
