"""English captions of chosen lengths, as trainers want them, from the picture alone. The paper has none of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from gamut.asking.questions import Question
from gamut.asking.requests import seed_of, stored_picture
from gamut.asking.visiting import Visit
from gamut.dataset.shared.texts import Caption, objection
from gamut.dataset.shared.visits import LOOKING, TEXTS, Asking, caption_of, work_if, work_on_pictures
from gamut.pipeline.asks import Asks, Requests
from gamut.pipeline.steps import StepParameters, start
from gamut.tables.columns import ASKED, Row, table_schema
from stages.dataset.lengths import LENGTHS, Captions

VERBATIM = "Give legible writing in double quotes, exactly as it stands there."
WANTED = {
    "short": "One sentence, as people write alternative texts: the subject, what it does and where it is.",
    "middle": f"Two or three sentences on what matters: subjects, setting and manner. {VERBATIM}",
    "long": f"One dense paragraph: subjects with number, colours, materials, places, setting, light, mood. {VERBATIM}",
}


def objection_to_length(name: str, reply: Caption, fields: Mapping[str, str]) -> str | None:
    """Return why a caption cannot be used: it is less than half or more than twice as long, or no paragraph."""
    (least, most), words = LENGTHS[name], len(reply.caption.split())
    if not least / 2 <= words <= most * 2:
        return f"the caption has {words} words, {least} to {most} are expected"
    return objection(reply, fields)


QUESTIONS = {
    name: Question(
        name=f"caption_{name}",
        opening=LOOKING,
        instruction=f"{TEXTS} Write a caption. {WANTED[name]} {least} to {most} words. Answer with a JSON object with "
        "the one key `caption`.",
        reply=Caption,
        check=partial(objection_to_length, name),
    )
    for name, (least, most) in LENGTHS.items()
}
SCHEMA = table_schema("id length caption", *ASKED)


def describe(params: StepParameters) -> Visit:
    wanted = [name for name in LENGTHS if name in params.captions.lengths]

    def visit(record: Row) -> Asking:
        row_id, picture = record["id"], stored_picture(record["image"]["bytes"])
        seeds = {name: seed_of(f"{row_id}/{name}", params.seed) for name in wanted}
        answers = yield [QUESTIONS[name].about(None, [picture], seed) for name, seed in seeds.items()]
        return [{"id": row_id, "length": name, **caption_of(one)} for name, one in zip(wanted, answers, strict=True)]

    return visit


def requests(params: StepParameters, flow: Any) -> list[Requests]:
    """Expect a caption of each length; for all but the first, opening and picture are cached."""
    names, cached = params.captions.lengths, len(LOOKING)
    asked = ((name, sum(LENGTHS[name]) / 2, cached * (name != names[0])) for name in names)
    return [Requests(flow.kept, QUESTIONS[name], {}, words, "captioned", shared) for name, words, shared in asked]


STEP = Asks(
    "caption_lengths",
    role="captioner",
    reads="synthesize select",
    schema=SCHEMA,
    work=lambda params: work_if(bool(params.captions.lengths), work_on_pictures("select.kept", {}, describe(params))),
    parameters={"captions": Captions},
    tracked=("seed", "captions.lengths", "roles.captioner", "models.${roles.captioner}"),
    requests=requests,
)

if __name__ == "__main__":
    start(STEP)
