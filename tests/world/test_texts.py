"""Writing, reading and translating share one phrasebook: they are inverses, and nothing is read by halves."""

from __future__ import annotations

import csv
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamut.world.phrases import FAMILIES, FORMS, Twin
from gamut.world.reading import read, translate
from gamut.world.scene import Group, Scene, canonical_scene, complete_scene, random_scene
from gamut.world.vocabulary import KINDS, LETTERING
from gamut.world.writing import write
from tests.paths import PARTI

OPEN_FIELDS = ("relation", "sign", "style", "light", "mood", "surreal")


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    """Random scenes of which any field may be left open."""
    scene = random_scene(random.Random(draw(st.integers(0, 10**9))))
    for field in draw(st.sets(st.sampled_from(OPEN_FIELDS))):
        scene = replace(scene, **{field: None})
    if draw(st.booleans()) and len({group.kind for group in scene.groups}) == len(scene.groups):
        scene = replace(scene, groups=tuple(replace(group, colour=None) for group in scene.groups))
    if scene.lettering and draw(st.integers(0, 9)) == 0:
        scene = replace(scene, groups=(), relation=None)
    return scene


@settings(max_examples=250, deadline=None)
@given(scenes(), st.sampled_from(["en", "zh"]))
def test_reading_a_written_prompt_gives_the_scene_back(scene: Scene, language: str) -> None:
    assert read(write(scene, language)) == scene


@settings(max_examples=120, deadline=None)
@given(scenes(), st.sampled_from(FORMS), st.integers(0, 99))
def test_translation_leads_there_and_back(scene: Scene, form: str, seed: int) -> None:
    scene = scene if form == "prompt" else complete_scene(scene, random.Random(seed))
    english, chinese = write(scene, "en", form), write(scene, "zh", form)
    assert translate(english, "en", "zh") == chinese
    assert translate(chinese, "zh", "en") == english
    assert scene.lettering is None or scene.lettering in chinese or scene.lettering not in english


def test_captions_have_the_asked_lengths() -> None:
    for number in range(200):
        rng = random.Random(number)
        scene = complete_scene(random_scene(rng), rng)
        for form in FORMS[1:-2]:
            assert 25 <= len(write(scene, "en", form).split()) <= 60, write(scene, "en", form)
        assert 850 <= len(write(scene, "en", "detail")) <= 1300
        assert len(write(scene, "en", "long")) > 1.3 * len(write(scene, "en", "detail"))


def test_no_sentence_of_the_phrasebook_stands_twice() -> None:
    twins = [twin for family in FAMILIES.values() for twin in family]
    assert len({twin.en for twin in twins}) == len({twin.zh for twin in twins}) == len(twins)
    assert all(isinstance(twin, Twin) and twin.en.endswith(".") and twin.zh.endswith("。") for twin in twins)


@pytest.mark.parametrize(
    ("text", "groups", "relation", "lettering"),
    [
        ("an owl", (Group("owl"),), None, None),
        ("An owl.", (Group("owl"),), None, None),
        ("two red cars", (Group("car", "red", 2),), None, None),
        ("a photo of a blue bicycle to the left of a house", (Group("bicycle", "blue"), Group("house")), "left", None),
        ("a cat under a dog", (Group("cat"), Group("dog")), "below", None),
        ("two fish and a pair of scissors", (Group("fish", None, 2), Group("pair of scissors")), None, None),
        ("a pair of shoes", (Group("sneaker", None, 2),), None, None),
        ('a sign that says "OPEN"', (), None, "OPEN"),
        ("the word 'START'", (), None, "START"),
        ("两辆红色的汽车在一座房子的左边", (Group("car", "red", 2), Group("house")), "left", None),
    ],
)  # fmt: skip
def test_plain_prompts_are_read(
    text: str, groups: tuple[Group, ...], relation: str | None, lettering: str | None
) -> None:
    scene = read(text)
    assert scene is not None
    assert (scene.groups, scene.relation, scene.lettering) == (groups, relation, lettering)


@pytest.mark.parametrize(
    "text",
    [
        "", "a white cat", "three dragons", "two car", "a cars", "a cat a dog", "a car at night at noon", "six owls",
        "an owl on a wire", "a red car and a red car", 'a sign that says "Very Deep Learning"', "一只白色的猫", "red",
        "a cat of", "a photo of", "a dog in Paris", "a cat with a hat", '"',
    ],
)  # fmt: skip
def test_what_is_not_understood_is_not_read(text: str) -> None:
    assert read(text) is None


def test_foreign_sentences_are_not_translated() -> None:
    assert translate("A dog walks in Paris.") is None
    assert translate("一只狗在巴黎散步。", "zh", "en") is None
    assert translate("an owl") == "一只猫头鹰。"
    with pytest.raises(ValueError, match="between en and zh"):
        translate("an owl", "en", "fr")


def test_real_prompts_are_read_whole_or_not_at_all() -> None:
    with PARTI.open(encoding="utf-8", newline="") as file:
        prompts = [row["Prompt"] for row in csv.DictReader(file, delimiter="\t")]
    read_whole = {prompt: scene for prompt in prompts if (scene := read(prompt))}
    assert len(read_whole) >= 60
    for prompt, scene in read_whole.items():
        names = [name.lower() for g in scene.groups for k in [KINDS[g.kind]]
                 for pair in ((k.name, k.plural), *k.synonyms) for name in pair]  # fmt: skip
        assert scene.lettering or any(name in prompt.lower() for name in names), prompt


@pytest.mark.parametrize(
    "fields",
    [
        {"groups": ()},
        {"groups": (Group("cat"), Group("cat"))},
        {"groups": (Group("cat"),), "relation": "left"},
        {"groups": (Group("cat"),), "lettering": "NONSENSE"},
        {"groups": (Group("cat"),), "mood": "sleepy"},
        *({"kind": "cat"} | wrong for wrong in ({"kind": "yeti"}, {"count": 6}, {"colour": "beige"})),
    ],
)
def test_impossible_scenes_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"a scene has one|need|is not in the world's vocabulary"):
        Scene(**fields) if "groups" in fields else Group(**fields)


def test_canonical_turns_the_relation() -> None:
    cat, dog = Group("cat", "red"), Group("dog", "blue")
    assert canonical_scene(Scene((cat, dog), "right")) == Scene((dog, cat), "left")
    assert canonical_scene(Scene((cat, dog), "below")) == Scene((dog, cat), "above")


def test_random_scenes_show_every_characteristic_often_enough() -> None:
    found = [random_scene(random.Random(number)) for number in range(600)]
    shares = {
        "two groups": sum(len(scene.groups) == 2 for scene in found) / 600,
        "lettering": sum(scene.lettering is not None for scene in found) / 600,
        "surreal": sum(scene.surreal is not None for scene in found) / 600,
        "style": sum(scene.style != "flat" for scene in found) / 600,
        "mood": sum(scene.mood != "calm" for scene in found) / 600,
    }
    assert all(0.15 <= share <= 0.85 for share in shares.values()), shares
    assert len(LETTERING) >= 60
    assert 80 <= len(KINDS) <= 100
