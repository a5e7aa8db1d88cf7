"""Every caption in Chinese; lettering that is quoted stays English (FLUX-Reason-6M, section 2.5)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from gamut.asking.questions import Question
from gamut.asking.requests import seed_of
from gamut.asking.visiting import Visit
from gamut.dataset.shared.expected import CAPTION_WORDS, DETAIL_WORDS, LEGACY_WORDS
from gamut.dataset.shared.joins import count_ids, english_captions, table_of
from gamut.dataset.shared.visits import Asking
from gamut.pipeline.asks import Asks, Requests, Work
from gamut.pipeline.steps import StepParameters, start
from gamut.tables.columns import ASKED, Row, table_schema
from gamut.tables.reading import shard_names
from gamut.texts.chinese import Translation, objection, quoted_words, with_rendered_text

TRANSLATE = Question(
    name="translate",
    opening="""\
You translate captions of pictures from English into Simplified Chinese, as a native writer of captions would put \
them: complete, fluent, nothing added and nothing left out, the order of ideas kept, names of styles and works in \
their usual Chinese form.

Where a block <lettering> is given, each of its lines is writing that stands in the picture. It is not translated: \
repeat it in double quotes exactly as it is, letter by letter, in English.""",
    instruction="Translate the caption below. Answer with a JSON object with the one key `translation`.",
    reply=Translation,
    check=objection,
)

SCHEMA = table_schema("id description caption_cn", *ASKED)


def work(params: StepParameters) -> Work:
    captions = table_of("annotate")
    return Work(shard_names(captions), captioned_records, partial(count_ids, captions), translate_captions(params))


def captioned_records(shard: str) -> Iterator[Row]:
    for row_id, captions in english_captions(shard).items():
        yield {"id": row_id, "captions": captions}


def translate_captions(params: StepParameters) -> Visit:
    def visit(record: Row) -> Asking:
        captions = record["captions"]
        texts = [row["caption"] for row in captions]
        about_lettering = [row["caption"] for row in captions if row["description"] == "text"]
        # without such a caption, the words that each text quotes itself
        lettering = [quoted_words((about_lettering or [text])[0]) for text in texts]
        answers = yield [
            TRANSLATE.about(
                with_rendered_text({"caption": row["caption"]}, row["caption"], words),
                seed=seed_of(f"{record['id']}/{row['description']}", params.seed),
            )
            for row, words in zip(captions, lettering, strict=True)
        ]
        return [
            {
                "id": record["id"],
                "description": row["description"],
                "caption_cn": answer.value.translation.strip() if answer.value else None,
                **answer.columns(),
            }
            for row, answer in zip(captions, answers, strict=True)
        ]

    return visit


def requests(params: StepParameters, flow: Any) -> list[Requests]:
    kinds = ((flow.categories, CAPTION_WORDS.value), (flow.kept, DETAIL_WORDS), (flow.compared, LEGACY_WORDS.value))
    return [Requests(number, TRANSLATE, {"caption": words}, words) for number, words in kinds]


STEP = Asks(
    "translate",
    role="translator",
    question=TRANSLATE,
    reads="annotate originals",
    schema=SCHEMA,
    work=work,
    requests=requests,
)

if __name__ == "__main__":
    start(STEP)
