"""Published riddles in every spelling of groups, colours, ends of relations and numbers that is understood."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.evaluation.curating.entries import NoItemError
from stages.evaluation.curating.findings import Findings
from stages.gir.published.files import plain
from stages.gir.published.t2i import quantity_of, spatial_of

NAMES = st.sampled_from(("car", "red car", "tree", "", "left", 0, 1, None, ["car"], ["car", "tree"], {"a": "car"}))
ENDS = st.lists(NAMES, max_size=3)


def spatial(objects: Any, subject: Any, direction: Any, thing: Any, colors: Any = None) -> dict[str, Any]:
    """What the item of one relation has."""
    relation = {"subject": subject, "direction": direction, "object": thing}
    task = {"objects": objects, "relative_position": [relation]} | ({} if colors is None else {"colors": colors})
    return spatial_of({"task": task}, Findings("SpatialLayout/1"))


@pytest.mark.parametrize(
    ("objects", "colors", "subject"),
    [
        (["car", "tree", "dog"], None, "car"),
        (["car", "tree", "dog"], [], 0),
        (["car", "tree", "dog"], [None, "", None], ["car"]),
        (["car", ["tree", "dog"]], None, "car"),
        ([["car"], ["tree", "dog"]], [["", None], [""]], "car"),
        ({"first": ["car"], "second": ["tree", "dog"]}, None, "first"),
        ({"first": "car", "second": ["tree", "dog"]}, None, "car"),
        (["  car ", "tree", "dog"], None, "car"),
    ],
)
def test_things_are_named_in_many_ways(objects: Any, colors: Any, subject: Any) -> None:
    assert spatial(objects, subject, "left", ["tree", "dog"], colors) == {
        "objects": ["car", "tree", "dog"],
        "relations": [{"subject": ("car",), "direction": "left", "object": ("tree", "dog")}],
    }


def test_a_group_may_be_named_by_a_mapping() -> None:
    found = spatial({"fruit": ["apple", "pear"], "beasts": ["cat"]}, "fruit", "above", "beasts", ["red", "green", ""])
    assert found["objects"] == ["red apple", "green pear", "cat"]
    assert found["relations"] == [{"subject": ("red apple", "green pear"), "direction": "above", "object": ("cat",)}]


def test_things_of_one_name_are_told_by_their_colours() -> None:
    found = spatial(["car", "car"], "red car", "left", 1, ["red", "blue"])
    assert found["relations"] == [{"subject": ("red car",), "direction": "left", "object": ("blue car",)}]
    with pytest.raises(NoItemError, match="'car', of which there are 2"):
        spatial(["car", "car"], "car", "left", "blue car", ["red", "blue"])


@pytest.mark.parametrize(
    ("said", "meant"), [("up", "above"), ("Down", "below"), ("to_the_left of", "left"), ("RIGHT", "right")]
)
def test_directions_are_those_that_are_meant_and_it_is_told(said: str, meant: str) -> None:
    findings = Findings("SpatialLayout/1")
    relation = {"subject": "a", "direction": said, "object": "b"}
    found = spatial_of({"task": {"objects": ["a", "b"], "relative_position": [relation]}}, findings)
    assert found["relations"][0]["direction"] == meant
    assert [(one.defect, one.found, one.fix) for one in findings] == [("term", said, meant)]


def test_numbers_are_taken_for_what_they_are_and_it_is_told() -> None:
    findings = Findings("NumericalReasoning/1")
    task = {"objects": ["a", "b", "c"], "number": [0, 3.0, " 4"]}
    assert quantity_of({"task": task}, findings) == {"objects": ["a", "b", "c"], "numbers": [0, 3, 4]}
    assert [(one.field, one.fix) for one in findings] == [("task.number.1", 3), ("task.number.2", 4)]


@given(ENDS, NAMES, NAMES, st.none() | st.lists(st.sampled_from(("red", "", None, 3)), max_size=3))
def test_a_riddle_is_understood_or_named(objects: Any, subject: Any, thing: Any, colors: Any) -> None:
    try:
        found = spatial(objects, subject, "left", thing, colors)
    except NoItemError as error:
        assert error.finding[0].startswith("task.")
    else:
        [relation] = found["relations"]
        assert {*relation["subject"], *relation["object"]} <= {*found["objects"]}


@pytest.mark.parametrize(("id", "same"), [(7, "7"), ("007", "7"), ("0", "0"), ("000", "0"), ("a07", "a07"), ("٧", "٧")])
def test_ids_are_compared_without_leading_zeros(id: object, same: str) -> None:
    assert plain(id) == same == plain(plain(id))
