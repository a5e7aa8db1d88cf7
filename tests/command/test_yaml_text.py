"""A YAML text with values, blocks or names put into it, and all else as a person wrote it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamut.command.yaml_text import flow_value, with_blocks, with_members, with_values
from gamut.project.errors import UserError
from gamut.project.validation import parse_yaml

PARAMS = Path("params.yaml")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a: 1", "a: 1\ncontestants:\n  new: {a: 1}\n"),
        ("contestants: {} # none\nb: 1\n", "contestants:  # none\n  new: {a: 1}\nb: 1\n"),
        ("contestants:\nb: 1\n", "contestants:\n  new: {a: 1}\nb: 1\n"),
        (
            "contestants:\n    x: {b: [1,\n      2]} # two\n",
            "contestants:\n    x: {b: [1,\n      2]} # two\n    new: {a: 1}\n",
        ),
        (
            "contestants:\n  x:\n    b: |\n      c\n\n# end\nd: 1\n",
            "contestants:\n  x:\n    b: |\n      c\n  new: {a: 1}\n\n# end\nd: 1\n",
        ),
        ("contestants:\r\n  x: {b: 1}\r\n", "contestants:\r\n  x: {b: 1}\r\n  new: {a: 1}\r\n"),
    ],
)
def test_blocks_are_put_behind_the_last_one(text: str, wanted: str) -> None:
    found = with_blocks(PARAMS, text, "contestants", {"new": {"a": 1}})
    assert parse_yaml(found) == parse_yaml(wanted)
    assert found.replace("new:\n", "new: {a: 1}\n").count("#") == text.count("#")


@pytest.mark.parametrize("text", ["contestants: {x: {b: 1}}\n", "x: &x {y: 1}\ncontestants: *x\n"])
def test_what_cannot_be_put_in_is_left_to_a_person(text: str) -> None:
    with pytest.raises(UserError, match=r"^params.yaml: contestants "):
        with_blocks(PARAMS, text, "contestants", {"new": {"a": 1}})


def test_a_shared_value_is_not_changed() -> None:
    text = "a: {revision: &it one}\nb: {revision: *it}\n"
    with pytest.raises(UserError, match=r"cannot be changed without changing more"):
        with_values(PARAMS, text, {("b", "revision"): "two"})
    with pytest.raises(UserError, match=r"^params.yaml: b.revision has no line of its own"):
        with_values(PARAMS, "a: &it {revision: one}\nb: {<<: *it}\n", {("b", "revision"): "two"})
    assert with_values(PARAMS, "a: {r: 'one'} # it\n", {("a", "r"): "two"}) == "a: {r: two} # it\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("b: {on: [one]} # who\n", 'b: {on: [two, "3"]} # who\n'),
        ("b:\n  on: # who\n  - one\n\n  # more\n  z: 1\n", 'b:\n  on: # who\n  - two\n  - "3"\n\n  # more\n  z: 1\n'),
        ("b:\n  on:\n    - one\n    - four", 'b:\n  on:\n    - two\n    - "3"'),
    ],
)
def test_a_list_is_changed_as_it_stood(text: str, found: str) -> None:
    assert with_values(PARAMS, text, {("b", "on"): ["two", "3"]}) == found


def test_a_list_with_comments_between_its_members_is_left_to_a_person() -> None:
    with pytest.raises(UserError, match=r"^params.yaml: b.on cannot be changed"):
        with_values(PARAMS, "b:\n  on:\n  - one # who\n  - four\n", {("b", "on"): ["two"]})


@settings(max_examples=10)
@given(
    st.dictionaries(st.text("ab_0", min_size=1), st.one_of(st.none(), st.text(), st.integers(), st.lists(st.text())))
)
def test_any_block_comes_as_it_is(values: dict[str, Any]) -> None:
    found = with_blocks(PARAMS, "contestants:\n  x:\n    y: 1\n", "contestants", {"new": {"m": values}})
    assert parse_yaml(found)["contestants"]["new"] == {"m": values}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("b:\n  on: [one]  # who\n  z: 1\n", "b:\n  on: [one, new]  # who\n  z: 1\n"),
        ("b:\n  on: []\n", "b:\n  on: [new]\n"),
        ("b:\n  on:\n  - one # who\n  z: 1\n", "b:\n  on:\n  - one # who\n  - new\n  z: 1\n"),
        ("b:\n  on:\n    - one", "b:\n  on:\n    - one\n    - new\n"),
    ],
)
def test_a_name_comes_to_the_end_of_a_list(text: str, found: str) -> None:
    assert with_members(PARAMS, text, {("b", "on"): ["new"]}) == found


def test_a_name_comes_into_no_list_that_stands_elsewhere() -> None:
    for text in ("a: &one [x]\nb: {on: *one}\n", "b: {on: null}\n", "b: {}\n"):
        with pytest.raises(UserError, match="by hand"):
            with_members(PARAMS, text, {("b", "on"): ["new"]})


def test_values_in_braces() -> None:
    assert flow_value({"a": [1, "0.1.0", None]}) == '{a: [1, "0.1.0", null]}' and flow_value(None) == "null"
