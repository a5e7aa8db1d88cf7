"""Remarks that pictures carry: from a painter's PNG into the row, and from the row's JPEG again."""

from __future__ import annotations

import io

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from stages.asking.making import Creating, Painting, png_comment, remark_in
from stages.asking.outcomes import Outcome
from stages.asking.parts import bundled
from stages.asking.requests import Create, Paint, Reply
from stages.tables.images import as_made, scaled_down, upright_jpeg

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
    assert kept.startswith(b"\xff\xd8") and remark_in(kept) == CUT
    assert reason(kept) == CUT
    assert remark_in(scaled_down(png(png_comment(CUT), (128, 64)), 64)) == CUT


def test_each_remark_on_an_answer_of_several_pictures_is_said_once():
    asked = Create(("two cubes",), ("text", "image"), 64, 64, seed=1)
    painted = png(png_comment(CUT))
    outcome = Creating(asked, as_made).next([Reply(bundled(["Two.", painted, painted, png(None)]))])
    assert isinstance(outcome, Outcome) and (outcome.status, outcome.reason) == ("ok", CUT)


@pytest.mark.parametrize("comment", ["CREATOR: gd-jpeg v1.0", "", "gamut", "\x00\xff"])
def test_a_comment_of_somebody_else_is_no_remark(comment: str):
    out = io.BytesIO()
    Image.new("RGB", (64, 64)).save(out, "JPEG", comment=comment.encode())
    assert remark_in(out.getvalue()) == "" and reason(out.getvalue()) is None


def test_a_remark_that_somebody_made_up_is_one_short_harmless_line():
    made_up = PngInfo()
    made_up.add_text("comment", "gamut: look\n\x1b[31m" + "a" * 1000)
    said = remark_in(png(made_up))
    assert said.startswith("look ") and len(said) <= 200 and "\n" not in said and "\x1b" not in said
