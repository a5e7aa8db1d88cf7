"""The captions of `caption_lengths` in other languages; quoted lettering stays as it is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from gamut.asking.questions import AskedQuestion, Question
from gamut.asking.requests import seed_of
from gamut.asking.visiting import Visit
from gamut.dataset.shared.joins import count_ids, rows_by_id, table_of
from gamut.dataset.shared.visits import Asking, work_if
from gamut.pipeline.asks import Asks, Requests, Work
from gamut.pipeline.steps import StepParameters, start
from gamut.tables.columns import ASKED, Row, table_schema
from gamut.tables.reading import shard_names
from gamut.texts.chinese import Translation, quoted_words, with_rendered_text
from gamut.texts.scripts import objection
from stages.dataset.lengths import LENGTHS, Captions

TRANSLATE = Question(
    name="translate_lengths",
    opening="""\
You translate captions of pictures from English into another language, as a native writer of captions would put them: \
complete, fluent, nothing added and nothing left out, the order of ideas kept, in the usual script of that language.

Where a block <lettering> is given, each of its lines is writing that stands in the picture. It is not translated: \
repeat it exactly as it is, letter by letter, in the quotation marks that are usual in that language.""",
    instruction="Translate the caption below into the language that <language> names. Answer with a JSON object with "
    "the one key `translation`.",
    reply=Translation,
    check=objection,
)
SCHEMA = table_schema("id length language caption", *ASKED)


def work(params: StepParameters) -> Work:
    table = table_of("caption_lengths")

    def records(shard: str) -> Iterator[Row]:
        for row_id, rows in rows_by_id(table, shard, ["id", "length", "caption"]).items():
            yield {"id": row_id, "captions": rows}

    whole = Work(shard_names(table), records, partial(count_ids, table), translate(params))
    return work_if(bool(params.captions.languages), whole)


def translate(params: StepParameters) -> Visit:
    def about(row: Row) -> AskedQuestion:
        fields = {name: row[name] for name in ("language", "caption")}
        whole = with_rendered_text(fields, row["caption"], quoted_words(row["caption"]))
        return TRANSLATE.about(whole, seed=seed_of(f"{row['id']}/{row['length']}/{row['language']}", params.seed))

    def visit(record: Row) -> Asking:
        there = [row for row in record["captions"] if row["caption"]]
        asked = [row | {"language": language} for row in there for language in params.captions.languages]
        answers = yield [*map(about, asked)]
        texts = [one.value.translation.strip() if one.value else None for one in answers]
        return [row | {"caption": text} | one.columns() for row, text, one in zip(asked, texts, answers, strict=True)]

    return visit


def requests(params: StepParameters, flow: Any) -> list[Requests]:
    number = flow.kept * len(params.captions.languages)
    lengths = [sum(LENGTHS[name]) / 2 for name in params.captions.lengths]
    return [Requests(number, TRANSLATE, {"language": 1, "caption": words}, words) for words in lengths]


STEP = Asks(
    "translate_lengths",
    role="translator",
    question=TRANSLATE,
    reads="caption_lengths",
    schema=SCHEMA,
    work=work,
    parameters={"captions": Captions},
    requests=requests,
)

if __name__ == "__main__":
    start(STEP)
