"""The world as a writer: seed prompts by family, and new prompts in the manner of examples."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamut.world.reading import read, translate
from gamut.world.scene import random_scene
from gamut.world.writing import write
from tests import embedded_world as world


def brainstorm(family: str, count: str = "12", seed: int = 0) -> list[str]:
    prompts = world.answer("brainstorm", {"family": family, "count": count}, [], seed)["prompts"]
    assert isinstance(prompts, list)
    return prompts


def imagine(examples: list[str], seed: int = 0) -> str:
    return world.answer("imagine", {"examples": "\n".join(examples)}, [], seed)["caption"]


def test_seed_prompts_are_different_scenes_with_something_surreal() -> None:
    prompts = brainstorm("dream landscapes", "200")
    assert len(set(prompts)) == 200
    for prompt in prompts:
        scene = read(prompt)
        assert scene is not None
        assert scene.surreal is not None


def test_seed_prompts_depend_on_family_and_seed_alone() -> None:
    assert brainstorm("reversed scale") == brainstorm("reversed scale")
    assert not set(brainstorm("reversed scale")) & set(brainstorm("living architecture"))
    assert not set(brainstorm("reversed scale")) & set(brainstorm("reversed scale", seed=1))
    assert brainstorm("reversed scale", "3") == brainstorm("reversed scale")[:3]


@pytest.mark.parametrize("count", ["", "0", "1001", "ten", "-3", "2.5"])
def test_a_count_that_is_none_is_unsupported(count: str) -> None:
    with pytest.raises(world.Unsupported, match="a count of 1 to 1000 prompts"):
        brainstorm("dreams", count)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 10), st.integers(0, 99))
def test_an_imagined_prompt_is_new_surreal_readable_and_translatable(start: int, number: int, seed: int) -> None:
    examples = [write(random_scene(random.Random(start + n))) for n in range(number)]
    prompt = imagine(examples, seed)
    scene = read(prompt)
    assert prompt not in examples
    assert scene is not None
    assert scene.surreal is not None
    translated = translate(prompt)
    assert translated
    assert scene.lettering is None or f"“{scene.lettering}”" in translated
    assert prompt == imagine(examples, seed)


def test_an_imagined_prompt_takes_a_thing_from_the_examples() -> None:
    prompts = {imagine(["two red cats under a giant moon", "a blue dog, in the style of a woodblock print"], n)
               for n in range(20)}  # fmt: skip
    assert len(prompts) == 20
    for prompt in prompts:
        scene = read(prompt)
        assert scene is not None
        assert {group.kind for group in scene.groups} & {"cat", "dog"}
        assert scene.style in (None, "woodcut")  # looks come from the examples


def test_examples_that_cannot_be_read_are_passed_over() -> None:
    assert read(imagine(["a city of glass whales", "an owl"])) is not None
    assert read(imagine(['the word "OPEN"'])) is not None
    for examples in ([], ["a city of glass whales"]):
        with pytest.raises(world.Unsupported, match="none of the examples"):
            imagine(examples)
