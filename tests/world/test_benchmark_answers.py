"""The world in a benchmark: it writes prompts of drawn elements, brings them into Chinese, and judges the pictures."""

from __future__ import annotations

import io
import random
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from gamut.world.captions import understand
from gamut.world.faults import FAULTS, applicable_faults
from gamut.world.phrases import FORMS
from gamut.world.reading import read
from gamut.world.scene import Scene, complete_scene, random_scene
from gamut.world.vocabulary import CHINESE_FOR
from gamut.world.writing import write
from stages.prism.construction.samples import FOLDER, TRACKS, Sample, draw_samples, missing
from tests import embedded_world as world
from tests.embedded_world import PROMPT

SIX = ("composition", "entity", "text", "imaginative", "style", "affection")


def composed(draw: Sample, seed: int = 0) -> str:
    elements = "\n".join(f"{role}: {text}" for role, text in draw.elements)
    return world.answer(f"prism_compose_{draw.track}", {"elements": elements}, [], seed)["prompt"]


def aligned(prompt: str, picture: bytes, track: str = "style") -> int:
    reply = world.answer(f"prism_alignment_{track}", {"prompt": prompt}, [picture])
    assert list(reply) == ["justification", "score"]
    assert str(reply["justification"]).count(".") == 1
    return reply["score"]


def good_looking(picture: bytes) -> int:
    reply = world.answer("prism_aesthetic", {"prompt": PROMPT}, [picture])
    assert list(reply) == ["justification", "score"]
    return reply["score"]


def whole_scene(number: int, chinese: bool = False) -> Scene:
    """A complete scene, its lettering Chinese if so wanted."""
    rng = random.Random(f"benchmark {number}")
    scene = complete_scene(random_scene(rng), rng)
    return replace(scene, lettering=CHINESE_FOR[scene.lettering]) if chinese and scene.lettering else scene


def encoded(image: Image.Image, quality: int | None = None) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=quality) if quality else image.save(buffer, "PNG")
    return buffer.getvalue()


@pytest.mark.parametrize("track", TRACKS)
def test_a_prompt_has_every_drawn_element_and_can_be_read(track: str) -> None:
    for seed in (0, 1):
        for draw in draw_samples(track, 40, seed, FOLDER / "world"):
            prompt = composed(draw, seed)
            scene = read(prompt)
            assert missing(draw, prompt) == []
            assert scene is not None
            assert track != "imagination" or scene.surreal
    assert composed(draw) == composed(draw)
    assert len({composed(draw, seed) for seed in range(10)}) > 1


@pytest.mark.parametrize(
    ("track", "elements", "said"),
    [
        ("entity", "landmark: Eiffel Tower", "'Eiffel Tower' is not in the world's vocabulary"),
        ("imagination", "a: owl\na: cat\na: dog", "one or two groups"),
        ("style", "style: woodblock print\nstyle: pop art print\nsubject: cat", "style is asked for twice"),
        ("composition", "quantity: two\nquantity: three\nobject: cat", "count is asked for twice"),
        ("composition", "object: cat\ncolour: red", "colour belongs to no object"),
        ("composition", "object: cat\nrelation: above", "relation 'above' needs two groups"),
        ("composition", "quantity: two\nobject: mouse", "cannot write 'mouse' word for word"),  # two mice
        ("text_rendering", "content: Open\nsurface: wooden sign", "lettering 'Open' is not in the world's vocabulary"),
    ],
)
def test_what_cannot_be_one_scene_is_not_composed(track: str, elements: str, said: str) -> None:
    with pytest.raises(world.Unsupported, match=said):
        world.answer(f"prism_compose_{track}", {"elements": elements}, [])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_captions_of_every_form_tell_the_scene_or_nothing_of_it(language: str) -> None:
    for number in range(60):
        scene = whole_scene(number, chinese=language == "zh")
        for form in FORMS:
            told = understand(write(scene, language, form))
            if told is None:  # nothing in it can be painted: "There is no lettering anywhere."
                assert (form, getattr(scene, {"text": "lettering"}.get(form, "surreal"))) in (
                    ("text", None),
                    ("imaginative", None),
                )
            elif form in ("prompt", "detail", "long"):
                assert told == scene
            else:
                parts = ("relation", "lettering", "sign", "style", "light", "mood", "surreal")
                assert all(getattr(told, part) in (None, getattr(scene, part)) for part in parts)
                assert [group.kind for group in told.groups] == [group.kind for group in scene.groups][
                    : len(told.groups)
                ]
                world.commission(write(scene, language, form), 0, {})  # it can be painted


def test_captions_that_disagree_tell_nothing() -> None:
    owl, cat = (write(complete_scene(found, random.Random(0)), form="detail") for text in ("an owl", "a cat")
                if (found := read(text)))  # fmt: skip
    assert understand(owl) is not None
    assert understand(f"{owl} {cat}") is None
    assert understand(f"{owl} It rains in Paris.") is None


def test_captions_of_a_picture_become_one_longer_text_that_says_the_same() -> None:
    picture = world.paint_prompt(PROMPT, 512, 512, 1, {})
    captions = [f"{form}: {world.answer(f'caption_{form}', {}, [picture])['caption']}" for form in SIX]
    reasoning = world.answer("generation_chain_of_thought", {}, [picture])["caption"]
    for lines in (captions, [*captions, f"generation_chain_of_thought: {reasoning}"]):
        text = world.answer("prism_expand", {"captions": "\n".join(lines)}, [])["prompt"]
        assert understand(text) == world.commission(PROMPT, 1, {})[0]
        assert len(text) > 1.3 * len(reasoning)
    for lines in ([], ["style: A dog walks in Paris."], [*captions, "entity: A dog walks in Paris."]):
        with pytest.raises(world.Unsupported, match="the captions"):
            world.answer("prism_expand", {"captions": "\n".join(lines)}, [])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["prompt", "text", "detail", "long"]))
def test_adapted_lettering_is_chinese_and_fitting_and_all_else_is_translated(number: int, form: str) -> None:
    scene = whole_scene(number)
    text = write(scene, "en", form)
    translated = world.answer("prism_translate", {"prompt": text}, [])["translation"]
    adapted = world.answer("prism_adapt", {"prompt": text}, [])["adaptation"]
    chinese = CHINESE_FOR.get(scene.lettering or "", "")
    assert adapted == (translated.replace(f"“{scene.lettering}”", f"“{chinese}”") if scene.lettering else translated)
    told, adapted_told = understand(translated), understand(adapted)
    if told is not None:
        assert adapted_told == (replace(told, lettering=chinese) if told.lettering else told)


@cache
def scores(fault: str | None) -> list[tuple[int, int]]:
    """Alignment and aesthetic of 10 pictures, each with the fault (None: with none), every other one in Chinese."""
    found = []
    for number in range(10):
        language = ("en", "zh")[number % 2]
        rng = random.Random(f"judged {fault} {number}")
        scene = random_scene(rng)
        while fault and fault not in applicable_faults(scene):
            scene = random_scene(rng)
        if language == "zh" and scene.lettering:
            scene = replace(scene, lettering=CHINESE_FOR[scene.lettering])
        prompt = write(scene, language, "detail" if number % 4 < 2 else "prompt")
        picture = world.flawed(prompt, fault, seed=number, size=384)
        try:
            found.append((aligned(prompt, picture), good_looking(picture)))
        except world.Unsupported:
            assert len(found) == number, "a second picture that is not known for one of the world's"
    return found


def mean(fault: str | None, axis: str) -> float:
    values = [score[("alignment", "aesthetic").index(axis)] for score in scores(fault)]
    return sum(values) / len(values)


def test_a_faultless_picture_is_right_and_looks_good() -> None:
    assert mean(None, "alignment") >= 9.5
    assert mean(None, "aesthetic") >= 8


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_lowers_its_axis_and_no_other(fault: str) -> None:
    wrong = fault in ("wrong_count", "swapped_relation", "misspelt_lettering")
    assert mean(fault, "alignment" if wrong else "aesthetic") <= 7  # at most what one thing wrong leaves
    if fault in ("wrong_count", "swapped_relation", "misspelt_lettering", "low_contrast"):
        assert mean(fault, "aesthetic" if wrong else "alignment") >= 8


def test_the_picture_of_another_prompt_does_not_fit() -> None:
    prompts = world.captions(8, 5)
    for number, prompt in enumerate(prompts):
        picture = world.paint_prompt(prompt, 512, 512, number, {})
        assert aligned(prompt, picture) == 10
        assert aligned(prompts[number - 1], picture) <= 3


@pytest.mark.parametrize("colour", ["white", "black", "navy", (74, 156, 218)])
@pytest.mark.parametrize("quality", [None, 20])
def test_on_an_evenly_coloured_picture_nothing_is_there(colour: str, quality: int | None) -> None:
    blank = encoded(Image.new("RGB", (512, 512), colour), quality)
    assert (aligned(PROMPT, blank), good_looking(blank)) == (0, 0)


def test_compressed_and_small_pictures_are_judged_too() -> None:
    compressed, small = [], []
    for number, prompt in enumerate(world.captions(16, 7)):
        picture = Image.open(io.BytesIO(world.paint_prompt(prompt, 512, 512, number, {})))
        for found, data in ((compressed, encoded(picture, 20)), (small, encoded(picture.resize((256, 256))))):
            found.append((aligned(prompt, data), good_looking(data)))
    assert sum(alignment for alignment, _ in compressed) / 16 >= 6
    assert sum(alignment for alignment, _ in small) / 16 >= 9
    assert sum(aesthetic for _, aesthetic in compressed) < sum(aesthetic for _, aesthetic in small)
