"""Texts and pictures as one text and its pictures beside, for whoever takes no others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.asking.requests import Create, Paint, Part, Picture, numbered, parts_of, wants_picture

A, B = Picture(b"a"), Picture(b"b")


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (("Draw a cat.",), "Draw a cat."),
        ((A, "Make it blue."), "Make it blue."),  # as an edit is put everywhere: beside a text pictures come before it
        ((A, B, "Put the first into the second."), "Put the first into the second."),
        (("Make", A, "look like", B), "Make image 1 look like image 2"),
        (("Make ", A, "\nlook like ", B, ", but greener"), "Make image 1\nlook like image 2, but greener"),
        ((A, "is a cat.", B, "is a dog."), "image 1 is a cat. image 2 is a dog."),
        (("Swap", A, B), "Swap image 1 image 2"),
        (("把", A, "变成", B, "。"), "把 image 1 变成 image 2。"),
        (("a\n", "b", "", "c", A), "a\nb c image 1"),
        ((A, B), ""),
    ],
)
def test_pictures_are_numbered_where_they_stand_in_a_text(parts: tuple[Part, ...], text: str) -> None:
    assert numbered(parts) == (text, tuple(part for part in parts if isinstance(part, Picture)))


@given(parts=st.lists(st.one_of(st.text("xy .", max_size=4), st.sampled_from([A, B])), max_size=8))
def test_no_word_is_lost_and_pictures_keep_their_order(parts: list[Part]) -> None:
    text, pictures = numbered(parts)
    assert list(pictures) == [part for part in parts if isinstance(part, Picture)]
    words = "".join(part for part in parts if isinstance(part, str)).replace(" ", "")
    if any(isinstance(part, Picture) for part in parts[len(pictures) :]):
        for number, _ in enumerate(pictures, 1):
            assert text.count(f"image {number}") == 1
            text = text.replace(f"image {number}", "")
    assert text.replace(" ", "") == words


def test_what_is_to_be_made_of_what() -> None:
    assert parts_of(Paint("a cat", 64, 64, 0)) == ("a cat",)
    assert parts_of(Create(("x", A), ("text",), 0, 0, 0)) == ("x", A)
    assert wants_picture(Create((), ("text", "image"), 64, 64, 0)) and not wants_picture(Create((), ("text",), 0, 0, 0))
