"""What a contestant is put to: which class can answer it, and what of an answer counts."""

from __future__ import annotations

import pytest

from gamut.asking.requests import Modality, Part, Picture
from gamut.evaluation.defining.questions import Prompt, Reflection

ONE, TWO = Picture(b"one"), Picture(b"two")


@pytest.mark.parametrize(
    ("parts", "modalities", "task"),
    [
        (("a cat",), ("image",), "generation"),
        (("Make it blue: ", ONE), ("image",), "editing"),
        (("What is it? ", ONE), ("text",), "understanding"),
        (("Tell and show a cat.",), ("text", "image"), "interleaved"),
    ],
)
def test_what_is_asked_for(parts: tuple[Part, ...], modalities: tuple[Modality, ...], task: str) -> None:
    assert Prompt(parts, modalities).tasks == {task}


@pytest.mark.parametrize(
    ("modalities", "counts"),
    [
        (("image",), [ONE]),  # neither what is said beside it, nor a second try
        (("text",), ["first", "last"]),
        (("text", "image"), ["first", ONE, "last", TWO]),
    ],
)
def test_what_nobody_asked_for_does_not_count(modalities: tuple[Modality, ...], counts: list[Part]) -> None:
    assert Prompt(("x",), modalities).wanted_parts(["first", ONE, "last", TWO]) == counts


def test_who_comes_back_to_its_picture_paints_and_writes() -> None:
    """Whatever is given: so a prompt in words alone is put as texts and pictures are, since the picture comes back."""
    for parts in (("a cat",), ("Make it blue: ", ONE)):
        reflected = Prompt(parts, reflection=Reflection("What is wrong?", "Again!"))
        assert reflected.tasks == {"understanding", "editing"} and reflected.prompt is None
