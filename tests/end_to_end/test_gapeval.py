"""GapEval in a clone, by the real `dvc`: construction, review, edition, judge, boards."""

from __future__ import annotations

from tests.end_to_end.construction_story import Story

CELLS = {
    f"gapeval/dvc.yaml:{cell}"
    for cell in ("answer@torn", "judge@torn-world", "answer@writer", "judge@writer-world", "board")
}


def test_it_is_constructed_and_measured(constructed: Story) -> None:
    assert constructed.ran("gapeval") == CELLS
    assert "4 of 4 are proposed, left out: none" in constructed.constructed


def test_one_setting_alone_has_no_gap(constructed: Story) -> None:
    """Who only writes stands on the board of its setting, and on no other."""
    found = constructed.metrics("gapeval/v1/board")
    assert [found[f"both_settings.world.torn.{name}"] for name in ("succ", "und", "gen", "fail")] == [0, 100, 0, 0]
    assert found["both_settings.world.torn.gap"] > 70
    assert found["und.world.writer.overall"] == 100
    assert not [key for key in found if ".writer." in key and not key.startswith("und.")]
