"""What a picture is to show: what words say, and where it is made of others, one that is edited, or things of several.

An instruction points at pictures as `#1`. One of them is edited; what the words take from another is looked up there
and put in its place, so that "put the cat of #1 into #2" is read as "put a red cat into it".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from . import vocabulary as v
from .answering import Unsupported, unreadable
from .captions import understand
from .changes import changed, place_of
from .material import Material, Parts, made, material, pictures_of, tellings, texts_of, together
from .naming import named
from .phrases import group_words
from .scene import Scene

_TELL = r"^\s*(?:please )?(?:tell and show|show and tell|tell and paint|say and show)\s*[:,.]\s*"
"""What asks for words beside a picture."""
_OF = r"(?:of|from|in|on|shown in|seen in|that is in|which is in)"
_ANEW = (
    r"(?:paint|draw|show|create|make|generate|compose)(?: me)?"
    r"(?: (?:a|an|one|a new|another) (?:picture|image|scene))?(?: (?:of|with|that shows|showing))?:? "
)
"""How an order for a picture begins."""
_TOGETHER = (
    r"(?:combine|merge|unite|join) (?:#\*|.+ and #\*|#\d and #\d)(?: (?:in|into) one(?: picture| image)?)?",
    r"(?:put|paint|show|bring) (?:all|both|everything|what is)(?: \w+)? (?:in|of|on) #[\d*]"
    r" (?:together|into one picture)",
    r"(?:paint|draw|show) (?:what|all that|everything that) (?:.+ and )?#[\d*](?: together)? (?:says?|tells?|shows?)"
    r"(?: together)?",
)
_ADDING = ("add", "put", "place", "insert", "copy", "move", "include")
_STYLES = {"style": "style", "light": "light", "lighting": "light", "mood": "mood", "background": "background"}
_BACKGROUND = ("style", "light", "mood", "surreal")


class Wanted(NamedTuple):
    """The scene that a picture is to show, None in it for what was left open, and the number from 0 of the picture that
    is edited; None where all is painted anew.
    """

    scene: Scene
    edited: int | None


def told_apart(parts: Parts) -> list[str | bytes]:
    """Return what was given, its texts without "Tell and show:"."""
    return [re.sub(_TELL, "", part, flags=re.IGNORECASE) if isinstance(part, str) else part for part in parts]


def wished(parts: Parts) -> Scene:
    """Return the scene that is to be painted of texts and pictures, None in it for what is left open. Unsupported where
    that is not understood.
    """
    if pictures_of(parts):
        return wanted(material(parts)).scene
    prompt = " ".join(texts_of(parts))
    if (scene := understand(prompt) or understand(re.sub(_ANEW, "", prompt, flags=re.IGNORECASE))) is not None:
        return scene
    told = [tellings(text) for text in texts_of(parts)]
    if not told or not all(told):
        raise unreadable(prompt)
    return together([scene for scenes in told for scene in scenes])


def wanted(given: Material) -> Wanted:
    """Return what is wanted of a picture, given others. Unsupported where that is not understood, or cannot be.

    Nothing is ever wanted that heeds no picture: words that point at none, and change none, are not understood.
    """
    reasons = []
    for sentences in given.readings:
        try:
            return _meant(sentences, given)
        except Unsupported as error:
            reasons.append(str(error))
    raise Unsupported(reasons[0])


def _meant(sentences: Sequence[str], given: Material) -> Wanted:
    if not sentences:
        raise Unsupported("no text says what is to be done with the pictures")
    if any(re.fullmatch(pattern, sentences[-1]) for pattern in _TOGETHER):
        return Wanted(together([*given.told, *given.seen]), None)
    scenes, edited = list(given.seen), None
    for sentence in sentences:
        if (done := _edited(sentence, scenes, edited)) is None:
            break
        scene, number = done
        if edited not in (None, number):
            raise Unsupported("one picture can be edited at a time")
        scenes[number], edited = scene, number
    else:
        assert edited is not None
        return Wanted(scenes[edited], edited)
    if len(sentences) == 1 and (anew := _anew(sentences[0], given.seen)) is not None:
        return Wanted(anew, None)
    raise Unsupported(f"the embedded world does not understand the instruction {sentence[:120]!r}")


def _edited(sentence: str, scenes: Sequence[Scene], before: int | None) -> tuple[Scene, int] | None:
    """Return the edited scene and its number; None if not understood. `before` is the picture edited last."""
    reason = None
    try:
        if (found := _one_edit(sentence, scenes, before)) is not None:
            return found
    except Unsupported as error:
        reason = error
    for joint in re.finditer(r"(?:,|;)? (?:and then|then|and) |, ", sentence):
        first = _quietly(sentence[: joint.start()], scenes, before)
        if first is None:
            continue
        after = [first[0] if n == first[1] else scene for n, scene in enumerate(scenes)]
        rest = sentence[joint.end() :]
        for clause in (rest, f"{sentence.split(' ')[0]} {rest}"):  # "make the car blue and the house red"
            if (found := _edited(clause, after, first[1])) is not None:
                return found
    if reason:
        raise reason
    return None


def _quietly(clause: str, scenes: Sequence[Scene], before: int | None) -> tuple[Scene, int] | None:
    """Edit, or None where that cannot be: the clause may go on behind its "and"."""
    try:
        return _one_edit(clause, scenes, before)
    except Unsupported:
        return None


def _one_edit(clause: str, scenes: Sequence[Scene], before: int | None) -> tuple[Scene, int] | None:
    if (borrowed := _borrowed(clause, scenes)) is not None:
        return borrowed
    number = _aim(clause, before, len(scenes))
    here = f"#{number + 1}"
    clause = re.sub(rf"^(?:in|on|for|edit|change|take) {here}(?: so that|[,:])? (?:and )?", "", clause)
    clause = re.sub(rf" (?:in|on|of|from|into|to|onto) {here}(?![\w])", "", clause)
    words = _taken(re.sub(rf"{here}(?!\w)", "it", clause), scenes)
    scene = changed(scenes[number], words) if words else None
    return None if scene is None else (scene, number)


def _aim(clause: str, before: int | None, pictures: int) -> int:
    """Return the number, from 0, of the picture that a clause would change."""
    pointed = [int(digit) - 1 for digit in re.findall(r"#(\d)", clause)]
    into = re.search(r" (?:into|onto|to) #(\d)", clause) or re.match(r"(?:in|on|for|edit|change|take) #(\d)", clause)
    if into:
        return int(into[1]) - 1
    if pointed:
        return pointed[-1 if clause.startswith(_ADDING) else 0]
    if before is not None or pictures == 1:
        return before or 0
    raise Unsupported(f"which of the {pictures} pictures is meant is not said: {clause[:120]!r}")


def _taken(clause: str, scenes: Sequence[Scene]) -> str | None:
    """Return the clause with "the cat of #1" as what is seen there, "two red cats"; None where something is not
    understood.
    """
    while match := re.search(rf" {_OF} #(\d)", clause):
        words = clause[: match.start()].split(" ")
        starts = [n for n in range(len(words)) if named(" ".join(words[n:]))]
        if not starts:
            return None
        thing = named(" ".join(words[starts[0] :]))
        scene = scenes[int(match[1]) - 1]
        group = scene.groups[place_of(scene, thing)]
        if thing and thing.number and not thing.definite:
            group = made(scene, groups=(replace(group, count=thing.number),), relation=None).groups[0]
        clause = " ".join([*words[: starts[0]], group_words(group, "en")]) + clause[match.end() :]
    return None if "#" in clause else clause


def _borrowed(clause: str, scenes: Sequence[Scene]) -> tuple[Scene, int] | None:
    """Edit one picture to have the style, light, mood or background of another."""
    kind = f"(?P<part>{'|'.join(_STYLES)})"
    for pattern in (
        rf"give #(?P<to>\d) the {kind} of #(?P<by>\d)",
        rf"(?:paint|make|render|redraw|repaint) #(?P<to>\d) (?:in|with|at|have) the {kind} of #(?P<by>\d)",
        rf"change the {kind} of #(?P<to>\d) (?:in)?to (?:that|the one|the {'|the '.join(_STYLES)}) of #(?P<by>\d)",
    ):
        if match := re.fullmatch(pattern, clause):
            to, by = int(match["to"]) - 1, scenes[int(match["by"]) - 1]
            part = _STYLES[match["part"]]
            parts = _BACKGROUND if part == "background" else (part,)
            return made(scenes[to], **{name: getattr(by, name) for name in parts}), to
    return None


def _anew(sentence: str, scenes: Sequence[Scene]) -> Scene | None:
    """Return a scene told in words that point at pictures for some of its things and its looks."""
    if not re.search(r"#\d", sentence):
        return None

    def look(match: re.Match[str]) -> str:
        value = str(getattr(scenes[int(match[2]) - 1], match[1]))
        words = {"style": v.STYLES, "light": v.LIGHTS, "mood": v.MOODS}[match[1]][value].en
        return (
            f"in the style of {words}" if match[1] == "style" else f"{'at' if match[1] == 'light' else 'in a'} {words}"
        )

    sentence = re.sub(r"(?:in|at) the (style|light|mood) of #(\d)", look, re.sub(f"^{_ANEW}", "", sentence))
    sentence = re.sub(r"\bin a (\w+)(?=$|,)", r"in a \1 mood", sentence)
    words = _taken(f" {sentence}", scenes) if "#" in sentence else sentence
    return understand(words.strip()) if words else None
