"""The world as a captioner: legacy captions rewritten from picture or text, lettering mined, everything translated."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamut.world.colloquial import reword, say_in_part
from gamut.world.reading import read, translate
from gamut.world.scene import random_scene
from tests import embedded_world as world
from tests.embedded_world import PROMPT


def painted(fault: str | None = None, prompt: str = PROMPT) -> bytes:
    return world.flawed(prompt, fault, size=384)


def rewritten_text(caption: str, seed: int = 0) -> str:
    return world.answer("rewrite_text", {"caption": caption}, [], seed)["caption"]


@pytest.mark.parametrize("fields", [{}, {"caption": "two red cars"}, {"caption": "three red cars and a cat on a wire"}])
def test_a_caption_rewritten_from_its_picture_says_what_is_seen(fields: dict[str, str]) -> None:
    caption = world.answer("rewrite", fields, [painted()])["caption"]
    assert read(caption) == world.commission(PROMPT, 1, {})[0]


def test_a_picture_that_cannot_be_named_is_not_rewritten() -> None:
    for fault in ("blur", "noise", "distortion", "misspelt_lettering"):
        with pytest.raises(world.Unsupported):
            world.answer("rewrite", {"caption": PROMPT}, [painted(fault)])
    with pytest.raises(world.Unsupported, match="about one picture, not 0"):
        world.answer("rewrite", {"caption": PROMPT}, [])


def test_a_text_rewritten_alone_keeps_what_it_says_and_leaves_nothing_open() -> None:
    said, written = read("photo of a bunny over two TVs"), read(rewritten_text("photo of a bunny over two TVs"))
    assert said is not None
    assert written is not None
    assert [(group.kind, group.count) for group in written.groups] == [("rabbit", 1), ("television", 2)]
    assert (written.relation, written.surreal) == ("above", None)  # what is not said does not become strange
    assert None not in (written.style, written.light, written.mood, *(group.colour for group in written.groups))


def test_texts_that_say_the_same_are_rewritten_alike() -> None:
    assert rewritten_text("A photo of two red cars.") == rewritten_text("TWO RED CARS ")
    assert len({rewritten_text("two red cars", seed) for seed in range(9)}) > 3
    for caption in ("", "a dragon"):
        with pytest.raises(world.Unsupported, match="cannot read"):
            rewritten_text(caption)


def test_mined_text_is_quoted_exactly() -> None:
    data = painted()
    transcription = world.answer("find_text", {}, [data])["transcription"]
    caption = world.answer("mine_text", {"transcription": transcription}, [data])["caption"]
    assert transcription == "OPEN"
    assert '"OPEN"' in caption
    assert read(caption) == world.commission(PROMPT, 1, {})[0]


@pytest.mark.parametrize(
    ("transcription", "prompt"), [("", PROMPT), ("CLOSED", PROMPT), ("OPEN", "an owl"), ("", "an owl")]
)
def test_no_text_is_mined_that_the_picture_does_not_carry(transcription: str, prompt: str) -> None:
    with pytest.raises(world.Unsupported, match="the sign reads"):
        world.answer("mine_text", {"transcription": transcription}, [painted(prompt=prompt)])


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**9))
def test_every_legacy_caption_is_translated_with_its_lettering(number: int) -> None:
    rng = random.Random(number)
    caption = say_in_part(random_scene(rng), rng)
    for text in (caption, reword(caption, rng), rewritten_text(caption)):
        scene = read(text)
        translated = world.answer("translate", {"caption": text}, [])["translation"]
        assert scene is not None
        assert scene.lettering is None or f"“{scene.lettering}”" in translated
        back = translate(translated, "zh", "en")
        assert back is not None
        assert read(back) == scene


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("a photo of an owl", "一张照片：一只猫头鹰。"),
        ("PICTURE OF AN OWL!", "一幅图画：一只猫头鹰。"),
        ("there are two owls", "有两只猫头鹰。"),
    ],
)
def test_what_a_caption_opens_with_is_translated_too(english: str, chinese: str) -> None:
    assert translate(english) == chinese
    back = translate(chinese, "zh", "en")
    assert back is not None
    assert translate(back) == chinese
