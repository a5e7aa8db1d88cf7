"""What everybody sees of an answer: bounded texts and pictures, with a remark where that is less than all; and remarks
that pictures carry from a painter's PNG into the row, and from the row's JPEG again.
"""

from __future__ import annotations

import io

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from gamut.asking.as_shown import MOST_PICTURES, bounded_parts, bounds_remarks, parts_as_shown
from gamut.asking.making import Creating, Painting, png_comment, read_remark
from gamut.asking.outcomes import Outcome
from gamut.asking.parts import bundle
from gamut.asking.requests import Create, Paint, Picture, Reply
from gamut.tables.images import require_picture, scale_down, upright_jpeg
from tests.fakes import encoded, jpeg

RED = jpeg("red")
CLEAR = encoded(Image.new("RGBA", (64, 64), (255, 0, 0, 0)), "PNG")
TAIL = bytes(1_000_000)


def test_texts_within_the_bound_are_untouched() -> None:
    parts = ["a" * 19_999, RED, "b"]  # 20,000 characters together
    assert bounded_parts(parts) == parts and not [*bounds_remarks(parts)]
    assert parts_as_shown(parts) == [parts[0], Picture(RED), "b"]


def test_of_a_long_text_the_beginning_and_the_end_are_shown() -> None:
    text = "a" * 20_000 + "b" * 10_000 + "Answer: C"
    [shown] = bounded_parts([text])
    # 30,009 characters, of which 20,000 stay: 10,000 before the mark, and behind it 9,991 of b and 9 of the answer
    assert shown == "a" * 10_000 + "\n[… 10,009 characters left out …]\n" + "b" * 9_991 + "Answer: C"
    assert [*bounds_remarks([text])] == ["30,009 characters, of which 20,000 are shown"]


def test_the_bound_is_of_all_texts_together() -> None:
    """Many small ones behind the last that is shown are no way around it."""
    parts = ["a" * 15_000, RED, "b" * 15_000, *("c" * 5_000), RED, ""]
    mark = "\n[… {} left out …]\n"
    cut = "b" * 2_500 + mark.format("10,000 characters") + "b" * 2_500
    assert bounded_parts(parts) == ["a" * 15_000, RED, cut, RED, ""]
    assert [*bounds_remarks(parts)] == ["35,000 characters, of which 20,000 are shown"]


def test_where_nothing_can_be_seen_no_mark_is() -> None:
    """A mark would be a text, where a contestant wrote none."""
    [shown] = bounded_parts([" \u200b" * 20_000])
    assert shown == " \u200b" * 10_000


def test_no_answer_has_pictures_without_end() -> None:
    parts = [*[RED] * (MOST_PICTURES + 8), "and so on"]
    assert bounded_parts(parts) == [*[RED] * MOST_PICTURES, "and so on"]
    assert [*bounds_remarks(parts)] == [f"40 pictures, of which the first {MOST_PICTURES} are shown"]


def painted(picture: bytes) -> Outcome:
    outcome = Painting(Paint("a cube", 64, 64, seed=1), require_picture).next([Reply(picture)])
    assert isinstance(outcome, Outcome)
    return outcome


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_what_lies_behind_a_pictures_end_is_a_remark(kind: str) -> None:
    picture = encoded(Image.new("RGB", (64, 64), "red"), kind)
    assert painted(picture).reason is painted(picture + bytes(1000)).reason is None
    outcome = painted(picture + TAIL)
    assert (outcome.status, outcome.reason) == ("ok", "shown without 1,000,000 bytes behind its end")
    assert parts_as_shown([outcome.value]) == [Picture(picture, f"image/{kind.lower()}")]


def test_the_table_keeps_what_was_made_and_says_where_it_is_shown_otherwise() -> None:
    outcome = painted(CLEAR)
    assert (outcome.status, outcome.value) == ("ok", CLEAR)
    assert outcome.reason == "shown on white where it is transparent"
    asked = Create(("two cubes",), ("text", "image"), 64, 64, seed=1)
    several = Creating(asked, require_picture).next([Reply(bundle(["x" * 30_000, CLEAR, CLEAR + TAIL]))])
    assert isinstance(several, Outcome) and several.value.parts == ("x" * 30_000, CLEAR, CLEAR + TAIL)
    assert several.reason == (
        "shown on white where it is transparent; shown without 1,000,000 bytes behind its end; "
        "30,000 characters, of which 20,000 are shown"
    )


def test_what_nobody_can_be_shown_is_no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """A JPEG that has to be turned, of a side that no JPEG that is written can have, say."""

    def refuse(picture: bytes) -> bytes:
        raise ValueError("cannot be decoded (too long)")

    monkeypatch.setattr("gamut.tables.images.as_everyone_sees", refuse)
    outcome = painted(CLEAR)
    assert (outcome.status, outcome.reason) == ("parse_error", "the image cannot be decoded (too long)")


CUT = "the prompt was cut at 77 of 120 tokens"
CUBE = Paint("a red cube", 64, 64, seed=1)


def png(comment: PngInfo | None, size: tuple[int, int] = (64, 64)) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, "red").save(out, "PNG", pnginfo=comment)
    return out.getvalue()


def reason(painted: bytes) -> str | None:
    outcome = Painting(CUBE, upright_jpeg).next([Reply(painted)])
    assert isinstance(outcome, Outcome) and outcome.status == "ok"
    return outcome.reason


def test_a_remark_is_the_reason_of_a_row_that_is_ok():
    assert reason(png(png_comment(CUT))) == CUT
    assert reason(png(png_comment(CUT), (80, 64))) == f"80x64 pixels instead of 64x64; {CUT}"
    assert reason(png(png_comment(""))) is None and png_comment("") is None


def test_what_a_table_holds_of_the_picture_has_it_still():
    """`gamut store seed` makes the reply anew of the row's own picture."""
    kept = upright_jpeg(png(png_comment(CUT)))
    assert kept.startswith(b"\xff\xd8") and read_remark(kept) == CUT
    assert reason(kept) == CUT
    assert read_remark(scale_down(png(png_comment(CUT), (128, 64)), 64)) == CUT


def test_each_remark_on_an_answer_of_several_pictures_is_said_once():
    asked = Create(("two cubes",), ("text", "image"), 64, 64, seed=1)
    painted = png(png_comment(CUT))
    outcome = Creating(asked, require_picture).next([Reply(bundle(["Two.", painted, painted, png(None)]))])
    assert isinstance(outcome, Outcome) and (outcome.status, outcome.reason) == ("ok", CUT)


@pytest.mark.parametrize("comment", ["CREATOR: gd-jpeg v1.0", "", "gamut", "\x00\xff"])
def test_a_comment_of_somebody_else_is_no_remark(comment: str):
    out = io.BytesIO()
    Image.new("RGB", (64, 64)).save(out, "JPEG", comment=comment.encode())
    assert read_remark(out.getvalue()) == "" and reason(out.getvalue()) is None


def test_a_remark_that_somebody_made_up_is_one_short_harmless_line():
    made_up = PngInfo()
    made_up.add_text("comment", "gamut: look\n\x1b[31m" + "a" * 1000)
    said = read_remark(png(made_up))
    assert said.startswith("look ") and len(said) <= 200 and "\n" not in said and "\x1b" not in said
