"""What rules on words find in a checklist: questions turned around, two in one, asked twice."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.evaluation.checklists import compound, duplicates, inverted


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("[Text] Does the response incorrectly claim that a player is offside?", True),
        ("Does the response avoid incorrectly naming the fox?", False),
        ("Does the image show a carriage, which would be incorrect?", True),
        ("Does the text state that the pilot wrongly pulled up?", False),
        ("Does the text say 'incorrectly set'?", False),
        ("Does the response fail to name a painting?", True),
        ("Are there any visual artifacts around the hole?", True),
        ("Are there not any visible seams around the new face?", False),
        ("Is the face free of artifacts, smudges and errors?", False),
        ("Does the image use any colors other than red and blue?", True),
        ("Does the image avoid any colors other than red and blue?", False),
        ("Are the faces of any other jurors excluded?", False),
        ("Has any other part of the coat been altered?", True),
        ("Has the crack in the wall been removed without distortion?", False),
        ("Has the required logo not been added?", True),
        ("Has the logo not been removed, matching the reference?", False),
        ("Is the person in the picture not a soldier?", False),
        ("Isn't the car red?", False),
        ("Does the screen show an error message?", False),
        ("Does the sign correctly omit the label?", False),
        ("Do any two neighbouring regions that touch have the same color?", True),
        ("Is the third wheel missing?", True),
        ("Is the missing wheel drawn?", False),
        ("Does it show the supernova remnant?", False),
        ("Does the answer contain statements that are demonstrably false?", True),
        ("Does the answer contain details that are not in the reference?", True),
        ("Are there fish that are not in the original photo?", False),
        ("Is the bridge absent from the answer?", True),
        ("Is the arrow completely absent from the edited image?", False),
        ("Are things other than the boat altered?", True),
        ("Does the hand look deformed?", True),
        ("Does the answer explain why the two are often confused?", False),
        ("Does the response identify the error in the proof?", False),
        ("Are there any remnants of the wolf not in the output image?", False),
        ("Does the entity lack a solid body?", False),
        ("Does the answer lack a conclusion?", True),
    ],
)
def test_inverted(question: str, expected: bool) -> None:
    assert inverted(question) is expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Is there an arrow from 0 to 1, and is it labeled 0.3?", True),
        ("Does the text name the bridge and state its length?", True),
        ("Does the text state that it rains and that the river swells?", True),
        ("Is the left man on fire, while the right man is not?", True),
        ("Is the label 'egg' added and placed near the pond?", True),
        ("Is the car red? Does it have four doors?", True),
        ("Does the image show a red car and a dog?", False),
        ("Does the sign read 'stop and does it'?", False),
        ("Is one man shown leaning back while holding a bag?", False),
        ("Does the text tell how to mix and use the glue?", False),
    ],
)
def test_compound(question: str, expected: bool) -> None:
    assert compound(question) is expected


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Is the car red?", "is the car  red", True),
        ("Does the image show a red car?", "Is the car red?", True),
        ("[Image] Is the car red?", "[Text] Is the car red?", False),
        ("Is the car red?", "Is the car not red?", False),
        ("Does it pass (-2, -1)?", "Does it pass (2, 1)?", False),
        ("Is the first box of the second row marked?", "Is the second box of the first row marked?", False),
        ("Is there an edge from A to B?", "Is there an edge from B to A?", False),
        ("Does the text name Max and then Ida?", "Does the text name Ida and then Max?", False),
        ("图中有两辆红车吗？", "图中有两辆红车吗？", True),
        ("图中有两辆红车吗？", "图中有两辆蓝车吗？", False),
        ("Is it?", "Does it?", False),
    ],
)
def test_duplicates(one: str, other: str, same: bool) -> None:
    assert duplicates([one, "Is there a tree?", other]) == ([(0, 2)] if same else [])


def test_each_duplicate_is_told_with_the_first() -> None:
    assert duplicates(["Is it red?", "Is it red?", "Is it green?", "is it red?"]) == [(0, 1), (0, 3)]
    assert duplicates([]) == []


@given(st.text())
def test_any_text_can_be_looked_at(text: str) -> None:
    assert inverted(text) in (True, False) and compound(text) in (True, False)
    assert duplicates([text, text]) == [(0, 1)]


@pytest.mark.parametrize("piece", ["does any ", "are there any a, ", "'", "((", "has any other that and ", "not "])
def test_long_texts_take_no_time(piece: str) -> None:
    before = time.process_time()
    text = f"does the {piece * 100_000}"
    inverted(text), compound(text), duplicates([text, text])
    assert time.process_time() - before < 1
