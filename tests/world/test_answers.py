"""The world as a model: answers by question name, the same bytes for the same arguments, and a plain no to the rest."""

from __future__ import annotations

import io
import random
import socket

import numpy as np
import pytest
from PIL import Image

from gamut.world.faults import FAULTS, STRONGEST, WEAKEST, applicable_faults, draw_faults
from gamut.world.observers import detect, embed
from gamut.world.painting import paint
from gamut.world.scene import Group, Scene, complete_scene, random_scene
from gamut.world.seeing import see
from gamut.world.vocabulary import LETTERING_ZH
from tests import embedded_world as world
from tests.embedded_world import PROMPT
from tests.fakes import encoded

SIX = ("composition", "entity", "text", "imaginative", "style", "affection")


def painted(prompt: str = PROMPT, faults: dict[str, float] | None = None, size: int = 512) -> bytes:
    return world.paint_prompt(prompt, size, size, 1, faults or {})


def test_the_same_arguments_give_the_same_bytes() -> None:
    assert painted() == painted()
    assert painted() != world.paint_prompt(PROMPT, 512, 512, 2, {})
    scene = complete_scene(random_scene(random.Random(5)), random.Random(5))
    first, second = (paint(scene, 320, 480, random.Random(3)) for _ in range(2))
    assert first.tobytes() == second.tobytes()
    assert first.size == (320, 480)


def test_a_good_picture_is_examined_scored_and_proofread() -> None:
    data = painted()
    examined = world.answer("examine", {}, [data])
    assert examined["clarity"] >= 8
    assert examined["structure"] >= 8
    scores = world.answer("score", {}, [data])
    assert {name for name in SIX if scores[name] >= 7} == {"composition", "entity", "text", "imaginative"}
    proof = world.answer("proofread", {}, [data])
    assert proof["transcription"] == "OPEN"
    assert min(proof[name] for name in ("contrast", "letterforms", "sense")) >= 8
    assert world.answer("follow", {"prompt": PROMPT}, [data])["follows"] == 10


@pytest.mark.parametrize(
    ("wanted", "sense"),
    [
        ("OPEN", 9),
        ("open", 9),  # the case is no fault, nor are marks
        ("“Open!”", 9),
        ("BAKERY\nOPEN", 4),  # one of two is missing
        ("", 9),  # nothing was asked for
        ("CLOSED", 4),  # well spelt, and another word
    ],
)
def test_words_that_are_not_those_asked_for_make_no_sense(wanted: str, sense: int) -> None:
    proof = world.answer("proofread", {"wanted": wanted}, [painted()])
    assert proof["sense"] == sense and min(proof["contrast"], proof["letterforms"]) >= 8
    assert ("asked for" in proof["reason"]) == (sense < 5)


@pytest.mark.parametrize(
    ("fault", "follows"),
    [
        ("wrong_count", 7),  # 10 - 3
        ("swapped_relation", 6),  # 10 - 4
        ("misspelt_lettering", 5),  # 10 - 5
        ("low_contrast", 10),  # that is for `proofread` to find
    ],
)
def test_a_picture_follows_its_prompt_but_for_its_fault(fault: str, follows: int) -> None:
    reply = world.answer("follow", {"prompt": PROMPT}, [world.flawed(PROMPT, fault)])
    assert list(reply) == ["reason", "follows"] and reply["follows"] == follows


def test_a_picture_of_another_prompt_does_not_follow() -> None:
    assert world.answer("follow", {"prompt": "an owl"}, [painted()])["follows"] == 0
    assert world.answer("follow", {"prompt": "two red cars"}, [painted()])["follows"] == 10  # more is no fault


def test_at_most_one_fault_is_drawn_and_only_an_applicable_one() -> None:
    scene = complete_scene(Scene((Group("owl", "red"),)), random.Random(0))
    assert applicable_faults(scene) == ("wrong_count", "blur", "noise", "distortion")
    for number in range(100):
        drawn = draw_faults(scene, dict.fromkeys(FAULTS, 0.6), random.Random(number))
        assert len(drawn) <= 1
        assert set(drawn) <= set(applicable_faults(scene))
        assert all(WEAKEST <= strength <= STRONGEST for strength in drawn.values())
    with pytest.raises(ValueError, match="unknown faults"):
        draw_faults(scene, {"smudge": 1.0}, random.Random(0))


def test_a_misspelt_sign_is_never_captioned_as_if_it_were_bare() -> None:
    data = world.flawed(PROMPT, "misspelt_lettering")
    assert world.answer("proofread", {}, [data])["sense"] < 6
    with pytest.raises(world.Unsupported, match="no lettering of the embedded world"):
        world.answer("caption_text", {}, [data])


@pytest.mark.parametrize("lettering", LETTERING_ZH)
def test_chinese_lettering_is_read_as_painted(lettering: str) -> None:
    picture = world.paint_prompt(f"文字“{lettering}”。", 384, 384, 0, {})  # the sign follows from the prompt, too
    assert see(Image.open(io.BytesIO(picture))).transcription == lettering


def test_lettering_is_read_without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the world must not open a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert see(Image.open(io.BytesIO(painted()))).transcription == "OPEN"


def strange_images() -> list[Image.Image]:
    noise = np.random.default_rng(0).integers(0, 256, (300, 400, 3), dtype=np.uint8)
    fade = np.linspace((90, 150, 215), (210, 225, 230), 400)[:, None, :].repeat(300, axis=1).astype(np.uint8)
    plain = [Image.new("RGB", (200, 200), colour) for colour in ("white", "black", (74, 156, 218))]
    modes = [Image.new(mode, (120, 500)) for mode in ("1", "L", "P", "RGBA", "CMYK", "I;16")]
    return [Image.fromarray(noise), Image.fromarray(fade), *plain, *modes, Image.new("RGB", (1, 1))]


def test_images_from_elsewhere_are_seen_as_nothing() -> None:
    for image in strange_images():
        sight = see(image)
        assert sight.scene is None
        assert not sight.familiar


HALVES = Image.new("RGB", (256, 256), "navy")
HALVES.paste("olive", (0, 0, 128, 256))
ABOUT_PICTURES = ("examine", "score", "proofread", "safety", "follow", "caption_style", "generation_chain_of_thought")
OF_PRISM = ("prism_alignment_entity", "prism_aesthetic")


@pytest.mark.parametrize("question", [*ABOUT_PICTURES, *OF_PRISM])
def test_pictures_from_elsewhere_are_unsupported(question: str) -> None:
    halves = encoded(HALVES, "PNG")
    for pictures in ([], [b""], [b"no picture"], [halves], [halves] * 2):
        with pytest.raises(world.Unsupported):
            world.answer(question, {"prompt": PROMPT}, pictures)
    for ask in (lambda: detect(halves, ["car"]), lambda: embed(halves)):
        with pytest.raises(world.Unsupported, match="does not show the embedded world"):
            ask()


ELSEWHERE = "A dog walks in Paris."


@pytest.mark.parametrize(
    ("question", "fields"),
    [
        *(
            (question, fields)
            for question in ("prism_translate", "prism_adapt")
            for fields in ({}, {"prompt": ELSEWHERE})
        ),
        *((question, {"caption": text}) for question in ("translate", "align") for text in (ELSEWHERE, "a dragon", "")),
        ("prism_alignment_style", {"prompt": ELSEWHERE}),
        ("follow", {"prompt": ELSEWHERE}),
    ],
)
def test_what_cannot_be_read_is_unsupported(question: str, fields: dict[str, str]) -> None:
    with pytest.raises(world.Unsupported, match="cannot read the whole of the"):
        world.answer(question, fields, [painted()])


def test_what_nobody_is_asked_and_cannot_be_painted_is_unsupported() -> None:
    with pytest.raises(world.Unsupported, match="does not know the question 'sing'"):
        world.answer("sing", {}, [])
    for prompt in ("a dragon", "", "an owl on a wire"):
        with pytest.raises(world.Unsupported, match="cannot read"):
            world.paint_prompt(prompt, 256, 256, 0, {})
