"""A dense caption for every category of a picture, then its chain-of-thought from all of them (FLUX-Reason-6M, 2.4).

Captions are asked one after another with the same opening and picture, so that servers reuse their prefix. If a caption
failed and comes later, the chain-of-thought becomes another request and is asked again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from gamut.asking.limits import FAILURES
from gamut.asking.questions import Question
from gamut.asking.requests import seed_of, stored_picture
from gamut.asking.visiting import Answer, Visit
from gamut.dataset.shared.expected import CAPTION_WORDS, CATEGORIES, DETAIL_WORDS, PROMPT_WORDS
from gamut.dataset.shared.joins import pictures, values_by_id
from gamut.dataset.shared.parameters import ASKED_AS, DETAIL
from gamut.dataset.shared.texts import Caption, objection, objection_to_lettering
from gamut.dataset.shared.visits import LOOKING, TEXTS, Asking, caption_of, work_on
from gamut.pipeline.asks import Asks, Requests
from gamut.pipeline.steps import StepParameters, start
from gamut.project.parameters import AskingParameters
from gamut.tables.columns import ASKED, Row, table_schema


class Annotate(AskingParameters):
    """Whether the captioner, who sees the picture, is also given the prompt, to take names from it."""

    prompt_for_names: bool = False


EMPHASIS = {
    "composition": """\
Stress the arrangement: which objects there are and how many, where each stands in the frame and relative to the \
others (left of, behind, above, next to, in the foreground), what overlaps or faces what, how depth and balance \
arise.""",
    "entity": """\
Stress the things themselves: identify the specific objects, beings, landmarks, persons or products, by name where one \
can be sure of it, and describe what makes each recognisable: parts, materials, colours, markings, posture.""",
    "text": """\
Stress the writing: give every legible word in double quotes exactly as it is spelt and capitalised, and say where it \
stands, on what, in what size, colour and kind of lettering, and how it belongs to the scene.""",
    "imaginative": """\
Stress the invention: what is surreal, fantastic or impossible here, which familiar things are combined in an \
unheard-of way, and what rule of the real world is broken; describe it plainly, as a fact of this scene.""",
    "style": """\
Stress the manner: name the art movement, medium, technique, palette, brushwork, line, texture, lens or lighting \
effect, and say how it shapes the subjects and the overall look.""",
    "abstract": """\
Stress the feeling: name the emotion, mood or atmosphere, and say which visible things carry it: light, colour, \
weather, gesture, expression, space.""",
}

QUESTIONS = {
    name: Question(
        name=f"caption_{ASKED_AS[name]}",
        opening=LOOKING,
        instruction=f"{TEXTS} Write a caption, as if it were the instruction from which the picture was made. "
        f"{emphasis} Nothing is in it that cannot be seen. The caption makes sense by itself. 30 to 80 words. Answer "
        "with a JSON object with the one key `caption`.",
        reply=Caption,
        check=objection_to_lettering if name == "text" else objection,
    )
    for name, emphasis in EMPHASIS.items()
}

NAMES = """\
The prompt from which the picture was painted follows, for names alone: whom and what you recognise in the picture \
(persons, places, works, species, products) you may call by its name there. All else comes from the picture; what \
the prompt has and the picture does not show is left out."""
QUESTIONS_WITH_PROMPT = {
    name: replace(question, instruction=f"{question.instruction}\n{NAMES}") for name, question in QUESTIONS.items()
}

GENERATION_CHAIN_OF_THOUGHT = Question(
    name="generation_chain_of_thought",
    opening=LOOKING,
    instruction=f"""\
{TEXTS}

Below are captions of this picture, each from one point of view; where they contradict the picture, trust the picture. \
Merge them with what you see into the reasoning from which one could build the picture step by step: what is present; \
how the elements interact; why the layout is as it is; where everything stands in relation to the rest; which artistic \
choices were made; how the colours harmonise; what emotional undertone results; how the composition is balanced. Give \
reasons (because, so that, which lets): what each choice does for the whole. A reason may speak of what is no thing to \
be seen, such as balance, emphasis, rhythm or depth, but it adds nothing to what is there. Keep words quoted in the \
captions exactly as they are. One dense, flowing paragraph of 150 to 220 words, no numbering, no \
step markers, no heading. Answer with a JSON object with the one key `caption`.""",
    reply=Caption,
    check=objection,
)

SCHEMA = table_schema("id description caption", *ASKED)


def selected_pictures(shard: str) -> Iterator[Row]:
    categories, prompts = values_by_id("select", shard, "categories"), values_by_id("synthesize", shard, "prompt")
    for row in pictures(shard, "select.kept"):
        yield row | {"categories": categories[row["id"]], "prompt": prompts[row["id"]]}


def describe(params: StepParameters) -> Visit:
    """Return the visit to one picture; the reason of its chain-of-thought names the captions that were missing."""

    def visit(record: Row) -> Asking:
        def seed_for(description: str) -> int:
            return seed_of(f"{record['id']}/{description}", params.seed)

        picture = stored_picture(record["image"]["bytes"])
        categories = record["categories"]
        named = params.annotate.prompt_for_names and record["prompt"]
        questions, fields = (QUESTIONS_WITH_PROMPT, {"prompt": record["prompt"]}) if named else (QUESTIONS, None)
        answers = yield [questions[name].about(fields, [picture], seed_for(name)) for name in categories]
        rows = [caption_row(record["id"], name, answer) for name, answer in zip(categories, answers, strict=True)]
        there = [row for row in rows if row["caption"]]
        failed = [row for row in rows if row["status"] in FAILURES]
        if failed and not there:  # it waits until one caption can be asked again and succeeds
            reason = f"caption_{failed[0]['description']}: {failed[0]['reason']}"
            return [*rows, failed[0] | {"description": DETAIL, "reason": reason, "replies": []}]
        captions = "\n".join(f"{ASKED_AS[row['description']]}: {row['caption']}" for row in there)
        [answer] = yield [GENERATION_CHAIN_OF_THOUGHT.about({"captions": captions}, [picture], seed_for(DETAIL))]
        detail = caption_row(record["id"], DETAIL, answer)
        if detail["caption"] and len(there) < len(rows):
            lacking = ", ".join(f"caption_{row['description']} ({row['status']})" for row in rows if not row["caption"])
            detail["reason"] = f"written without {lacking}"
        return [*rows, detail]

    return visit


def questions_of(params: StepParameters) -> Mapping[str, Question]:
    return QUESTIONS_WITH_PROMPT if params.annotate.prompt_for_names else QUESTIONS


def caption_row(row_id: str, description: str, answer: Answer) -> Row:
    return {"id": row_id, "description": description, **caption_of(answer)}


def requests(params: StepParameters, flow: Any) -> Iterator[Requests]:
    """Expect a caption per category, then a chain-of-thought; for all but the first, opening and picture are cached."""
    given = {"prompt": PROMPT_WORDS} if params.annotate.prompt_for_names else {}
    questions, words = tuple(questions_of(params).values()), CAPTION_WORDS.value
    yield Requests(flow.kept, questions, given, words, "captioned")
    yield Requests(flow.categories - flow.kept, questions, given, words, "captioned", len(LOOKING))
    captions = {"captions": CATEGORIES.value * words}
    yield Requests(flow.kept, GENERATION_CHAIN_OF_THOUGHT, captions, DETAIL_WORDS, "captioned", len(LOOKING))


STEP = Asks(
    "annotate",
    role="captioner",
    reads="synthesize select",
    schema=SCHEMA,
    work=lambda params: work_on("select.kept", selected_pictures, describe(params)),
    parameters={"annotate": Annotate},
    requests=requests,
)

if __name__ == "__main__":
    start(STEP)
