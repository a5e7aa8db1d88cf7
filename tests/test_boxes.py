"""Boxes: every model's coordinates end as pixels of the picture, and nonsense ends in words."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.boxes import CONVENTIONS, Box, Convention, convention_of, read_boxes, resized

SIDES = st.integers(10, 4000)
SHARES = st.tuples(*[st.floats(0, 1)] * 4).map(lambda s: (*sorted(s[::2]), *sorted(s[1::2])))


def reply(*corners: float, label: str = "cat") -> str:
    return json.dumps([{"bbox_2d": list(corners), "label": label}])


def test_thousandths_of_the_picture() -> None:
    # 100, 250, 500, 1000 of 1000 across 200 and down 400 pixels: 20, 100, 100, 400
    assert read_boxes(reply(100, 250, 500, 1000), "thousandths", (200, 400)) == [Box("cat", 20, 100, 100, 400)]


def test_pixels_of_the_picture_as_it_was_resized() -> None:
    # 100x60 becomes 112x56 (100/28 = 3.57, 60/28 = 2.14): 56 of 112 across 100 is 50, 28 of 56 down 60 is 30
    assert resized((100, 60)) == (112, 56)
    assert read_boxes(reply(0, 0, 56, 28), "pixels", (100, 60)) == [Box("cat", 0, 0, 50, 30)]


def test_pixels_of_a_picture_that_was_scaled_down_before_it_was_sent() -> None:
    # 1000x600 sent at 100x60 and seen at 112x56: half of each way is 500 and 300
    assert read_boxes(reply(0, 0, 56, 28), "pixels", (1000, 600), sent=(100, 60)) == [Box("cat", 0, 0, 500, 300)]


@pytest.mark.parametrize(
    "text",
    [
        '[{"bbox_2d": [100, 200, 300, 400], "label": "a red cup"}]',
        '{"bbox_2d": [100, 200, 300, 400], "label": "a red cup"}',
        'Here it is:\n```json\n[{"bbox_2d": [100, 200, 300, 400], "label": "a red cup"}]\n```',
        '<think>where?</think>[{"bbox_2d": [100, 200, 300, 400], "label": "a red cup"}]',
        "<ref>a red cup</ref><box>[[100, 200, 300, 400]]</box>",
        "a red cup[[100, 200, 300, 400]]",
    ],
)
def test_every_way_of_giving_a_box(text: str) -> None:
    assert read_boxes(text, "thousandths", (1000, 1000)) == [Box("a red cup", 100, 200, 300, 400)]


def test_one_label_of_internvl_can_have_several_boxes_and_a_reply_several_labels() -> None:
    text = "<ref>cup</ref><box>[[0, 0, 10, 10], [20, 0, 30, 10]]</box> and <ref>dog</ref><box>[[5, 5, 6, 6]]</box>"
    boxes = read_boxes(text, "thousandths", (1000, 1000))
    assert [(box.label, box.left) for box in boxes] == [("cup", 0), ("cup", 20), ("dog", 5)]


def test_no_boxes_are_an_empty_list() -> None:
    assert read_boxes("[]", "thousandths", (10, 10)) == []


def test_a_box_is_clipped_at_the_edges() -> None:
    assert read_boxes(reply(-50, 500, 1100, 2000), "thousandths", (100, 100)) == [Box("cat", 0, 50, 100, 100)]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("I see no cat.", "there are no boxes in I see no cat."),
        ("[1, 2, 3, 4]", "a JSON object with `bbox_2d`"),
        ('[{"box": [1, 2, 3, 4]}]', "a JSON object with `bbox_2d`"),
        (reply(1, 2, 3), "not four finite numbers: [1, 2, 3]"),
        ('[{"bbox_2d": [1, 2, NaN, 4], "label": "cat"}]', "not four finite numbers"),
        ('[{"bbox_2d": [1, 2, 1e999, 4], "label": "cat"}]', "not four finite numbers"),
        ('[{"bbox_2d": ["1", "2", "3", "4"], "label": "cat"}]', "not four finite numbers"),
        ('[{"bbox_2d": [true, 2, 3, 4], "label": "cat"}]', "not four finite numbers"),
        ('[{"bbox_2d": "1 2 3 4", "label": "cat"}]', "not four finite numbers"),
        (reply(300, 200, 100, 400), "'cat' is upside down"),
        (reply(100, 400, 300, 200), "upside down"),
        (reply(100, 200, 100, 400), "has no area"),
        (reply(1000, 0, 1200, 100), "outside the picture"),
        (reply(-9, -9, -1, -1), "outside the picture"),
        ("<ref>cat</ref><box>[[1, 2, three, 4]]</box>", "not coordinates"),
        ("<ref>cat</ref><box>[[1, 2, 3]]</box>", "not four finite numbers"),
        (f'[{{"bbox_2d": [1, 2, 3, {"9" * 400}], "label": "cat"}}]', "not four finite numbers"),
        (f'[{{"bbox_2d": [5, 2, 3, 4], "label": "{"x" * 100_000}"}}]', "is upside down"),
        ("[" * 100_000, "there are no boxes"),
        ("a" * 100_000, "there are no boxes"),
        ("[[]" * 100_000, "there are no boxes"),
    ],
)
def test_nonsense_is_said_in_words(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=re.escape(complaint)) as caught:
        read_boxes(text, "thousandths", (100, 100))
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 250


def test_conventions_by_model_type() -> None:
    assert convention_of("qwen2_5_vl") == "pixels"
    assert {convention_of(kind) for kind in CONVENTIONS if kind != "qwen2_5_vl"} == {"thousandths"}
    with pytest.raises(ValueError, match="did you mean 'qwen3_vl'"):
        convention_of("qwen3_v")


@given(SHARES, SIDES, SIDES, st.sampled_from(["thousandths", "pixels"]))
def test_boxes_come_back_within_half_a_unit_and_never_lie_outside(
    shares: tuple[float, ...], width: int, height: int, convention: Convention
) -> None:
    size = (width, height)
    across, down = (1000, 1000) if convention == "thousandths" else resized((width, height))
    units = [round(share * side) for share, side in zip(shares, (across, across, down, down), strict=True)]
    left, right, top, bottom = units
    if left == right or top == bottom:
        return
    [box] = read_boxes(reply(left, top, right, bottom), convention, size)
    assert 0 <= box.left < box.right <= width and 0 <= box.top < box.bottom <= height
    # Half a unit is half a pixel of the picture as the model saw it.
    for got, share, side, unit in zip(
        (box.left, box.right, box.top, box.bottom),
        shares,
        (width, width, height, height),
        (across, across, down, down),
        strict=True,
    ):
        assert abs(got - share * side) * unit / side <= 0.5 + 1e-6


@given(st.integers(1, 9000), st.integers(1, 9000))
def test_the_size_that_qwen_sees_is_what_its_processor_makes(width: int, height: int) -> None:
    pil = pytest.importorskip("transformers.models.qwen2_vl.image_processing_pil_qwen2_vl")
    try:
        high, wide = pil.smart_resize(height, width, 28, 56 * 56, 16_384 * 28 * 28)
    except ValueError:
        with pytest.raises(ValueError, match="200 times"):
            resized((width, height))
    else:
        assert resized((width, height)) == (wide, high)
