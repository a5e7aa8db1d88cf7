"""GENIUS in a clone, by the real `dvc`: construction, review, edition, judge, boards; again, the same bytes."""

from __future__ import annotations

from pathlib import Path

from tests.end_to_end.construction_story import Story, again_without_dvc, made_of

CELLS = {
    f"genius/dvc.yaml:{cell}"
    for cell in ("answer@editor", "judge@editor-world", "answer@reader", "judge@reader-world", "board")
}


def test_it_is_constructed_and_measured(constructed: Story) -> None:
    assert constructed.ran("genius") == CELLS
    assert "20 of 20 are proposed, left out: none" in constructed.constructed


def test_again_without_dvc_it_is_the_same(constructed: Story, tmp_path: Path) -> None:
    one = made_of("genius", constructed.project)
    other = made_of("genius", again_without_dvc("genius", constructed, tmp_path / "project"))
    assert {Path(name).suffix for name in one} >= {".jsonl", ".parquet", ".json", ".csv"}
    assert one.keys() <= other.keys() and [name for name in one if one[name] != other[name]] == []


def test_all_are_ranked_together_however_they_were_put_to_it(constructed: Story) -> None:
    found = constructed.metrics("genius/v1/board")
    remarks = (constructed.project.folder / "metrics/genius/v1/plots/remarks.csv").read_text()
    assert "in setting edit, without interleaved: editor" in remarks
    assert found["main.world.editor.overall"] > 90 > 80 > found["main.world.reader.overall"]
    assert (found["main.world.editor.rank_worst"], found["main.world.reader.rank_best"]) == (1, 2)
    assert found["main.world.editor.coverage"] == found["main.world.reader.coverage"] == 1


def test_who_was_not_put_to_a_setting_has_no_row_of_it(constructed: Story) -> None:
    found = constructed.metrics("genius/v1/board")
    assert {key.split(".")[0] for key in found if ".editor." in key} == {"main", "edit"}
    assert {key.split(".")[0] for key in found if ".reader." in key} == {
        "main", "interleaved", "edit", "edit_over_interleaved", "probe", "execution_gap"
    }  # fmt: skip


def test_who_knows_and_paints_is_told(constructed: Story) -> None:
    """`reader` chooses a wrong option of every probe."""
    found = constructed.metrics("genius/v1/board")
    own = {name: found[f"execution_gap.world.reader.{name}"] for name in ("both", "gap", "known", "coverage")}
    assert own["gap"] == own["known"] - own["both"] and own["coverage"] == 1 and own["known"] == 0
