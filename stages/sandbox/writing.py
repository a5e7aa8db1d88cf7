"""Scenes into text: a prompt in one line, or a caption that stresses one characteristic, in English or Chinese."""

from __future__ import annotations

import hashlib

from .grammar import compose
from .phrases import render, slots_of
from .scene import Scene
from .sentences import FAMILIES, outline

LANGUAGES = ("en", "zh")


def write(scene: Scene, language: str = "en", form: str = "prompt") -> str:
    """Say a scene. Forms: prompt, composition, entity, text, imaginative, style, abstract, detail.

    A prompt leaves unsaid what is None; the other forms need a complete scene. The same scene gives the same text, and
    both languages say the same. Raises ValueError for an unknown language or form, or an incomplete scene.
    """
    if language not in LANGUAGES:
        raise ValueError(f"no language {language!r}; the world writes {' and '.join(LANGUAGES)}")
    if form == "prompt":
        return compose(scene, language, _pick(scene, form))
    if None in (scene.light, scene.style, scene.mood) or (len(scene.groups) == 2 and not scene.relation):
        raise ValueError(f"form {form!r} needs a complete scene: call complete(scene, rng) first")
    slots = slots_of(scene)
    sentences = []
    for name in outline(scene, form):
        family = FAMILIES[name]
        twin = family[_pick(scene, f"{form} {name}") % len(family)]
        sentences.append(render(twin.en if language == "en" else twin.zh, slots, language))
    return (" " if language == "en" else "").join(sentences)


def _pick(scene: Scene, purpose: str) -> int:
    """A number that depends on the scene and the purpose alone."""
    return int.from_bytes(hashlib.sha256(f"{scene!r} {purpose}".encode()).digest()[:4], "big")
