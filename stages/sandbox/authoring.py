"""The embedded world as a writer of benchmarks: which question is answered by which rule; others as `writer` does."""

from __future__ import annotations

import random
from collections.abc import Mapping

from . import checklists, distracting, paired_tasks, tasks, writer
from .answering import Unsupported, Values, unreadable
from .descriptions import describe, named_plainly
from .material import Enclosed
from .naming import named, plain
from .reading import read
from .riddle_book import REASONING
from .riddles import hide, solve


def answer(
    question: str, fields: Mapping[str, str], enclosed: Enclosed, seed: int, faults: Mapping[str, float]
) -> Values:
    """Answer a question by its name; Unsupported for one that this role is not asked.

    `enclosed` is labelled material by name. `faults` maps names of faults to rates 0..1: of them `wrong_reasoning`
    spoils what is rewritten or guessed.
    """
    match question:
        case "draft_task":
            return tasks.draft_task(fields, seed)
        case "propose_topics":
            return tasks.propose_topics(fields)
        case "add_reasoning":
            return add_reasoning(fields, seed)
        case "rewrite":
            prompt = fields.get("prompt", "")
            rng = random.Random(f"{seed} rewrite {prompt}")
            return {"prompt": solve(prompt, faults.get("wrong_reasoning", 0.0), rng)}
        case "describe":  # clear prompts of the world say all that is to be seen
            return {"prompt": fields.get("prompt", "")}
        case "describe_entity":
            return {"description": describe(fields.get("entity", ""))}
        case "guess_entity":
            return {"guess": guess_entity(fields, seed, faults)}
        case "describe_picture":
            return {"prompt": described(fields.get("shows", ""))}
        case "write_distractors":
            return distracting.write_distractors(fields, seed)
        case "check_distractor":
            return distracting.check_distractor(fields)
        case "write_edit":
            return paired_tasks.write_edit(fields, enclosed, seed)
        case "check_intent":
            return paired_tasks.check_intent(fields, enclosed)
        case "extract_keywords":
            return checklists.extract_keywords(fields, enclosed)
        case "write_checklist":
            return checklists.write_checklist(fields, enclosed, seed)
    return writer.answer(question, fields, [], seed)


def described(shows: str) -> str:
    """Return what a picture is to show as a prompt; Unsupported for what the embedded world cannot paint."""
    if read(shows) is None:
        raise unreadable(shows)
    return f"{shows[0].upper()}{shows[1:]}."


def add_reasoning(fields: Mapping[str, str], seed: int) -> Values:
    """Return a prompt with words of it behind riddles of a kind of reasoning; as it is for the kind `none`.

    Raises Unsupported for a kind that there is none of, and where no word has such a riddle.
    """
    prompt, reasoning = fields.get("clear_prompt", ""), fields.get("reasoning", "")
    if reasoning == "none":
        return {"prompt": prompt}
    if reasoning not in REASONING:
        raise Unsupported(f"the embedded world knows no reasoning {reasoning!r}; it knows {', '.join(REASONING)}")
    hidden = hide(prompt, reasoning, random.Random(f"{seed} riddle {reasoning} {prompt}"))
    if hidden == prompt:
        raise Unsupported(f"the embedded world has no {reasoning} riddle for a word of {prompt[:120]!r}")
    return {"prompt": hidden}


def guess_entity(fields: Mapping[str, str], seed: int, faults: Mapping[str, float]) -> str:
    """Return the name of what a description means, at the rate of `wrong_reasoning` of another thing. Unsupported for a
    description that is none of the embedded world's.
    """
    description = fields.get("description", "")
    rng = random.Random(f"{seed} guess {description}")
    name = named_plainly(description, faults.get("wrong_reasoning", 0.0), rng)
    if name == description or named(plain(name)) is None:
        raise Unsupported(f"the embedded world cannot guess what is described: {description[:120]!r}")
    return plain(name)
