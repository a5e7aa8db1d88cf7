"""Checklists in lines: what is written is read the same, and what cannot be read is named."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamut.evaluation.construction.checklist_lines import (
    Line,
    duplicate_questions,
    format_line,
    parse_line,
    read_checklist,
)

TEXT = (
    (st.text(st.sampled_from("ab |?[],N"), min_size=1) | st.text(min_size=1))
    .map(lambda text: " ".join(text.split()))
    .filter(bool)
)
LINES = st.builds(Line, st.sampled_from(["text", "image", "consistency"]), TEXT, st.booleans(), st.none() | TEXT)


@settings(max_examples=20)
@given(st.lists(LINES, min_size=1, max_size=4))
def test_what_is_written_is_read_the_same(lines: list[Line]) -> None:
    assert read_checklist("\n".join(map(format_line, lines))) == lines
    assert [parse_line(f"  {format_line(line)}\r") for line in lines] == lines


def test_lines_are_plain() -> None:
    assert (
        format_line(Line("image", "Are there two\n red cars?", False, "two  cars"))
        == "[Image] Are there two red cars? | two cars"
    )
    assert format_line(Line("text", "Is a|b or a | b wrong?", True)) == "[Text, N is right] Is a||b or a || b wrong?"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n \n", "there are no questions"),
        ("[Image] Is it?\nIs it?", "line 2: 'Is it?' does not look like `[Image] Does"),
        ("[Imgae] Is it?", "line 1: '[Imgae] Is it?' does not look like"),
        ("[Image] Is it? |", "line 1: '[Image] Is it? |' does not look like"),
        ("[Image] Is it a|b? | a fox", "line 1: '[Image] Is it a|b? | a fox' has more than one keyword: write a bar"),
    ],
)
def test_what_is_no_line_is_named(text: str, said: str) -> None:
    with pytest.raises(ValueError) as error:
        read_checklist(text)
    assert str(error.value).startswith(said)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Is the car red?", "is a car  red", True),
        ("[Image] Is the car red?", "[Text] Is the car red?", False),
        ("Is the car red?", "Is the car not red?", False),
        ("Does it pass (-2, -1)?", "Does it pass (2, 1)?", False),
        ("Is there an edge from A to B?", "Is there an edge from B to A?", False),
        ("图中有两辆红车吗？", "图中有两辆红车吗？", True),
        ("图中有两辆红车吗？", "图中有两辆蓝车吗？", False),
    ],
)
def test_duplicates(one: str, other: str, same: bool) -> None:
    assert duplicate_questions([one, "Is there a tree?", other, one]) == ([(0, 2), (0, 3)] if same else [(0, 3)])
