"""Boards with known truth, no rendering: a 95 % interval holds the truth in about 95 % of them, whatever the tracks."""

from __future__ import annotations

import pytest

from tests.evaluation.scoring.statistics.known_boards import FAULTS, held


@pytest.mark.parametrize(("tracks", "missing"), [([100], 0.0), ([40, 25, 15, 10, 6, 4, 3], 0.3)], ids=["one", "unlike"])
def test_intervals_hold_the_truth_as_often_as_they_say(tracks: list[int], missing: float) -> None:
    """400 boards, their seed fixed before any share was looked at: three standard errors are 3 · √(.95 · .05 / 400) =
    3.3 %. bench/coverage.py takes more boards and layouts.
    """
    found = held("graded", tracks, missing, boards=400, seed=2026)
    assert all(0.917 <= share <= 0.983 for share in found), found


@pytest.mark.parametrize("kind", FAULTS)
def test_they_hold_where_nearly_all_is_right(kind: str) -> None:
    """With 2 % of faults a third of the boards of 56 have none, and of those that have, few items tell."""
    found = held(kind, [40, 25, 15, 10, 6, 4, 3], 0.0, boards=300, seed=2026)
    assert all(share >= 0.93 for share in found), found
