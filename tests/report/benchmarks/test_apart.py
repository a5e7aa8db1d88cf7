"""Which item the first page shows of a board, by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gamut.report.benchmarks.apart import farthest_apart
from gamut.report.benchmarks.item_scores import Score
from gamut.report.benchmarks.items import Entry, Index
from gamut.report.site.thumbnails import Thumbnail

METRIC = SimpleNamespace(name="both", settings=("en", "zh"), by="")


def shown(scores: dict[str, list[tuple[int, str, float | None]]], *unpainted: str) -> Any:
    """What is shown where contestants, in the board's order, have scores of items 0.. in settings by judge `j`."""
    items = [SimpleNamespace(id=f"track/{n}", prompt=f"Paint\n{n}") for n in range(3)]
    results = SimpleNamespace(
        benchmark=SimpleNamespace(headline=lambda params: (METRIC, "j")),
        params=None,
        items=items,
        judges=["j"],
        board={f"both.j.{name}.coverage": 1 for name in ("control_blank", *scores)},
    )
    index = Index()
    for name, own in scores.items():
        for n, setting, least in own:
            picture = Thumbnail(why="is none") if name in unpainted else Thumbnail(f"pictures/{name}{n}.jpg", 2, 1)
            index.entries.setdefault(name, []).append(Entry(n, setting, 0, "ok", "", picture, 0))
            index.scores.setdefault(f"track/{n}", {})[setting, "j", name] = Score(setting, "j", name, least, least)
    return farthest_apart(results, index)  # type: ignore[arg-type]


def test_the_item_on_which_contestants_lie_farthest_apart_the_best_first() -> None:
    found = shown({"a": [(0, "en", 50), (1, "en", 20), (1, "zh", 0)], "b": [(0, "en", 60), (1, "en", 90)]})
    assert (found["item"], found["prompt"]) == ("track/1", "Paint 1")  # 90 - 20 = 70, of item 0 it is 10
    assert found["page"].startswith("items/track-1-")
    assert [(one["contestant"], one["score"], one["path"], one["anchor"]) for one in found["answers"]] == [
        ("b", 90, "pictures/b1.jpg", "en--b"),
        ("a", 20, "pictures/a1.jpg", "en--a"),
    ]


def test_of_equal_ones_that_with_more_pictures_then_the_first() -> None:
    found = shown({"a": [(0, "en", 100), (2, "en", 100)], "b": [(0, "en", 0), (2, "en", 0)], "c": [(2, "en", 40)]})
    assert found["item"] == "track/2" and len(found["answers"]) == 3
    assert shown({"a": [(1, "zh", 5), (0, "zh", 5), (0, "en", 5)]})["item"] == "track/0"
    assert shown({"a": [(1, "zh", 5), (0, "zh", 5), (0, "en", 5)]})["answers"][0]["anchor"] == "en--a"


def test_of_many_the_two_best_and_the_two_worst_of_those_on_the_card() -> None:
    found = shown({name: [(0, "en", 10 * n)] for n, name in enumerate("abcdefg")})
    assert [one["contestant"] for one in found["answers"]] == [*"feba"]  # g is seventh, and the card has six


def test_what_has_no_score_or_no_picture_is_not_shown() -> None:
    found = shown({"a": [(0, "en", 5), (1, "fr", 5)], "b": [(0, "en", None)], "c": [(0, "en", 0)]}, "c")
    assert [one["contestant"] for one in found["answers"]] == ["a"]
    assert shown({"a": [(0, "en", 5)]}, "a") is None is shown({})
