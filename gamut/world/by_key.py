"""The embedded world as a judge of items of frozen editions: it holds an answer against what is right of its item.

It goes by what stands in the request, and by the item's own key (see `keys`); by nothing that a contestant says of
itself. Blocks of labelled material come in by name: texts and pictures in order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .agreement import disagreements
from .answering import Enclosed, Unsupported, Values, cannot_read, normalise_text, pictures_of, texts_of
from .captions import require_scene, tellings, understand
from .grades import CLEAR
from .judging import is_blank, judge_fit, judge_looks, worst_of
from .keys import PLACE, Key, key_for, right_picture, right_scene
from .likeness import (
    MOST_DIFFERENCE,
    NO_PICTURE,
    Likeness,
    before_tags,
    farthest_block,
    pixel_likeness,
    scene_likeness,
    word_likeness,
)
from .looking import look, sight_of
from .scene import Group, Scene

LINE = re.compile(r"\s*\[(\w+)\]\s*(.+)")
SOUND_FROM = 5
"""The worst of what looks are graded by, 0..10, from which a picture is sound; it is well made from CLEAR on."""
HIGHEST = 2
"""Of scores by hints."""
ALL_WRONG = 999
"""More things than any checklist asks about."""
HINTS = ("rule_compliance", "visual_consistency", "aesthetic_quality")


def judge_answer(question: str, fields: Mapping[str, str], enclosed: Enclosed) -> Values:
    """A `score` of 1 or 0: is an answer as `reference_text` or `reference_picture`? Blocks may be fields too."""
    blocks = {name: [text] for name, text in fields.items()} | dict(enclosed)
    answer = blocks.get("answer", ())
    if question.endswith("_und"):
        found = word_likeness(" ".join(texts_of(blocks.get("reference_text", ()))), " ".join(texts_of(answer)))
    else:
        found = picture_likeness(blocks)
    return {"reason": found.reason, "score": int(found.whole)}


def picture_likeness(blocks: Enclosed) -> Likeness:
    """Return how like what is right the picture of `answer` is: as a scene, where the world can name that."""
    pictures = pictures_of(blocks.get("answer", ()))
    references = pictures_of(blocks.get("reference_picture", ()))
    scene = understand(" ".join(texts_of(blocks.get("reference_text", ()))))
    if scene is None and len(references) == 1:
        scene = scene_shown(references[0])
        if scene is None:
            return pixel_likeness(references[0], pictures, pictures_of(blocks.get("question_picture", ())))
    if scene is None:
        raise Unsupported("no reference tells what is right")
    return scene_likeness(scene, pictures)


def scene_shown(picture: bytes) -> Scene | None:
    """Return what a picture of the world shows; None for one that is not of this world, or cannot be named."""
    try:
        return look("a reference", [picture]).scene
    except Unsupported:
        return None


def judge_checklist(fields: Mapping[str, str], enclosed: Enclosed) -> Values:
    """A verdict for each line of the field `checklist` ("[Image] Is it night in the picture?"): as of a right answer,
    but for as many lines as there are things in which the answer is wrong.

    [Image] is about the picture of `answer`, [Text] about its words, [Consistency] about both.
    """
    key = key_for(enclosed.get("task", ()))
    lines = [LINE.fullmatch(line) for line in fields.get("checklist", "").splitlines() if line.strip()]
    about = [line[1].lower() if line else "" for line in lines]
    faults = {
        "image": task_faults(key, enclosed) if {"image", "consistency"} & {*about} else 0,
        "text": word_faults(key, enclosed) if {"text", "consistency"} & {*about} else 0,
    }
    faults["consistency"] = max(faults.values())
    verdicts: list[Values] = []
    for line, of in zip(lines, about, strict=True):
        if line is None or of not in faults:
            raise Unsupported("a question of the checklist does not say what it is about")
        inverted = key is not None and line[2].strip() in key.inverted
        wrong, faults[of] = faults[of] > 0, faults[of] - 1
        reason = "The answer is wrong in this." if wrong else "It is right in this."
        verdicts.append({"reason": reason, "verdict": "N" if wrong != inverted else "Y"})
    return {"verdicts": verdicts}


def task_likeness(key: Key | None, enclosed: Enclosed) -> Likeness:
    """How like a right answer the picture of `answer` is: one of the item, else what the words of `task` say."""
    pictures = pictures_of(enclosed.get("answer", ()))
    if key is not None and (scene := right_scene(key)) is not None:
        return scene_likeness(scene, pictures)
    if key is not None and (right := right_picture(key)) is not None:
        return pixel_likeness(right, pictures, pictures_of(enclosed.get("task", ())))
    if pictures_of(enclosed.get("task", ())):
        raise Unsupported("the task has pictures, and no edition says what a right answer is")
    return scene_likeness(require_scene(" ".join(texts_of(enclosed.get("task", ())))), pictures)


def task_faults(key: Key | None, enclosed: Enclosed) -> int:
    """In how many things the picture of `answer` is not as it is right; ALL_WRONG for one that shows nothing of it."""
    found = task_likeness(key, enclosed)
    return ALL_WRONG if found.wrong and not found.present else len(found.wrong)


def word_faults(key: Key | None, enclosed: Enclosed) -> int:
    """Return in how many things the words of `answer` differ from what is right: they say it, or a scene like it."""
    answer = " ".join(before_tags(text) for text in texts_of(enclosed.get("answer", ())))
    right = key.words if key else " ".join(texts_of(enclosed.get("reference", ())))
    if not right:
        raise Unsupported("nothing says which words are right")
    if normalise_text(answer) == normalise_text(right):
        return 0
    one, other = tellings(PLACE.sub("\n", right)), tellings(answer)
    return len(disagreements(one[0], other[0], other[0].lettering)) if one and other else ALL_WRONG


def judge_edit(fields: Mapping[str, str], enclosed: Enclosed) -> Values:
    """How far an edit of `input` was carried out: `followed`, `kept` and `score` are the share of what is right that
    the picture of `answer` shows, 0..10.
    """
    given = [*enclosed.get("input", ()), fields.get("instruction", "")]
    found = task_likeness(key_for(given), {"task": given, "answer": enclosed.get("answer", ())})
    score = round(10 * found.present / found.parts)
    return {"reason": found.reason, "followed": score, "kept": score, "score": score}


def judge_words(fields: Mapping[str, str], enclosed: Enclosed) -> Values:
    """Return whether the words of `answer` are right: a verdict Y or N."""
    wrong = word_faults(None, {"reference": [fields.get("reference", "")], **enclosed})
    return {"reason": "It says what is right." if not wrong else "It does not.", "verdict": "N" if wrong else "Y"}


def judge_statements(fields: Mapping[str, str], enclosed: Enclosed) -> Values:
    """A verdict for each statement of the field `checklist`, one a line: do pictures or words of `answer` say so?"""
    answer = enclosed.get("answer", ())
    shown = [(scene, scene.lettering) for text in texts_of(answer) for scene in tellings(text)]
    for sight in map(sight_of, pictures_of(answer)):
        shown += [(sight.impression, sight.transcription)] if sight.impression else []
    verdicts: list[Values] = []
    for statement in map(require_scene, fields.get("checklist", "").splitlines()):
        holds = any(not disagreements(statement, scene, lettering) for scene, lettering in shown)
        reason = "It is shown or said." if holds else "Nothing shows or says it."
        verdicts.append({"reason": reason, "verdict": "Y" if holds else "N"})
    return {"verdicts": verdicts}


def judge_alignment(enclosed: Enclosed) -> Values:
    """Return how far the picture of `answer` shows what `task` asks for, 0..10."""
    found = task_likeness(key_for(enclosed.get("task", ())), enclosed)
    return {"reason": found.reason, "score": round(10 * found.present / found.parts)}


def judge_by_rubric(fields: Mapping[str, str], enclosed: Enclosed) -> Values:
    """How much of what the field `rubric` says is shown, 0..10; Unsupported: it says more than that."""
    rubric = " ".join(fields.get("rubric", "").split())
    shows = RULE.fullmatch(rubric)
    if shows is None or shows[2]:
        raise cannot_read(rubric)
    return with_reason(judge_fit({"prompt": shows[1]}, pictures_of(enclosed.get("answer", ()))))


def judge_aesthetics(enclosed: Enclosed) -> Values:
    """How the picture of `answer` looks, 0..10."""
    return with_reason(judge_looks(pictures_of(enclosed.get("answer", ()))))


def with_reason(values: Values) -> Values:
    return {"reason": values["justification"], "score": values["score"]}


def judge_by_hint(question: str, blocks: Enclosed) -> Values:
    """A score of `picture`, 0..HIGHEST: is it as a rule's `hint` says, does it keep what is to stay of `reference`, is
    it well made? What a right picture shows keeps what is to stay, so for that the rule of the item is looked at.
    """
    pictures = pictures_of(blocks.get("picture", ()))[:1]
    if not pictures or is_blank("a hint", pictures):
        return {"reason": NO_PICTURE, "score": 0}
    if question == "aesthetic_quality":
        worst, what = worst_of(look("a hint", pictures))
        return {"reason": what, "score": int(worst >= SOUND_FROM) + int(worst >= CLEAR)}
    hint = " ".join(texts_of(blocks.get("hint", ())))
    if question == "visual_consistency":
        key = key_for(pictures_of(blocks.get("reference", ())))
        if key is None:
            raise Unsupported("no edition has the picture of which something is to stay")
        hint = key.shows
    scene, absent = scene_of_hint(hint)
    found = scene_likeness(scene, pictures)
    there = look("a hint", pictures).impression
    banned = [group.kind for group in absent if there and group.kind in {one.kind for one in there.groups}]
    if found.whole and not banned:
        return {"reason": found.reason, "score": HIGHEST}
    return {"reason": found.reason, "score": int(2 * found.present >= found.parts and not banned)}


def compare_pictures(blocks: Enclosed) -> Values:
    """Return whether the first pictures of `answer` and `reference` are the same, whatever their size: 10 or 0."""
    one, other = (data for name in ("reference", "answer") for data in pictures_of(blocks.get(name, ()))[:1])
    apart = farthest_block(one, other)
    reason = f"they differ by {apart:.1f} grey levels where they differ most"
    return {"reason": reason, "score": 10 * int(apart <= MOST_DIFFERENCE)}


RULE = re.compile(r"The picture shows (.+?)\.((?: There is no .+? in it\.)*)", re.DOTALL)
ABSENT = re.compile(r" There is no (.+?) in it\.")
"""What a rule's hint says: what is to be there, and what is not."""


def scene_of_hint(hint: str) -> tuple[Scene, list[Group]]:
    """Return what a hint says is there, and things that are not; Unsupported where it cannot be read to the end."""
    said = RULE.fullmatch(hint)
    scene = understand(said[1]) if said else None
    if said is None or scene is None:
        raise cannot_read(hint)
    return scene, [thing_named(name, hint) for name in ABSENT.findall(said[2])]


def thing_named(name: str, hint: str) -> Group:
    """Return the kind, and the colour if it is said, that a name in singular or plural stands for."""
    for text in (f"a {name}", f"two {name}"):
        scene = understand(text)
        if scene is not None and scene == Scene(scene.groups) and len(scene.groups) == 1:
            return scene.groups[0]
    raise cannot_read(hint)
