"""Texts and pictures as one reply, and as one text with pictures beside; what an answer of several parts ends with."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.asking.making import Creating
from gamut.asking.outcomes import Outcome
from gamut.asking.parts import BUNDLE, Created, bundle, split_thinking, text_of_content, unbundle
from gamut.asking.requests import Create, Paint, Part, Picture, Reply, number_pictures, parts_of, wants_picture
from gamut.tables.images import require_picture
from tests.embedded_world import reply

PARTS = st.lists(st.one_of(st.text(min_size=1), st.binary(min_size=1)), min_size=1, max_size=7)


@given(parts=PARTS, thinking=st.text(), remark=st.text())
def test_what_is_bundled_is_read_back(parts: list[str | bytes], thinking: str, remark: str) -> None:
    assert unbundle(bundle(parts, thinking, remark)) == Created(tuple(parts), thinking, remark)


def test_one_part_is_stored_as_itself() -> None:
    assert bundle(["好"]) == "好".encode()
    assert bundle([b"\x89PNG"]) == b"\x89PNG"
    assert bundle(["a", "b"]).startswith(BUNDLE) and bundle(["a"], "because").startswith(BUNDLE)
    assert unbundle(b"") == Created(())
    with pytest.raises(ValueError, match="has no bytes"):
        bundle(["a", b""])


@given(parts=PARTS, at=st.integers(0, 2**16), to=st.binary(max_size=3))
def test_a_damaged_bundle_is_an_error_and_nothing_else(parts: list[str | bytes], at: int, to: bytes) -> None:
    content = bundle([*parts, "end"])
    damaged = content[: at % len(content)] + to
    try:
        read = unbundle(damaged)
    except ValueError as error:
        assert "damaged" in str(error)
    else:  # cut within the first bytes it is no bundle any more; or nothing is missing
        assert not damaged.startswith(BUNDLE) or bundle(read.parts, read.thinking)[:4] == BUNDLE


def test_a_bundle_of_many_parts_is_read_in_one_go() -> None:
    """Were what is left copied for each of 100,000 pictures, 30 GB would be."""
    parts = [b"p" * 6] * 100_000
    started = time.process_time()
    assert unbundle(bundle(parts)) == Created(tuple(parts))
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    ("text", "thinking", "said"),
    [
        ("A cube", "", "A cube"),
        ("\n<think>\nHm\n</think>\n\nA cube\n", "Hm", "A cube\n"),
        ("Hm\n</think>\n\nA cube", "Hm", "A cube"),
        ("<thinking>Is </think> a tag?</thinking>A cube", "Is </think> a tag?", "A cube"),
        ("<think>A cube", "A cube", ""),
        ("A <think>cube", "", "A <think>cube"),
        ("<think>x</think>Not </think>", "x", "Not </think>"),
    ],
)
def test_thinking_before_a_text(text: str, thinking: str, said: str) -> None:
    assert split_thinking(text) == (thinking, said)


def test_what_a_content_says_in_words() -> None:
    assert text_of_content("好".encode()) == "好"
    assert text_of_content(bundle(["Red:", b"\x89PNG", "done"], "hm")) == "Red: done"
    assert text_of_content(bundle([b"\x89PNG"], "hm")) == "hm"
    assert text_of_content(BUNDLE + b"{}") == "\ufffdGB1{}"


PICTURE = reply(Paint("a red car", 256, 256, 1), {}).content


def ended(content: bytes, *modalities: str) -> Outcome:
    asked = Create(("Draw a car and say its colour.",), modalities, 256, 256, 0)  # type: ignore[arg-type]
    outcome = Creating(asked, require_picture).next([Reply(content)])
    assert isinstance(outcome, Outcome)
    return outcome


def test_an_answer_has_something_of_each_modality_that_was_asked_for() -> None:
    both = bundle(["Red:", PICTURE, "a car."], "I think")
    assert ended(both, "text", "image") == Outcome("ok", Created(("Red:", PICTURE, "a car."), "I think"))
    assert ended(both, "image").status == ended(both, "text").status == "ok"
    assert ended(both, "image").reason == "a text that was not asked for"
    assert ended(both, "text").reason == "a picture that was not asked for"
    assert ended(bundle([PICTURE, PICTURE]), "image").reason == "2 pictures, of which the first counts"
    assert ended(PICTURE, "image").value.pictures == [PICTURE]
    lacking = ended(b"Here it is!", "image")
    assert (lacking.status, lacking.reason) == ("missing_output", "the reply has no image")
    assert lacking.value == Created(("Here it is!",))  # kept: it is worth reading
    assert ended(bundle([" \n", PICTURE]), "text", "image").reason == "the reply has no text"
    assert ended(b"", "text", "image").reason == "the reply has no text and no image"


def test_what_is_no_picture_is_no_answer() -> None:
    assert ended(bundle(["Here:", b"\xff\xd8 broken"]), "text", "image").status == "parse_error"
    assert ended(BUNDLE + b"\xff\xff\0\0{}", "text").status == "parse_error"
    refused = Creating(Create(("x",), ("image",), 64, 64, 0), require_picture).next([Reply(b"no", "refused")])
    assert refused == Outcome("refused_generation", reason="no")


def test_an_answer_that_was_cut_off_is_named_by_its_words() -> None:
    cut = Creating(Create(("x",), ("text",), 0, 0, 0), require_picture).next(
        [Reply(bundle(["It is", PICTURE]), "length")]
    )
    assert cut == Outcome("truncated", reason="It is")


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
    assert number_pictures(parts) == (text, tuple(part for part in parts if isinstance(part, Picture)))


@given(parts=st.lists(st.one_of(st.text("xy .", max_size=4), st.sampled_from([A, B])), max_size=8))
def test_no_word_is_lost_and_pictures_keep_their_order(parts: list[Part]) -> None:
    text, pictures = number_pictures(parts)
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
