"""AEGIS in a clone, by the real `dvc`: construction, review, edition, boards."""

from __future__ import annotations

import pytest

from tests.end_to_end.construction_story import REWRITERS, Story
from tests.end_to_end.test_leaderboard import CONTESTANTS, running

CONSTRUCTION = {f"editions/dvc.yaml:aegis_{stage}@v1" for stage in ("draft", "checklists", "propose")}
MEASURING = {"aegis/dvc.yaml:board"}
MEASURING |= {f"aegis/dvc.yaml:rewrite@{one}" for one in REWRITERS}
MEASURING |= {
    f"aegis/dvc.yaml:{cell}@{one}{end}" for one in CONTESTANTS for cell, end in (("answer", ""), ("judge", "-world"))
}
ITEMS = 4


def test_it_is_constructed(constructed: Story) -> None:
    said = constructed.constructed
    assert running(said) >= CONSTRUCTION
    assert f"aegis.propose@v1: {ITEMS} of {ITEMS} are proposed, left out: none" in said
    figures = constructed.metrics("editions/aegis/v1/construction")
    assert figures["items"] == ITEMS and figures["keywords.covered"] == 100
    found = constructed.metrics("editions/aegis/v1/checklists")
    assert found["items"] == ITEMS and found["questions.written"] > found["questions.removed.asked_before"]


def test_contestants_are_measured_in_all_forms_of_the_prompts(constructed: Story) -> None:
    """Each is put to the raw prompts, the clear ones, and those of the world; one also to what it rewrote itself."""
    assert constructed.ran("aegis") == MEASURING
    asked = constructed.project.asked()
    assert asked["aegis.answer@careful"] == asked["aegis.judge@careful-world"] == 3 * ITEMS
    assert asked["aegis.answer@hasty"] == asked["aegis.judge@hasty-world"] == 4 * ITEMS
    assert asked["aegis.rewrite@models.world"] == asked["aegis.rewrite@contestants.hasty"] == ITEMS
    found = constructed.metrics("aegis/v1/board")
    for setting in ("raw", "clear", "by_world"):
        start = f"{setting}.world."
        assert found[f"{start}careful.overall"] == 100 > found[f"{start}hasty.overall"]
        assert found[f"{start}control_reference.overall"] == 100 and found[f"{start}control_blank.overall"] == 0
        assert found[f"{start}careful.coverage"] == 1
        # four items, all of them told apart, may be so by chance with p = 2 / 2 ** 4: too few to try a judge by
        assert found[f"{start}validation.blank.drop"] == 100 and f"{start}validation.passed" not in found
    assert "by_itself.world.hasty.overall" in found
    assert not any(key.startswith("by_itself.world.careful") for key in found)
    gained = found["clear.world.hasty.overall"] - found["raw.world.hasty.overall"]
    assert found["clear_over_raw.world.hasty.gain"] == pytest.approx(gained, abs=0.002)
