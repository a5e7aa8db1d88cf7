"""What is reported of GapEval: each setting by itself, and for both together the shares of right samples, and the gap.

For both settings `succ` ranks. The gap does not rank: a contestant could lower it by getting worse in its better
setting.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from gamut.evaluation.defining.measures import (
    Column,
    Joint,
    Linear,
    Metric,
    OfSums,
    PaperTable,
    Reportable,
    Resampled,
    Scale,
    Summed,
    TableColumn,
    averages,
)
from gamut.evaluation.running.checklists import VERDICTS
from stages.gapeval.shared import gap
from stages.gapeval.shared.items import CATEGORIES, SETTINGS, Category
from stages.gapeval.shared.judging import RIGHT, GapEval

Floats = NDArray[np.float64]
UND, GEN = SETTINGS
BOTH = "both"
JOINT = (Joint(BOTH, (UND, GEN), (RIGHT, RIGHT), lambda text, image: text * image),)
"""A sample is right in both settings."""
JUDGED = {RIGHT: VERDICTS}
MEASURES = JUDGED | {BOTH: VERDICTS}
PERCENT = Scale(0, 100)
ACROSS = ((UND, RIGHT), (GEN, RIGHT), (GEN, BOTH))
"""Setting and measure of the columns of each category in the metric for both settings."""
GAPS_PRINTED = "Read a gap beside Succ. The paper's are as released, ours are identified: see docs/gapeval.md."
BOTH_SETTINGS = "both_settings"
TITLES = {BOTH_SETTINGS: "In words and as a picture", UND: "In words", GEN: "As a picture"}


def metrics(block: GapEval) -> list[Metric]:
    return [both_settings_metric(), *(setting_metric(setting) for setting in SETTINGS)]


def setting_metric(setting: str) -> Metric:
    metric = averages(setting, CATEGORIES, JUDGED)
    return metric._replace(shown=("overall", *CATEGORIES), profile=CATEGORIES, title=TITLES[setting])


def both_settings_metric() -> Metric:
    """Return the metric for both settings, of every category and overall, the mean of the categories.

    It has shares of samples right in both (`succ`), in words (`und`), as a picture (`gen`) and in neither (`fail`), and
    the `gap`, all 0..100. Also `delta_theta`: by how many logits words are better than pictures.
    """
    reported: dict[str, Reportable] = {**reported_values(CATEGORIES)}
    for category in CATEGORIES:
        reported |= {f"{category}.{name}": one for name, one in reported_values((category,)).items()}
    laid = [Column(category, setting, measure) for category in CATEGORIES for setting, measure in ACROSS]
    profile = tuple(f"{category}.succ" for category in CATEGORIES)
    shown = ("succ", "und", "gen", "fail", "gap", "delta_theta")
    return Metric(BOTH_SETTINGS, SETTINGS, laid, reported, shown, profile)._replace(title=TITLES[BOTH_SETTINGS])


CATEGORY_WORDS = ("World Knowledge", "Numerical Perception", "Instruction Following", "Reasoning")


def table_2() -> PaperTable:
    """Return table 2. A contestant with only one setting has its shares, and dashes next to them."""
    columns = [
        TableColumn(f"{in_paper} {words}", *of)
        for category, in_paper in zip(CATEGORIES, CATEGORY_WORDS, strict=True)
        for words, *of in (
            ("Succ.", f"{category}.succ"),
            ("Und.", category, UND),
            ("Gen.", category, GEN),
            ("Gap", f"{category}.gap"),
        )
    ]
    columns += [TableColumn("Gap", "gap"), TableColumn("Gap as released", released="{judge}.{contestant}.overall")]
    return PaperTable("table_2", "table 2", columns, {BOTH_SETTINGS: ""}, places=2, note=GAPS_PRINTED)


def reported_values(among: Sequence[Category]) -> Mapping[str, Reportable]:
    counted = np.array([category in among for category in CATEGORIES for _ in ACROSS])
    return {
        **right_shares(among),
        "gap": Resampled(
            counted, lambda scores: 100 * mean_over_categories(scores, gap.gap_of), mean_gap_draws, PERCENT
        ),
        "delta_theta": Resampled(
            counted, lambda scores: mean_over_categories(scores, gap.delta_theta_of), mean_delta_theta_draws
        ),
    }


def right_shares(among: Sequence[Category]) -> dict[str, Summed]:
    def mean_of(setting: str, measure: str) -> Linear:
        counts = [c in among and one == (setting, measure) for c in CATEGORIES for one in ACROSS]
        return Linear(np.array(counts) * (100 / len(among)))

    found: dict[str, Summed] = {"succ": mean_of(GEN, BOTH), "und": mean_of(UND, RIGHT)}
    found |= {"gen": mean_of(GEN, RIGHT), "fail": failing_share([CATEGORIES.index(category) for category in among])}
    return found


def failing_share(places: Sequence[int]) -> OfSums:
    """Return the share of samples that are right in neither setting. A missing one is not right."""

    def terms(scores: Floats) -> Floats:
        text, image, both = (scores[:, [len(ACROSS) * place + k for place in places]] for k in range(3))
        there: NDArray[np.bool_] = ~np.isnan(text + image + both)
        found = np.stack([np.where(there, 1 - text - image + both, 0), there], axis=-1).reshape(len(scores), -1)
        return np.where(there.any(axis=1, keepdims=True), found, np.nan)

    def value(sums: Floats) -> Floats:
        pairs = sums.reshape(*sums.shape[:-1], len(places), 2)
        found: Floats = 100 * (pairs[..., 0] / pairs[..., 1]).mean(axis=-1)
        return found

    signs = {(UND, RIGHT): -1.0, (GEN, RIGHT): -1.0, (GEN, BOTH): 1.0}
    slopes = [signs[one] * (place in places) for place in range(len(CATEGORIES)) for one in ACROSS]
    return OfSums(terms, value, PERCENT, slopes=np.array(slopes) * (100 / len(places)))


def mean_over_categories(scores: Floats, of: Callable[[Floats, float], float]) -> float:
    """Return the mean over categories of a value from their items' joint shares; NaN if one has no items."""
    items = [rows for rows, _ in items_by_category(scores)]
    values = [of(rows.sum(axis=0), gap.item_worth(rows)) for rows in items if len(rows)]
    return float(np.mean(values)) if len(values) == len(items) else np.nan


def mean_gap_draws(scores: Floats, weights: Floats, chance: np.random.Generator) -> Floats:
    """Return the least and greatest mean gap, 0..100, in each draw."""
    return 100 * gap.gap_draws(cells_by_category(scores, weights, chance))


def mean_delta_theta_draws(scores: Floats, weights: Floats, chance: np.random.Generator) -> Floats:
    """Return the mean Δθ in each draw, twice, as its least and greatest value."""
    found = np.mean([gap.delta_theta(cells) for cells in cells_by_category(scores, weights, chance)], axis=0)
    return np.stack([found, found])


def cells_by_category(scores: Floats, weights: Floats, chance: np.random.Generator) -> list[Floats]:
    return [gap.draw_cells(rows, weights[there], chance) for rows, there in items_by_category(scores)]


def items_by_category(scores: Floats) -> list[tuple[Floats, NDArray[np.bool_]]]:
    """Return of each category the joint shares of its items, shape (items, 4), and which items of all have them.

    `scores`: columns of ACROSS, category by category. What is missing of a sample is not right.
    """
    categories: list[tuple[Floats, NDArray[np.bool_]]] = []
    for own in np.split(scores, scores.shape[1] // len(ACROSS), axis=1):
        there = np.asarray(~np.isnan(own).any(axis=1))
        text, picture, both = own[there].T
        categories.append((gap.joint_shares(both, text, picture), there))
    return categories
