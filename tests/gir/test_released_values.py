"""Released values of two contestants and six riddles by hand, and of jigsaws by their features."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from gamut.asking.requests import pack_vector
from gamut.project.errors import UserError
from gamut.tables.columns import Row
from stages.gir.released import released, released_metrics, set_distances, sets_of
from tests.gir.small_tables import params_of, write_edition, write_tables


def both(measure: str, ours: float | None, theirs: float | None) -> dict[str, float | None]:
    return {measure: ours, f"{measure}_released": theirs}


GOOD = {
    "q0": {"counts": 1},
    "q1": {"counts": 1},
    "s0": {"places": 1, "relations": 1},
    "s1": None,
    "t0": both("words", 1, 0.5),
    "t1": both("words", None, None),
}


def test_what_is_missing_is_left_out_and_counted(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_edition()
    write_tables("good", GOOD)
    write_tables("poor", dict.fromkeys(GOOD))
    released(params_of())
    found = json.loads(Path("metrics/gir/v1/released.json").read_text())
    # of words one of two was read. Of counts and places the scripts ask something else, so there is no overall
    assert found == {
        "t2i.observers.good.text": 50,
        "t2i.observers.good.text_n": 1,
        "t2i.observers.good.text_missing": 1,
        "t2i.observers.poor.text_n": 0,  # who answers nothing has no value
        "t2i.observers.poor.text_missing": 2,
    }
    assert capsys.readouterr().out.splitlines() == [
        "gir.board: good, t2i, observers: text 50.0 (of 1)",
        "gir.board: poor, t2i, observers: nothing was observed",
    ]


TASKS = {f"j{n}": "jigsaw" for n in range(3)}
CORNERS = np.array([[1, 0], [0, 1], [-1, 0]], np.float32)


def embedded(answers: Sequence[Sequence[float]], solutions: Sequence[Sequence[float]]) -> list[Row]:
    """Rows of measure `features`, of items j0, j1 and so on."""
    return [
        {
            "setting": "edit",
            "item": f"j{n}",
            "question": "features",
            "value": 1.0,
            "status": "ok",
            "replies": [{"content": pack_vector(np.array(one, np.float32)).decode()} for one in pair],
        }
        for n, pair in enumerate(zip(answers, solutions, strict=True))
    ]


def test_a_jigsaw_is_scored_by_the_distance_of_all_from_all() -> None:
    """Moved by (3, 4) with the same spread a set is 25 away: exp(-25 / 60). The order makes no difference."""
    rows = embedded((CORNERS + np.array([3, 4], np.float32))[::-1], CORNERS)
    found = released_metrics(rows, TASKS, {("edit", "jigsaw"): 4}, inception=True)["edit"]
    assert found["jigsaw_fid"] == pytest.approx(25, abs=1e-5)
    assert found["jigsaw"] == pytest.approx(100 * math.exp(-25 / 60), abs=1e-3)
    assert found["jigsaw_n"] == 3 and found["jigsaw_missing"] == 1 and found["jigsaw_kid"] > 0
    assert "overall" not in found
    same = released_metrics(embedded(CORNERS[::-1], CORNERS), TASKS, {("edit", "jigsaw"): 3}, inception=True)["edit"]
    assert same["jigsaw_fid"] == pytest.approx(0, abs=1e-5) and same["jigsaw"] == pytest.approx(100, abs=1e-3)


def test_of_other_features_the_distance_is_no_fid() -> None:
    found = released_metrics(embedded(CORNERS, CORNERS), TASKS, {("edit", "jigsaw"): 3}, inception=False)["edit"]
    assert found.keys() == {"jigsaw_n", "jigsaw_missing", "jigsaw_distance", "jigsaw_kernel_distance"}


def test_overalls_as_printed() -> None:
    """Of edits (100 exp(-25 / 60) + 50 + 30) / 3 = 48.641; of entities (30 + 20 + 40) / 3 = 30, by description; by name
    there is none of geography, and so no mean of all.
    """
    tasks = TASKS | {"s": "sudoku", "p": "perception", "z": "zoology", "b": "botany", "g": "geography"}
    values = {"s": ("edit", "digits", 0.5), "p": ("edit", "region", 0.3)}
    values |= {item: ("prompt", "similarity", value) for item, value in (("z", 0.3), ("b", 0.2), ("g", 0.4))}
    rows = embedded(CORNERS + np.array([3, 4], np.float32), CORNERS)
    rows += [
        {
            "setting": setting,
            "item": item,
            "question": f"{measure}_released",
            "value": value,
            "status": "ok",
            "replies": [],
        }
        for item, (setting, measure, value) in values.items()
    ]
    rows += [row | {"setting": "category"} for row in rows if row["item"] in "zb"]
    settings = ("edit", tasks.keys() - {*"zbg"}), ("prompt", "zbg"), ("category", "zbg")
    asked = {(setting, tasks[item]): 1 for setting, items in settings for item in sorted(items)}
    found = released_metrics(rows, tasks, asked, inception=True)
    assert (found["edit"]["overall"], found["prompt"]["overall"]) == (48.641, 30)
    assert (found["category"]["zoology"], found["category"].get("overall")) == (30, None)


@pytest.mark.parametrize("n", [0, 1])
def test_of_fewer_than_two_pictures_there_is_no_distance(n: int) -> None:
    assert set_distances(sets_of(embedded(CORNERS[:n], CORNERS[:n])), inception=True) == {}


def test_two_samples_of_one_item_have_one_solution() -> None:
    rows = embedded(CORNERS[:2], CORNERS[:2])
    rows[1]["item"] = "j0"
    assert [len(one) for one in sets_of(rows)] == [2, 1]
    assert set_distances(sets_of(rows), inception=True) == {}


@pytest.mark.parametrize("contents", [[], ["AACAPw=="], ["AACAPw==", None], ["AACAPw=="] * 3])
def test_features_without_two_vectors_are_a_line(contents: Sequence[str | None]) -> None:
    [row] = embedded(CORNERS[:1], CORNERS[:1])
    row["replies"] = [{"content": content} for content in contents]
    with pytest.raises(UserError, match="item 'j0': it needs two vectors"):
        sets_of([row])


def test_features_of_two_embedders_are_a_line() -> None:
    other = embedded([[1, 0, 0]], [[0, 1, 0]])
    with pytest.raises(UserError, match="'j0': one embedder gave 3 and 2 features: run `dvc repro`"):
        sets_of([*embedded(CORNERS, CORNERS), *other])
