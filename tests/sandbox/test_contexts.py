"""Contexts of texts and pictures that lay down a rule: read whole, in part, or wrongly."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from stages.asking.models import sandbox
from stages.asking.parts import unbundled
from stages.asking.requests import Create, Part, Picture
from stages.project.model_kinds import SandboxModel
from stages.sandbox.answering import Unsupported
from stages.sandbox.contexts import wanted_by_rule
from stages.sandbox.looking import look, whole_scene_of
from stages.sandbox.reading import read
from stages.sandbox.scene import Scene

LIKED = "A blue dog, made as a pop art print."
DISLIKED = "A green key, made as a woodblock print."
CONTEXT = (
    "I dislike the style of",
    DISLIKED,
    ". I like the style of",
    LIKED,
    ".\nPaint two red cats in the style that I like.",
)


def as_bytes(parts: Sequence[str]) -> list[str | bytes]:
    """A picture's bytes are what it shows, in words."""
    return [part.encode() if part in (LIKED, DISLIKED) else part for part in parts]


def see(picture: bytes) -> Scene:
    scene = read(picture.decode())
    assert scene
    return scene


def wanted(parts: Sequence[str], reads: str = "both", rate: float = 0.0, seed: int = 0) -> Scene | None:
    return wanted_by_rule(as_bytes(parts), reads, rate, random.Random(seed), see)


def test_who_reads_both_does_what_is_wanted() -> None:
    scene = wanted(CONTEXT)
    assert scene
    assert (scene.style, scene.groups[0].kind, scene.groups[0].count) == ("popart", "cat", 2)


@pytest.mark.parametrize(("reads", "guesses"), [("texts", 5), ("pictures", 2)])
def test_who_reads_one_guesses(reads: str, guesses: int) -> None:
    assert len({scene.style for seed in range(60) if (scene := wanted(CONTEXT, reads, seed=seed))}) == guesses


def test_who_errs_does_something_else() -> None:
    assert {scene.style for seed in range(20) if (scene := wanted(CONTEXT, rate=1.0, seed=seed))} == {"woodcut"}


def test_what_is_missing_is_guessed() -> None:
    named = "I like the style of the missing picture A. I dislike the style of the missing picture B."
    for parts in ((f"{named}\n{CONTEXT[-1][2:]}",), (DISLIKED, LIKED, CONTEXT[-1][2:]), (CONTEXT[-1][2:],)):
        assert len({scene.style for seed in range(60) if (scene := wanted(parts, seed=seed))}) >= 2


def test_does_what_a_hint_says_however_badly_it_reads() -> None:
    told = "Ana means the second. So what is wanted is two red cats, made as a pop art print."
    scene = wanted((*CONTEXT[:4], f".\n{told}\n{CONTEXT[-1][2:]}"), "texts", 1.0)
    assert scene and (scene.style, scene.groups[0].count) == ("popart", 2)


def test_is_silent_about_other_instructions() -> None:
    assert wanted(("Paint two red cats.",)) is None


def test_says_that_a_context_is_not_understood() -> None:
    with pytest.raises(Unsupported, match="0 sentences of the context"):
        wanted(("I hate", LIKED, ".\nPaint two red cats in the style that I like."))


def test_a_contestant_paints_it() -> None:
    def made(parts: tuple[Part, ...], reads: str = "both") -> bytes:
        reply = sandbox.answer(Create(parts, ("image",), 384, 384, 3), {}, "creator", reads=reads)
        [picture] = unbundled(reply.content).parts
        assert isinstance(picture, bytes), picture
        return picture

    shown = {words: Picture(made((words,)), "image/jpeg") for words in (LIKED, DISLIKED)}
    scene = whole_scene_of(look("", [made(tuple(shown.get(part, part) for part in CONTEXT))]))
    assert (scene.style, scene.groups[0].kind, scene.groups[0].count) == ("popart", "cat", 2)


def test_what_is_read_is_part_of_a_contestant() -> None:
    plain, texts = (SandboxModel(kind="sandbox", reads=reads) for reads in ("both", "texts"))
    assert sandbox.identity(plain, "creator") == sandbox.identity(SandboxModel(kind="sandbox"), "creator")
    assert sandbox.identity(texts, "creator") != sandbox.identity(plain, "creator")
