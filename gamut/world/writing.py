"""Scenes into text: a prompt in one line, or a caption that stresses one characteristic, in English or Chinese.

A prompt is made of clauses (HEADS, TAILS) in both languages, by which `reading` reads it again.
"""

from __future__ import annotations

import hashlib

from .phrases import FAMILIES, FORMS, Twin, render, slots_of
from .scene import Scene
from .vocabulary import KINDS

LANGUAGES = ("en", "zh")
HEADS: tuple[Twin, ...] = (
    Twin("{style} of ", "一幅{style}："),
    Twin("in the style of {style}", "{style}的风格"),
    Twin("made as {style}", "做成一幅{style}"),
)
PAIR = Twin("{a} {r} {b}", "{a}在{b}的{r}")
BOTH = Twin("{a} and {b}", "{a}和{b}")
SIGN_SAYS = Twin("{sign} that says {lettering}", "写着{lettering}的{sign}")
WORDS_ALONE = Twin("the {lettering:word|words} {lettering}", "文字{lettering}")
TAILS: dict[str, tuple[Twin, ...]] = {
    "light": (Twin("at {light}", "在{light}"), Twin("seen at {light}", "时间在{light}")),
    "surreal": (Twin("under {surreal}", "在{surreal}之下"), Twin("beneath {surreal}", "上方有{surreal}")),
    "lettering": (
        Twin("with the {lettering:word|words} {lettering} on {sign}", "{sign}上写着{lettering}"),
        Twin("and {sign} that says {lettering}", "还有写着{lettering}的{sign}"),
    ),
    "words": (Twin("with the {lettering:word|words} {lettering}", "带有文字{lettering}"),),
    "mood": (Twin("in a {mood} mood", "氛围{mood}"), Twin("with a {mood} feeling", "带着{mood}的感觉")),
}
ORDERS = (("light", "surreal", "lettering", "words", "mood"), ("lettering", "words", "surreal", "light", "mood"))


def write(scene: Scene, language: str = "en", form: str = "prompt") -> str:
    """Say a scene in one of FORMS. The same scene gives the same text, and both languages say the same.

    A prompt leaves unsaid what is None; the other forms need a complete scene: ValueError.
    """
    if language not in LANGUAGES:
        raise ValueError(f"no language {language!r}; the world writes {' and '.join(LANGUAGES)}")
    if form == "prompt":
        return compose(scene, language, _pick(scene, form))
    if None in (scene.light, scene.style, scene.mood) or (len(scene.groups) == 2 and not scene.relation):
        raise ValueError(f"form {form!r} needs a complete scene: call complete_scene(scene, rng) first")
    slots = slots_of(scene)
    sentences = []
    for name in _outline(scene, form):
        family = FAMILIES[name]
        twin = family[_pick(scene, f"{form} {name}") % len(family)]
        sentences.append(render(twin.en if language == "en" else twin.zh, slots, language))
    return (" " if language == "en" else "").join(sentences)


def _outline(scene: Scene, form: str) -> list[str]:
    """Return names of the families that make up a caption of this form, in order; ValueError if none do."""
    size = ("sign", "one", "pair")[len(scene.groups)]
    carrier, figure = scene.sign or "board", bool(scene.groups)
    subject = [f"entity.{KINDS[scene.groups[0].kind].group}"] if figure else ["entity.none"]
    subject += ["entity.second"] if size == "pair" else []
    lettering = [f"text.{carrier}", "text.look", "text.place" if figure else "text.alone"] if scene.lettering else []
    wonder = [f"wonder.{scene.surreal}", "wonder.contrast" if figure else "wonder.alone"] if scene.surreal else []
    style = [f"style.{scene.style}", *(["style.figure"] if figure else [])]
    mood = [f"mood.{scene.mood}", "mood.light", "mood.figure" if figure else "mood.alone"]
    opening = [f"detail.open.{size}", *(subject if form == "long" else []), f"detail.space.{size}"]
    opening += [f"detail.link.{size}"] if figure else []
    colour = "detail.colour" if figure else "detail.colour.sign"
    match form:
        case "composition":
            return [f"layout.{size}", "layout.depth", *([f"layout.{carrier}"] if scene.lettering and figure else [])]
        case "entity":
            return [*subject, "entity.edge"]
        case "text":
            return lettering or ["text.none", "layout.depth"]
        case "imaginative":
            return [*wonder, "wonder.mark"] if wonder else ["wonder.none", "layout.depth"]
        case "style":
            return [*style, "style.colours"]
        case "abstract":
            return mood
        case "detail":
            told = [*wonder[:1], *(["detail.text"] if scene.lettering else [])]
            drawn = f"style.{scene.style}" if scene.style != "flat" else "entity.edge"
            return [*opening, *told, colour, drawn, mood[0], "detail.balance", "detail.close"]
        case "long":
            told = ["layout.depth", *wonder, *lettering]
            return [*opening, *told, colour, *style, *mood, "detail.balance", "detail.close"]
    raise ValueError(f"no form {form!r}; there are {', '.join(FORMS)}")


def _pick(scene: Scene, purpose: str) -> int:
    """Return a number that depends on the scene and the purpose alone."""
    return int.from_bytes(hashlib.sha256(f"{scene!r} {purpose}".encode()).digest()[:4], "big")


def compose(scene: Scene, language: str, pick: int) -> str:
    """The prompt of a scene; `pick` (a whole number) chooses among the wordings, the same ones in both languages."""
    slots = slots_of(scene)

    def say(twin: Twin) -> str:
        return render(twin.en if language == "en" else twin.zh, slots, language)

    clauses = [say(core_clause(scene))]
    for name in ORDERS[pick % 2]:
        if is_present(scene, name):
            clauses.append(say(TAILS[name][pick // 2 % len(TAILS[name])]))
    head = pick // 4 % len(HEADS)
    if scene.style and head:
        clauses.append(say(HEADS[head]))
    line = (", " if language == "en" else "，").join(clauses)
    if scene.style and not head:
        line = say(HEADS[0]) + line
    return line[0].upper() + line[1:] + ("." if language == "en" else "。")


def core_clause(scene: Scene) -> Twin:
    """Return the clause that a prompt begins with: its groups and how they stand, or its lettering alone."""
    if not scene.groups:
        return SIGN_SAYS if scene.sign else WORDS_ALONE
    if len(scene.groups) == 1:
        return Twin("{a}", "{a}")
    return PAIR if scene.relation else BOTH


def is_present(scene: Scene, clause: str) -> bool:
    """Return whether a scene has what a clause (a key of TAILS) says."""
    if clause in ("lettering", "words"):
        said = bool(scene.groups) and scene.lettering is not None
        return said and (scene.sign is not None) == (clause == "lettering")
    return getattr(scene, clause) is not None
