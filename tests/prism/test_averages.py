"""Averages by hand, and those that the paper prints of four boards."""

from __future__ import annotations

import json

import numpy as np
import pytest

from stages.evaluation.defining.measures import Linear
from stages.evaluation.scoring.values import combined
from stages.prism.shared.benchmark import PRISM
from stages.prism.shared.items import AXES, TRACKS
from tests import fakes
from tests.paths import DATA

PRINTED = DATA / "tables" / "prism.json"


def reported(means: np.ndarray) -> dict[str, float]:
    """What is reported of means 0..10, shape (tracks, axes)."""
    [view, *_] = PRISM.views_of(fakes.params())
    found = {name: one.factors for name, one in view.reported.items() if isinstance(one, Linear)}
    return {name: float(combined(means.reshape(-1), factors)) for name, factors in found.items()}


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
