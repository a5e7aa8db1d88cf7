"""What all readers of lettering share: the order of lines, and what of them stands in a reply."""

from __future__ import annotations

import orjson
from PIL import Image

from stages.asking.models.ocr import answer, in_reading_order
from stages.asking.requests import Picture, Read
from stages.asking.seeing import LINES, Line
from tests.fakes import encoded


def test_rows_go_from_top_to_bottom_and_each_from_left_to_right():
    def line(text: str, left: int, top: int, height: int = 40) -> Line:
        corners = ((left, top), (left + 50, top), (left + 50, top + height), (left, top + height))
        return Line(text, 1.0, corners)

    # In the first row b stands 15 pixels lower than c, as tall letters do; its middle (35) is above c's edge (40).
    mixed = [line("d", 0, 45), line("c", 200, 0), line("b", 100, 15), line("a", 0, 5)]
    assert [item.text for item in in_reading_order(mixed)] == ["a", "b", "c", "d"]
    assert in_reading_order([]) == []


def test_a_reply_is_rounded_cut_and_without_empty_lines():
    corners = ((0.4, 0.0), (9.6, 0.0), (9.6, 5.0), (0.4, 5.0))
    read = [Line("sure", 0.99999, corners), Line("  ", 1.0, corners), Line("at the cut", 0.4996, corners)]
    read += [Line("below", 0.4994, corners)]  # 0.4996 is 0.500 in three decimals, 0.4994 is 0.499
    request = Read(Picture(encoded(Image.new("RGB", (10, 5)), "PNG")))
    reply = answer(request, lambda pixels: read, 0.5)
    whole = [[0, 0], [10, 0], [10, 5], [0, 5]]
    assert orjson.loads(reply.content) == [["at the cut", 0.5, whole], ["sure", 1.0, whole]]
    assert [line.text for line in LINES.validate_json(reply.content)] == ["at the cut", "sure"]


def test_a_picture_comes_as_rows_of_blue_green_red():
    image = Image.new("RGB", (3, 2), (200, 100, 50))
    seen = []
    answer(Read(Picture(encoded(image, "PNG"))), lambda pixels: seen.append(pixels) or [], 0.5)
    assert seen[0].shape == (2, 3, 3) and seen[0][0, 0].tolist() == [50, 100, 200]
