"""The world as a model: answers by question name, the same bytes for the same arguments, and a plain no to the rest."""

from __future__ import annotations

import io
import random
import socket

import numpy as np
import pytest
from PIL import Image, ImageFont

from stages.sandbox.faults import STRONGEST, WEAKEST
from stages.sandbox.painting import FAULTS, applicable_faults, draw_faults, paint
from stages.sandbox.scene import Group, Scene, complete, random_scene
from stages.sandbox.seeing import see
from stages.sandbox.signs import CHINESE_FONT
from stages.sandbox.vocabulary import LETTERING_ZH
from stages.sandbox.writing import write
from tests import world

PROMPT = (
    'Two red cars to the left of a blue house at sunset, under a giant moon, with the word "OPEN" on a wooden sign.'
)
SIX = ("composition", "entity", "text", "imaginative", "style", "affection")


def painted(prompt: str = PROMPT, faults: dict[str, float] | None = None, size: int = 512) -> bytes:
    return world.paint_prompt(prompt, size, size, 1, faults or {})


def test_the_same_arguments_give_the_same_bytes() -> None:
    assert painted() == painted()
    assert painted() != world.paint_prompt(PROMPT, 512, 512, 2, {})
    scene = complete(random_scene(random.Random(5)), random.Random(5))
    first, second = (paint(scene, 320, 480, random.Random(3)) for _ in range(2))
    assert first.tobytes() == second.tobytes()
    assert first.size == (320, 480)


def test_a_good_picture_is_examined_scored_and_proofread() -> None:
    data = painted()
    examined = world.answer("examine", {}, [data])
    assert int(str(examined["clarity"])) >= 8
    assert int(str(examined["structure"])) >= 8
    scores = world.answer("score", {}, [data])
    assert {name for name in SIX if int(str(scores[name])) >= 7} == {"composition", "entity", "text", "imaginative"}
    proof = world.answer("proofread", {}, [data])
    assert proof["transcription"] == "OPEN"
    assert min(int(str(proof[name])) for name in ("contrast", "letterforms", "sense")) >= 8


def test_captions_say_what_is_seen() -> None:
    data = painted()
    texts = [str(world.answer(f"caption_{form}", {}, [data])["caption"]) for form in SIX]
    assert len(set(texts)) == 6
    assert "two red cars" in texts[0].lower()
    assert '"OPEN"' in texts[2]
    assert "moon" in texts[3]
    whole = str(world.answer("generation_chain_of_thought", {"captions": "\n".join(texts)}, [data])["caption"])
    assert whole == write(world.commission(PROMPT, 1, {})[0], form="detail")
    translated = str(world.answer("translate", {"caption": whole}, [])["translation"])
    assert "“OPEN”" in translated
    assert "两辆红色的汽车" in translated


@pytest.mark.parametrize("fault", FAULTS)
def test_injected_faults_are_known_without_looking(fault: str) -> None:
    assert set(world.commission(PROMPT, 1, {fault: 1.0})[1]) == {fault}
    assert world.commission(PROMPT, 1, {fault: 0.0})[1] == {}
    assert painted(faults={fault: 1.0}) != painted()


def test_at_most_one_fault_is_drawn_and_only_an_applicable_one() -> None:
    scene = complete(Scene((Group("owl", "red"),)), random.Random(0))
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
    assert int(str(world.answer("proofread", {}, [data])["sense"])) < 6
    with pytest.raises(world.Unsupported, match="no lettering of the embedded world"):
        world.answer("caption_text", {}, [data])


@pytest.mark.parametrize("question", ["examine", "score", "proofread", "caption_style", "generation_chain_of_thought"])
def test_foreign_pictures_are_unsupported(question: str) -> None:
    buffer = io.BytesIO()
    Image.new("RGB", (256, 256), "navy").save(buffer, "PNG")
    for data in (b"", b"no picture", buffer.getvalue()):
        with pytest.raises(world.Unsupported):
            world.answer(question, {}, [data])


def test_unknown_questions_and_texts_are_unsupported() -> None:
    for question, fields in (
        ("sing", {}),
        ("translate", {"caption": "Rain in Paris."}),
        ("translate", {}),
        ("score", {}),
    ):
        with pytest.raises(world.Unsupported):
            world.answer(question, fields, [])
    for prompt in ("a dragon", "", "an owl on a wire"):
        with pytest.raises(world.Unsupported, match="cannot read"):
            world.paint_prompt(prompt, 256, 256, 0, {})


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


def test_captions_are_distinct_and_readable() -> None:
    texts = world.captions(120, 3)
    assert len(set(texts)) == 120
    assert texts == world.captions(120, 3)
    assert all(world.commission(text, 0, {})[0] for text in texts)


def test_characteristics_are_neither_rare_nor_everywhere() -> None:
    tally = dict.fromkeys(SIX, 0)
    for number, prompt in enumerate(world.captions(60, 9)):
        scores = world.answer("score", {}, [world.paint_prompt(prompt, 384, 384, number, {})])
        for name in SIX:
            tally[name] += int(str(scores[name])) >= 7
    assert all(0.15 <= count / 60 <= 0.85 for count in tally.values()), tally
    assert 2.5 <= sum(tally.values()) / 60 <= 3.7, tally


@pytest.mark.parametrize("lettering", LETTERING_ZH)
def test_chinese_lettering_is_read_as_painted(lettering: str) -> None:
    prompt = f"文字“{lettering}”。"
    for seed in (0, 1):  # among them both signs
        picture = world.paint_prompt(prompt, 512, 512, seed, {})
        assert see(Image.open(io.BytesIO(picture))).transcription == lettering


def test_the_chinese_font_has_every_character_of_the_lettering() -> None:
    font = ImageFont.truetype(str(CHINESE_FONT), 64, layout_engine=ImageFont.Layout.BASIC)
    missing = bytes(font.getmask("\u4dff"))  # a hexagram
    shapes = {character: bytes(font.getmask(character)) for character in "".join(LETTERING_ZH)}
    assert missing not in shapes.values()
    assert len(set(shapes.values())) == len(shapes)


def test_lettering_is_read_without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the world must not open a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert see(Image.open(io.BytesIO(painted()))).transcription == "OPEN"
