"""The prompt form: how a scene is said in one line, as clauses in both languages, shared by writer and reader."""

from __future__ import annotations

from .phrases import Twin, render, slots_of
from .scene import Scene

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


def compose(scene: Scene, language: str, pick: int) -> str:
    """Return the prompt of a scene; `pick` (a whole number) chooses among the wordings, the same ones in both
    languages.
    """
    slots = slots_of(scene)

    def say(twin: Twin) -> str:
        return render(twin.en if language == "en" else twin.zh, slots, language)

    clauses = [say(core(scene))]
    for name in ORDERS[pick % 2]:
        if present(scene, name):
            clauses.append(say(TAILS[name][pick // 2 % len(TAILS[name])]))
    head = pick // 4 % len(HEADS)
    if scene.style and head:
        clauses.append(say(HEADS[head]))
    line = (", " if language == "en" else "，").join(clauses)
    if scene.style and not head:
        line = say(HEADS[0]) + line
    return line[0].upper() + line[1:] + ("." if language == "en" else "。")


def core(scene: Scene) -> Twin:
    """Return the clause that a prompt begins with: its groups and how they stand, or its lettering alone."""
    if not scene.groups:
        return SIGN_SAYS if scene.sign else WORDS_ALONE
    if len(scene.groups) == 1:
        return Twin("{a}", "{a}")
    return PAIR if scene.relation else BOTH


def present(scene: Scene, clause: str) -> bool:
    """Return whether a scene has what a clause (a key of TAILS) says."""
    if clause in ("lettering", "words"):
        said = bool(scene.groups) and scene.lettering is not None
        return said and (scene.sign is not None) == (clause == "lettering")
    return getattr(scene, clause) is not None
