"""The world at problems in drawn pictures: it looks and answers as a contestant, and tells right from wrong."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from PIL import Image

from stages.gapeval.construction import choices, diagrams, levers, mirrors, runs, sequences, tanks
from stages.gapeval.construction.cases import Case
from stages.gapeval.construction.choices import Choice
from stages.sandbox.answering import Unsupported
from stages.sandbox.creator import create
from stages.sandbox.judge import answer
from stages.sandbox.outcomes import agrees


def tree(seed: int) -> Case:
    return diagrams.case_of(next(one for one in diagrams.diagrams(seed, 20) if one.what == diagrams.TREE))


def drawn(draw: Callable[[int, int], Any], case_of: Callable[[Any], Case]) -> Callable[[int], Case]:
    return lambda seed: case_of(next(draw(seed, 1)))


PROBLEMS: dict[str, Callable[[int], Case]] = {
    "choice": drawn(choices.choices, choices.case_of),
    "tree": tree,
    "balance": drawn(levers.levers, levers.case_of),
    "float": drawn(tanks.tanks, tanks.case_of),
    "ramp": drawn(runs.runs, runs.case_of),
    "mirror": drawn(mirrors.mirrors, mirrors.case_of),
    "sequence": drawn(sequences.sequences, sequences.case_of),
}


def in_words(case: Case, wrong: float = 0.0) -> str:
    [said] = create([case.question, *case.pictures], ("text",), 512, 512, 3, {"wrong_reasoning": wrong})
    assert isinstance(said, str)
    return said


def as_picture(case: Case, wrong: float = 0.0) -> bytes:
    [made] = create([case.prompt, *case.pictures], ("image",), 512, 512, 3, {"wrong_reasoning": wrong})
    assert isinstance(made, bytes)
    return made


def score(case: Case, side: str, given: str | bytes) -> object:
    enclosed = {
        "question": [case.question],
        "question_picture": list(case.pictures),
        "reference_text": [case.reference_text],
        "reference_picture": [case.reference],
        "answer": [given],
    }
    return answer(f"reasoning_{side}", {}, [], 0, enclosed)["score"]


def sent(picture: bytes, scale: float = 1.0, quality: int = 60) -> bytes:
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    out = io.BytesIO()
    image.resize((round(image.width * scale), round(image.height * scale))).save(out, "JPEG", quality=quality)
    return out.getvalue()


@pytest.mark.parametrize("name", PROBLEMS)
def test_what_the_world_answers_by_looking_is_right_in_words_and_as_a_picture(name: str) -> None:
    case = PROBLEMS[name](21)
    said, made = in_words(case), as_picture(case)
    assert said == case.reference_text or said.replace(" ", "") == case.reference_text.replace(" ", "")
    assert [score(case, "und", said), score(case, "gen", made)] == [1, 1]
    assert [score(case, "gen", sent(made)), score(case, "gen", sent(made, 0.5, 90))] == [1, 1]


@pytest.mark.parametrize("name", ["choice", "balance", "ramp", "mirror", "sequence"])
def test_at_a_rate_of_one_both_are_wrong_and_so_is_what_is_given(name: str) -> None:
    case = PROBLEMS[name](22)
    made = as_picture(case, 1.0)
    assert [score(case, "und", in_words(case, 1.0)), score(case, "gen", made), score(case, "gen", sent(made))] == [
        0
    ] * 3
    assert [score(case, "gen", picture) for picture in case.pictures] == [0] * len(case.pictures)
    assert [score(case, "und", case.reference_text), score(case, "gen", case.reference)] == [1, 1]


def test_the_reference_of_another_item_with_the_same_letter_is_wrong() -> None:
    one = choices.case_of(Choice("What is 2 times 3?", ("5", "6", "7", "8"), 1, ""))
    other = choices.case_of(Choice("What is 21 times 30?", ("500", "630", "70", "80"), 1, ""))
    assert [score(one, "und", other.reference_text), score(one, "gen", other.reference)] == [0, 0]


def test_a_box_in_another_colour_marks_as_well_and_two_boxes_mark_nothing() -> None:
    case = choices.case_of(Choice("What is 2 times 3?", ("5", "6", "7", "8"), 1, ""))
    page = Image.open(io.BytesIO(case.reference)).convert("RGB")
    red, green, blue = page.split()
    assert score(case, "gen", png(Image.merge("RGB", (green, red, blue)))) == 1
    third = Image.open(io.BytesIO(choices.page("What is 2 times 3?", ("5", "6", "7", "8"), 2))).convert("RGB")
    both = Image.composite(page, third, page.split()[1].point(lambda level: 255 if level < 60 else 0))
    assert score(case, "gen", png(both)) == 0


def png(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("B", True),
        ("B) 42", True),
        ("The answer is B.", True),
        ("42", True),
        ("It is 42, since 6 times 7 is 42.", True),
        ("**B**", True),
        ("B) 41", False),  # the letter, and another option's text
        ("C) 42", False),
        ("A", False),
        ("B) 42 or C) 43", False),
        ("420", False),
        ("I do not know.", False),
        ("", False),
    ],
)
def test_an_option_is_named_by_letter_or_text(said: str, right: bool) -> None:
    found = agrees(said, "B) 42")
    assert found is not None and found[0] is right


@pytest.mark.parametrize(
    ("said", "reference", "right"),
    [
        ("B) D, E, A", "B) D, E, A", True),
        ("The order is D, E, A", "B) D, E, A", True),
        ("C) D, A, E", "B) D, E, A", False),
        ("Row 1: 2, 4. Row 2: none.", "Row 1: 2, 4. Row 2: none.", True),
        ("Row 1: 2,4.\nRow 2: None.", "Row 1: 2, 4. Row 2: none.", True),
        ("Row 1: 2, 4.", "Row 1: 2, 4. Row 2: none.", False),
        ("Row 1: 2. Row 2: none.", "Row 1: 2, 4. Row 2: none.", False),
        ("A floats. B sinks. C floats.", "A floats. B sinks. C floats.", True),
        ("A floats. B sinks. C sinks.", "A floats. B sinks. C floats.", False),
        ("It ends in bin c.", "The ball ends in bin C.", True),
        ("Bin B, or bin C.", "The ball ends in bin C.", False),
        ("The left side of the beam goes down.", "The left side goes down.", True),
        ("The right side goes down.", "The left side goes down.", False),
        ("It stays level.", "The beam stays level.", True),
    ],
)
def test_outcomes_in_words(said: str, reference: str, right: bool) -> None:
    found = agrees(said, reference)
    assert found is not None and found[0] is right


def test_what_the_world_cannot_answer_it_refuses() -> None:
    case = choices.case_of(Choice("Who wrote Hamlet?", ("Marlowe", "Shakespeare", "Kyd", "Jonson"), 1, ""))
    with pytest.raises(Unsupported, match="Who wrote Hamlet"):
        in_words(case)
    graph = next(one for one in diagrams.diagrams(1, 20) if one.what == diagrams.WEIGHTED)
    with pytest.raises(Unsupported, match="cannot answer the question"):
        as_picture(diagrams.case_of(graph))
    with pytest.raises(Unsupported, match="3 pictures, not 1"):
        sequence = PROBLEMS["sequence"](1)
        create([sequence.question, sequence.pictures[0]], ("text",), 512, 512, 0, {})
    blank = png(Image.new("RGB", (300, 200), "white"))
    for name in ("balance", "float", "ramp", "mirror", "sequence"):
        case = PROBLEMS[name](2)
        with pytest.raises(Unsupported):
            create([case.question, *[blank] * len(case.pictures)], ("text",), 512, 512, 0, {})


def test_a_reference_that_cannot_be_read_is_refused_and_an_answer_without_picture_is_wrong() -> None:
    case = PROBLEMS["sequence"](3)
    with pytest.raises(Unsupported, match="cannot read the reference"):
        score(case._replace(reference_text="Something else."), "und", "Row 1: 2.")
    assert score(case, "gen", "Row 1: 2.") == 0


def test_both_sides_at_once() -> None:
    case = PROBLEMS["mirror"](4)
    said, made = create([case.prompt, *case.pictures], ("text", "image"), 512, 512, 0, {})
    assert said == case.reference_text and made == as_picture(case)
