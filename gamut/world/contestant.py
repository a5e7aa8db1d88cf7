"""The embedded world as a contestant: it paints what words say, and answers items of frozen editions by their keys.

At its rates it errs: it gives what is right of another item, or paints with the painter's faults. It solves nothing.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from . import vocabulary as v
from .answering import Parts, Unsupported, pictures_of, texts_of
from .captions import understand
from .faults import draw_faults
from .keys import OPTION, Key, key_for, knows_all, paintable, right_picture, right_scene, right_words, wrong_answers
from .looking import look, whole_scene_of
from .painting import commission, paint_prompt, painted_scene
from .writing import write

FAULTS: Mapping[str, str] = {"text": "wrong_text", "image": "wrong_picture"}
"""The faults of answers in words alone, and of those with a picture."""
REASONING = "wrong_reasoning"
GUESS = 0.5
"""How often an answer is wrong whose item was asked without its pictures, and without a hint in their place."""
FAULTS_OF_WORDS = ("wrong_count", "swapped_relation")
"""Faults of the painter that words can have too."""
RELIGHT = re.compile(rf"make it ({'|'.join(word.en for word in v.LIGHTS.values())})\b", re.IGNORECASE)
"""The one edit that is done without a key."""
WANTED = re.compile(r"So what is wanted is (.+?\.)(?=\s|$)")
"""How hints, and critiques of a contestant's own picture, end: that is painted, whatever else is said."""
MARKED_PLACE = "<picture>…</picture>"
"""Stands in what the writer of a pair is asked beside the task: the world tells a scene, and marks no place."""


def answer(
    parts: Parts,
    modalities: Sequence[str],
    size: tuple[int, int],
    seed: int,
    sample: int,
    faults: Mapping[str, float],
    coupling: str,
) -> list[str | bytes]:
    """Answer with a text, a picture of a size, or both; the same for the same arguments. `seed` is of the request; its
    samples, from 0, differ. Unsupported: what is asked is in no edition, and says nothing that can be painted.

    `faults` maps names of faults to rates 0..1: pictures have those of the painter, and so have words, as far as words
    can; `wrong_reasoning` of all answers to items, `wrong_text` and `wrong_picture` of either kind, hang together by
    `coupling`.
    """
    parts = [part for part in parts if isinstance(part, bytes) or MARKED_PLACE not in part]
    painter = {name: rate for name, rate in faults.items() if name not in (REASONING, *FAULTS.values())}
    asked = "\n".join(texts_of(parts))
    if "image" in modalities and (told := WANTED.search(asked)):
        return create_answer(told[1], told[1], modalities, size, seed + sample, painter)
    key = key_for(parts)
    if key is None or ("image" in modalities and not paintable(key)):
        prompt = prompt_without_key(parts)
        return create_answer(prompt, prompt, modalities, size, seed + sample, painter)
    rng = random.Random(f"{key.id} {modalities} {seed + sample} {asked}")
    if is_wrong(key, parts, asked, modalities, sample, faults, coupling, rng):
        wrong = rng.choice(wrong_answers(key, asked, modalities == ("text",)) or [key])
        if isinstance(wrong, str):
            return [wrong]
        key = wrong
    words = right_words(key, asked)
    scene = right_scene(key) if "image" in modalities else None
    if "image" in modalities and scene is None:
        return [*([words] if "text" in modalities else []), picture_of(key)]
    return create_answer(write(scene) if scene else "", words, modalities, size, seed + sample, painter)


def is_wrong(
    key: Key,
    parts: Parts,
    question: str,
    modalities: Sequence[str],
    sample: int,
    faults: Mapping[str, float],
    coupling: str,
    rng: random.Random,
) -> bool:
    """Return whether another item's answer is given."""
    side = "image" if "image" in modalities else "text"
    chooses = OPTION.search(question)
    guessed = not knows_all(key, parts) and rng.random() < GUESS
    rate = max(faults.get(REASONING, 0.0), faults.get("wrong_count", 0.0) if side == "text" and not chooses else 0.0)
    wrong = rng.random() < rate
    return guessed or wrong or sample_fails(key.id, sample, side, faults.get(FAULTS[side], 0.0), coupling)


def sample_fails(item: str, sample: int, side: str, rate: float, coupling: str) -> bool:
    """Whether a sample of an item errs in its words or its picture (`side`).

    By `coupling` both err (alike), each for itself (independent), or never both as far as the rates allow (apart): with
    u even in [0, 1) words fail where u < wrong_text, and pictures where u < wrong_picture, where another such number is
    below it, or where 1 - u <= wrong_picture. All contestants draw alike: what fails at a lower rate fails at a higher
    one too, so skill is told apart by few items.
    """
    own = side if coupling == "independent" else ""
    mark = f"{item}\n{sample}\n{own}"
    drawn = int.from_bytes(hashlib.sha256(mark.encode()).digest()[:6], "big") / 2**48
    return 1 - drawn <= rate if coupling == "apart" and side == "image" else drawn < rate


def create_answer(
    prompt: str, words: str, modalities: Sequence[str], size: tuple[int, int], seed: int, faults: Mapping[str, float]
) -> list[str | bytes]:
    """Return an answer: words, the picture that a prompt asks for, or words, picture and a caption."""
    if "image" not in modalities:
        return [words]
    painted = paint_prompt(prompt, *size, seed, faults)
    if "text" not in modalities:
        return [painted]
    scene, _, rng = commission(prompt, seed, {})
    told = painted_scene(scene, draw_faults(scene, {name: faults.get(name, 0.0) for name in FAULTS_OF_WORDS}, rng), rng)
    return ["This is what was asked for:", painted, write(told)]


def picture_of(key: Key) -> bytes:
    """Return the right picture of an item; Unsupported where it has none."""
    if (data := right_picture(key)) is None:
        raise Unsupported(f"item {key.id} does not say what a right picture shows")
    return data


def prompt_without_key(parts: Parts) -> str:
    """In words what is asked for that is no item: the words themselves, else what the one picture shows, in the light
    that is asked for, if any.
    """
    text = " ".join(texts_of(parts))
    if not pictures_of(parts):
        if understand(text) is None:
            raise Unsupported(f"no edition has an item that asks for this, and it cannot be painted: {text[:120]!r}")
        return text
    scene = whole_scene_of(look("what is given", pictures_of(parts)))
    lights = {word.en: name for name, word in v.LIGHTS.items()}
    wanted = RELIGHT.search(text)
    return write(replace(scene, light=lights[wanted[1].lower()]) if wanted else scene)
