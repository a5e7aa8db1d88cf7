"""Averages by hand, and those that the paper prints of four boards."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from stages.prism.averages import AXES, TRACKS, averages

PRINTED = Path(__file__).resolve().parents[3] / "shared" / "data" / "tables" / "prism.json"


def test_by_hand() -> None:
    # alignment 10 … 70 has the mean 40; aesthetic 20 for all: track averages (10 + 20)/2 … (70 + 20)/2, overall 30
    means = np.array([[10.0 * track, 20.0] for track in range(1, 8)])
    found = averages(means)
    assert found.tracks.tolist() == [15, 20, 25, 30, 35, 40, 45]
    assert found.axes.tolist() == [40, 20] and found.overall == 30


def test_draws_are_averaged_one_by_one() -> None:
    draws = np.random.default_rng(0).uniform(0, 100, (5, 7, 2))
    together = averages(draws)
    for number, one in enumerate(averages(draw) for draw in draws):
        assert np.allclose(together.tracks[number], one.tracks) and np.allclose(together.axes[number], one.axes)
        assert together.overall[number] == pytest.approx(float(one.overall))


def boards() -> list[tuple[str, np.ndarray]]:
    """Every printed row: (7 tracks and overall) × (alignment, aesthetic, average)."""
    tables = json.loads(PRINTED.read_text())
    assert tuple(tables["tracks"]) == TRACKS
    return [
        (f"{table}, {model}", np.array(numbers).reshape(8, 3))
        for table, rows in tables["tables"].items()
        for model, numbers in rows.items()
    ]


@pytest.mark.skipif(not PRINTED.exists(), reason="prism.json is not beside this checkout")
def test_the_papers_four_tables_follow_from_their_means() -> None:
    rows = boards()
    assert len(rows) == 52 and len(AXES) == 2
    rounding = 0.05 + 1e-9
    inconsistent = []
    for name, printed in rows:
        found = averages(printed[:7, :2])
        assert np.abs(found.tracks - printed[:7, 2]).max() <= rounding, name
        assert np.abs(found.axes - printed[7, :2]).max() <= rounding, name
        assert abs(found.overall - printed[7, 2]) <= 0.1, name
        if abs(found.overall - printed[7, 2]) > rounding:
            inconsistent.append(name)
    # The paper averages its two rounded overall columns: 14 printed overall averages are not the true mean, rounded.
    assert len(inconsistent) == 14, inconsistent
