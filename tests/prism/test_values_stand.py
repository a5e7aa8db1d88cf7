"""Where nothing was refused and nothing failed, values are digit for digit those of before refusals counted."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t

from gamut.evaluation.boards.score import score_metrics, scores_of
from gamut.evaluation.defining.editions import freeze_edition
from gamut.evaluation.defining.measures import Linear
from gamut.evaluation.scoring.values import weigh_means
from stages.prism.shared.benchmark import PRISM
from stages.prism.shared.items import AXES, TRACKS, PrismItem
from tests import fakes
from tests.paths import DATA

ITEMS = [
    PrismItem(id=f"{track}/{n}", track=track, prompt=f"{track} {n}", prompt_zh="中")
    for track in TRACKS
    for n in range(4)
]
OF_BEFORE = {
    "en.world.overall": 49.94,
    "en.world.overall_n": 28,
    "en.world.alignment": 50.476,
    "en.world.style": 51.25,
    "en.world.entity.aesthetic": 52.5,
    "en.world.entity.aesthetic_n": 4,
    "en.world.coverage": 1.0,
}
"""Of the table below, by the code of before."""


def test_metrics_of_a_fixed_table(project: Path) -> None:
    freeze_edition("prism", "small", ITEMS)
    answers = [{"item": item.id, "setting": "en", "sample": 0, "status": "ok", "replies": [{}]} for item in ITEMS]
    observed = [
        {"item": item.id, "setting": "en", "sample": 0, "question": axis, "status": "ok"}
        | {"value": float((7 * n + 5 * a + 3 * r) % 11)}
        for n, item in enumerate(ITEMS)
        for a, axis in enumerate(AXES)
        for r in range(3)
    ]
    params = fakes.params(prism=fakes.values()["prism"] | {"repeats": 3})
    scores = scores_of(PRISM, params, ITEMS, answers, {"world": observed}, PRISM.expected)
    rows = [row | {"spec": "s"} for row in scores]
    found = score_metrics(PRISM, params, rows, ITEMS)
    new = {f"en.world.{name}" for name in ("overall_scored", "judged_share")}
    assert {key: value for key, value in found.items() if key in OF_BEFORE} == OF_BEFORE
    # one track, four items: its interval is the textbook's
    of_entity = [row["value"] for row in rows if row["stratum"] == "entity" and row["measure"] == "aesthetic"]
    half = 10 * t.ppf(0.975, 3) * np.std(of_entity, ddof=1) / 2
    ends = [found[f"en.world.entity.aesthetic_{end}"] for end in ("lo", "hi")]
    assert ends == pytest.approx([52.5 - half, min(100, 52.5 + half)], abs=6e-4)
    assert found["en.world.overall_scored"] == found["en.world.overall"] and found["en.world.judged_share"] == 1
    assert len(found) == 4 * (1 + 2 + 7 + 14) + 2 + len(new)  # each with _lo, _hi, _n; coverage and spec


PRINTED = DATA / "tables" / "prism.json"


def reported(means: np.ndarray) -> dict[str, float]:
    """What is reported of means 0..10, shape (tracks, axes)."""
    [metric, *_] = PRISM.metrics_in(fakes.params())
    found = {name: one.factors for name, one in metric.reported.items() if isinstance(one, Linear)}
    return {name: float(weigh_means(means.reshape(-1), factors)) for name, factors in found.items()}


def test_by_hand() -> None:
    # alignment 1 … 7 has the mean 4, aesthetic 2 for all; of tracks (1 + 2)/2 … (7 + 2)/2, overall 3; times ten
    found = reported(np.array([[float(track), 2.0] for track in range(1, 8)]))
    assert [found[track] for track in TRACKS] == pytest.approx([15, 20, 25, 30, 35, 40, 45])
    assert [found["alignment"], found["aesthetic"], found["overall"]] == pytest.approx([40, 20, 30])
    assert [found[f"{track}.alignment"] for track in TRACKS] == pytest.approx([10, 20, 30, 40, 50, 60, 70])
    assert len(found) == 1 + 2 + 7 + 14


def test_a_track_without_scores_leaves_only_what_it_counts_in_without_a_value() -> None:
    found = reported(np.array([[np.nan, 5.0]] + [[5.0, 5.0]] * 6))
    missing = {name for name, value in found.items() if np.isnan(value)}
    assert missing == {"overall", "alignment", TRACKS[0], f"{TRACKS[0]}.alignment"}


def boards() -> list[tuple[str, np.ndarray]]:
    """Every printed row: (7 tracks and overall) × (alignment, aesthetic, average)."""
    tables = json.loads(PRINTED.read_text())
    assert tuple(tables["tracks"]) == TRACKS
    return [
        (f"{table}, {model}", np.array(numbers).reshape(8, 3))
        for table, rows in tables["tables"].items()
        for model, numbers in rows.items()
    ]


def test_the_papers_four_tables_follow_from_their_means() -> None:
    rows = boards()
    assert len(rows) == 52 and len(AXES) == 2
    rounding = 0.05 + 1e-9
    inconsistent = []
    for name, printed in rows:
        found = reported(printed[:7, :2] / 10)
        tracks, axes = (np.array([found[part] for part in parts]) for parts in (TRACKS, AXES))
        assert np.abs(tracks - printed[:7, 2]).max() <= rounding, name
        assert np.abs(axes - printed[7, :2]).max() <= rounding, name
        assert abs(found["overall"] - printed[7, 2]) <= 0.1, name
        if abs(found["overall"] - printed[7, 2]) > rounding:
            inconsistent.append(name)
    # The paper averages its two rounded overall columns: 14 printed overall averages are not the true mean, rounded.
    assert len(inconsistent) == 14, inconsistent
