"""Metric files as charts want them: nothing of them is lost, and bars are as long as arithmetic says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gamut.project.errors import UserError
from gamut.project.files import read_metric_file
from gamut.report.dataset.figures import (
    WHOLE,
    Figure,
    Grid,
    Group,
    decimals_of,
    figure,
    figures_of,
    folded_sections,
    funnel,
    read_calibration,
    sections,
)


@pytest.mark.parametrize(
    ("value", "places"), [(3, 0), (0.5, 1), (4.731, 3), (0.965132, 4), (1.0, 1), (1e-07, 4), ("a word", 0)]
)
def test_a_number_keeps_the_decimals_that_it_has_up_to_four(value: float | str, places: int) -> None:
    assert decimals_of(value) == places


def test_bars_are_parts_of_the_largest_count_of_all_or_of_ten() -> None:
    def shares(found: dict[str, float | str]) -> list[float | None]:
        return [figure.share for figure in figures_of(found, "a.")]

    assert shares({"kept": 40, "clarity": 10}) == [100, 25]
    assert shares({"legible": 0.25, "build": 0.5}) == [25, 50]  # shares end at 1
    assert shares({"style": 2.5, "text": 5.0}) == [25, 50]  # scores end at 10
    assert shares({"words": 20.0, "characters": 80.0}) == [25, 100]
    assert shares({"none": 0, "nothing": 0}) == [0, 0]
    assert shares({"pictures": 2, "mean": 0.5}) == [None, None]  # of different kinds
    assert shares({"pictures": 2, "name": "x"}) == [None, None]


def test_every_number_of_a_file_has_its_key() -> None:
    found = {
        "total": 7,
        "flat": {"kept": 1, "left": 2},
        "deep": {"one": {"a": 1, "b": 2}, "other": {"b": 3}},
        "mixed": {"n": 1, "parts": {"x": 4}},
        "empty": {},
    }
    groups = list(sections(found))
    assert [group.title for group in groups] == ["figures", "flat", "deep", "mixed", "mixed.parts"]
    keys: dict[str, float | str] = {}
    for group in groups:
        of = (
            group.figures if isinstance(group, Group) else [figure for _, row in group.rows for figure in row if figure]
        )
        keys |= {figure.key: figure.value for figure in of}
    flat = {"total": 7, "flat.kept": 1, "flat.left": 2, "deep.one.a": 1, "deep.one.b": 2, "deep.other.b": 3}
    assert keys == flat | {"mixed.n": 1, "mixed.parts.x": 4}
    deep = groups[2]
    assert isinstance(deep, Grid) and deep.columns == ["a", "b"]
    assert deep.rows[1] == ("other", [None, Figure("deep.other.b", "b", 3, 0)])


def test_the_funnel_goes_on_without_the_steps_that_are_missing() -> None:
    found = {"source_rows": {"ok": 200}, "prompts": {"kept": 150}, "release": {"pictures": 50}, "select": "?"}
    assert [(step.key, step.share) for step in funnel(found)] == [
        ("source_rows.ok", 100.0),
        ("prompts.kept", 75.0),
        ("release.pictures", 25.0),
    ]
    assert funnel({}) == []


def test_damaged_files_are_named(tmp_path: Path) -> None:
    path = tmp_path / "dataset.json"
    assert read_metric_file(path) == {}
    for content in ("[]", "{", "\udcff", '{"a": NaN}', '{"a": {"b": 1e400}}', '{"a": [1]}', "[" * 100_000):
        path.write_bytes(content.encode("utf-8", "surrogateescape"))
        with pytest.raises(UserError, match=r"dataset\.json is not a metric file: delete it"):
            read_metric_file(path)
    path.write_text(json.dumps({"clarity": 1}))
    with pytest.raises(UserError, match="no metrics of filters"):
        read_calibration(path)


def test_tables_whose_rows_all_are_ok_stand_together() -> None:
    found = {"rewrite": {"ok": 3}, "score": {"ok": 2, "unsupported": 1}, "seeds": {"kept": 5}, "align": {"ok": 4}}
    *others, whole = folded_sections(found)
    assert [one.title for one in others] == ["score", "seeds"]
    assert isinstance(whole, Group) and whole.title == WHOLE
    assert [(one.key, one.label, one.share) for one in whole.figures] == [
        ("rewrite.ok", "rewrite", None),
        ("align.ok", "align", None),
    ]
    assert folded_sections({}) == []


def test_shares_are_in_percent_and_bars_say_their_scale() -> None:
    """A mean score may be below 1, too."""
    found = {
        "keep_rate": {"admit": 0.3167, "all": 1.0},
        "mean_score": {"style": 0.5, "text": 4.0},
        "low": {"a": 0.5, "b": 0.25},
        "words": {"mean": 20.5},
        "novelty": {"prompts": 6, "share_near_another": 0.125},
    }
    groups = {one.title: one for one in folded_sections(found) if isinstance(one, Group)}
    assert {name: one.scale for name, one in groups.items()} == {
        "keep rate": "0 to 100 %",
        "mean score": "0 to 10",
        "low": "",
        "words": "",
        "novelty": "",
    }
    percent = {one.key for group in groups.values() for one in group.figures if one.percent}
    assert percent == {"keep_rate.admit", "keep_rate.all", "novelty.share_near_another"}
    assert (
        figure("clarity.candidate_precision_low", "x", 0.9).percent and not figure("clarity.threshold", "x", 1).percent
    )
