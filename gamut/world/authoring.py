"""The embedded world as a writer of benchmarks: plain items about its scenes, so that constructions run on a laptop.

Nothing here is hard: a riddle is a name spelt backwards, an edit another light. Whoever wants items that tell models
apart names another model as the author. Other questions are answered as by `writer`.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace

from . import vocabulary as v
from . import writer
from .answering import Enclosed, Unsupported, Values, pictures_of, texts_of
from .captions import tellings
from .keys import key_for
from .knowledge import wordings_about
from .looking import look, whole_scene_of
from .phrases import group_words
from .scene import Group, Scene
from .writing import write

BACKWARDS = "What spells itself backwards as "
ASKED_ABOUT = {"understanding": ("text",), "interleaved": ("image", "text")}
"""What of an answer a checklist asks about, by task; else its picture."""


def answer(
    question: str, fields: Mapping[str, str], enclosed: Enclosed, seed: int, faults: Mapping[str, float]
) -> Values:
    """As the other roles' `answer`. `enclosed`: labelled material by name. Of `faults`, rates 0..1 by name,
    `wrong_reasoning` is how often a prompt is rewritten as it is, and something else is guessed.
    """
    rng = random.Random(f"{seed} {question} {sorted(fields.items())}")
    wrong = rng.random() < faults.get("wrong_reasoning", 0.0)
    match question:
        case "draft_task":
            return draft_task(fields, rng)
        case "add_reasoning":
            kind, prompt = fields.get("reasoning", ""), fields.get("clear_prompt", "")
            return {"prompt": prompt if kind == "none" else f"By {kind} reasoning you know what I want. {prompt}"}
        case "rewrite":
            key = key_for([prompt := fields.get("prompt", "")])
            return {"prompt": prompt if key is None or wrong else key.prompts[-1]}
        case "describe":  # clear prompts of the world say all that is to be seen
            return {"prompt": fields.get("prompt", "")}
        case "describe_entity":
            return {"description": f"{BACKWARDS}{fields.get('entity', '')[::-1]!r}."}
        case "guess_entity":
            return {"guess": guess_entity(fields.get("description", ""), wrong)}
        case "write_edit":
            return write_edit(fields, enclosed, rng)
        case "extract_keywords":
            return {"keywords": extract_keywords(enclosed)}
        case "write_checklist":
            return {"questions": write_checklist(fields)}
        case "knowledge_wordings":
            return wordings_about(fields)
    return writer.answer(question, fields, [], seed)


def draft_task(fields: Mapping[str, str], rng: random.Random) -> Values:
    """Return a task, and descriptions of the pictures that it names as `<image1>`."""
    drawn = rng.sample(list(v.KINDS), 2), rng.sample(list(v.COLOURS), 2)
    groups = tuple(Group(kind, colour, rng.randint(1, 5)) for kind, colour in zip(*drawn, strict=True))
    scene = Scene(groups, rng.choice(list(v.RELATIONS)), light="noon")
    said = write(scene)
    match fields.get("task"):
        case "understanding":
            return {"clear_prompt": f"Does <image1> show this, or what else? {said}", "pictures": [said]}
        case "editing":
            light = v.LIGHTS["night"].en
            return {"clear_prompt": f"Make it {light} over what <image1> shows: {said}", "pictures": [said]}
    return {"clear_prompt": said, "pictures": []}


def guess_entity(description: str, wrong: bool) -> str:
    """Return what a description means; Unsupported for one that is none of this world's."""
    if not description.startswith(BACKWARDS):
        raise Unsupported(f"the embedded world cannot guess what is described: {description[:120]!r}")
    return "a red chair" if wrong else description.removeprefix(BACKWARDS).rstrip(".").strip("'\"")[::-1]


def write_edit(fields: Mapping[str, str], enclosed: Enclosed, rng: random.Random) -> Values:
    """Return an edit of the picture of the block `picture`: another light, told outright or behind a condition."""
    scene = whole_scene_of(look("an edit", pictures_of(enclosed.get("picture", ()))))
    light = rng.choice([light for light in v.LIGHTS if light != scene.light])
    told = f"Make it {v.LIGHTS[light].en}."
    if fields.get("challenge") == "implicit":
        told = f"If it is {v.LIGHTS[scene.light or 'noon'].en} in this picture, make it {v.LIGHTS[light].en}."
    return {"edit": told, "reference_text": write(replace(scene, light=light))}


def extract_keywords(enclosed: Enclosed) -> list[str]:
    """Return the things and the light of a right answer, else its words."""
    reference = enclosed.get("reference", ())
    scenes = [scene for text in texts_of(reference) for scene in tellings(text)]
    scenes += [whole_scene_of(look("keywords", [picture])) for picture in pictures_of(reference)]
    found = [group_words(group, "en") for scene in scenes for group in scene.groups]
    return list(dict.fromkeys(found)) or [" ".join(texts_of(reference))[:200]]


def write_checklist(fields: Mapping[str, str]) -> list[Values]:
    about = ASKED_ABOUT.get(fields.get("task", ""), ("image",))
    return [
        {"question": f"Does the {of} show {keyword}?", "about": of, "inverted": False, "keyword": keyword}
        for keyword in fields.get("keywords", "").splitlines()
        for of in about
    ]
