"""A text with its pictures in three forms: nothing is lost, order is kept, and each picture stands where it belongs."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.asking.requests import Part, Picture
from gamut.evaluation.running.placing import Form, place_pictures

PICTURES = {name: Picture(name.encode()) for name in ("cat", "dog", "my hat.png")}
NAMES = st.sampled_from(["<image:cat>", "<image: dog >", "<image:my hat.png>", "<image1>", "<image 2>", "<image3>"])
WORDS = st.text(alphabet='ab 好。，.!?\n"3<>', max_size=12)
TEXT = st.lists(WORDS | NAMES, max_size=12).map("".join)
FORMS: tuple[Form, ...] = ("apart", "at_sentence_ends", "in_place")


def shown(*parts: Part) -> str:
    return "|".join(part if isinstance(part, str) else f"[{part.data.decode()}]" for part in parts)


@pytest.mark.parametrize(
    ("text", "apart", "at_sentence_ends", "in_place"),
    [
        (
            "Put the hat of <image:cat> on <image:dog>. Keep the rest.",
            "[cat]|[dog]|[my hat.png]|Put the hat of image 1 on image 2. Keep the rest.",
            "[my hat.png]|Put the hat of image 2 on image 3.|[cat]|[dog]| Keep the rest.",
            "[my hat.png]|Put the hat of |[cat]| on |[dog]|. Keep the rest.",
        ),
        (
            "She likes the first and not the second. <image1><image 2> Now paint this. <image3>",
            "[cat]|[dog]|[my hat.png]|She likes the first and not the second. image 1 image 2 Now paint this. image 3",
            "She likes the first and not the second. |[cat]|[dog]| Now paint this. |[my hat.png]",
            "She likes the first and not the second. |[cat]|[dog]| Now paint this. |[my hat.png]",
        ),
        (
            "把<image:dog>放到<image:cat>里。“再画。”<image:my hat.png>",
            "[cat]|[dog]|[my hat.png]|把 image 2 放到 image 1 里。“再画。”image 3",
            "把 image 1 放到 image 2 里。|[dog]|[cat]|“再画。”|[my hat.png]",
            "把|[dog]|放到|[cat]|里。“再画。”|[my hat.png]",
        ),
        (
            "Of <image1>: 3.5 parts.\nNo end, <image1>\nA line",
            "[cat]|[dog]|[my hat.png]|Of image 1: 3.5 parts.\nNo end, image 1\nA line",
            "[dog]|[my hat.png]|Of image 3: 3.5 parts.|[cat]|\nNo end, image 3\nA line",
            "[dog]|[my hat.png]|Of |[cat]|: 3.5 parts.\nNo end, |[cat]|\nA line",
        ),
        (
            "<image1> shows a cat. <image2>, too.",
            "[cat]|[dog]|[my hat.png]|image 1 shows a cat. image 2, too.",
            "[my hat.png]|image 2 shows a cat.|[cat]| image 3, too.|[dog]",
            "[my hat.png]|[cat]| shows a cat. |[dog]|, too.",
        ),
    ],
)
def test_where_pictures_stand(text: str, apart: str, at_sentence_ends: str, in_place: str) -> None:
    assert shown(*place_pictures(text, PICTURES, "apart")) == apart
    assert shown(*place_pictures(text, PICTURES, "at_sentence_ends")) == at_sentence_ends
    assert shown(*place_pictures(text, PICTURES, "in_place")) == in_place


@pytest.mark.parametrize("form", FORMS)
def test_without_names_all_pictures_come_first_and_without_pictures_there_is_the_text(form: Form) -> None:
    assert place_pictures("a cat", PICTURES, form) == (*PICTURES.values(), "a cat")
    assert place_pictures("a cat", {}, form) == ("a cat",)
    assert place_pictures("", {}, form) == ()
    assert place_pictures("an <image> or <images> is no name", {}, form) == ("an <image> or <images> is no name",)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("text", "said"), [("<image:cow>", "'cow'"), ("<image4>", "'4'"), ("<image0>", "'0'"), ("a <image:1> b", "'1'")]
)
def test_a_name_without_a_picture_is_refused(text: str, said: str, form: Form) -> None:
    with pytest.raises(ValueError, match=f"the text names the picture {said}: there are cat, dog, my hat.png"):
        place_pictures(text, PICTURES, form)


@given(TEXT)
def test_no_text_and_no_picture_is_lost(text: str) -> None:
    name = re.compile(r"<image(?::([^<>]+)|\s*([1-3])\s*)>")
    order = [found[1].strip() if found[1] else [*PICTURES][int(found[2]) - 1] for found in name.finditer(text)]
    left = "".join(name.sub("", text).split())
    first = list(dict.fromkeys(order))
    unnamed = [one for one in PICTURES if one not in order]
    for form in FORMS:
        parts = place_pictures(text, PICTURES, form)
        given_pictures = [part.data.decode() for part in parts if not isinstance(part, str)]
        texts = [part for part in parts if isinstance(part, str)]
        assert all(part.strip() for part in texts)
        assert not any(isinstance(a, str) and isinstance(b, str) for a, b in pairwise(parts))
        wanted = {"apart": [*PICTURES], "at_sentence_ends": unnamed + first, "in_place": unnamed + order}[form]
        assert given_pictures == wanted
        read = re.sub(r"image [1-3]", "", "".join(texts)) if form != "in_place" else "".join(texts)
        assert "".join(read.split()) == left
        if form == "apart":
            assert len(re.findall("image [1-3]", "".join(texts))) == len(order)


def test_a_long_row_of_dots_is_looked_through_once() -> None:
    """100,000 of them would take minutes if each were tried as the first."""
    found = place_pictures(f"Like{'.' * 100_000}x <image:cat>", {"cat": PICTURES["cat"]}, "at_sentence_ends")
    assert [*map(type, found)] == [str, Picture] and str(found[0]).endswith(".x image 1")
