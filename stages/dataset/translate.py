"""Every caption in Chinese; lettering that is quoted stays English (FLUX-Reason-6M, section 2.5)."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence

import pyarrow as pa
from pydantic import BaseModel

from stages.dataset.joins import ANNOTATIONS, TRANSLATIONS, grouped
from stages.params import Params
from stages.questions import Conversation, Question
from stages.run import Answer, Visit, ask
from stages.stage import main
from stages.tables import ASKED, Row, Slice, read_shard, shard_names, sliced

QUOTED = re.compile(r"(?<!\w)\"([^\"]+)\"(?!\w)|“([^”]+)”")
"""Words in double quotes; a quote right behind a letter or digit is an inch mark or the end of something else."""
CHINESE = re.compile(r"[\u4e00-\u9fff]")


class Translation(BaseModel):
    translation: str


def objection(reply: Translation, fields: Mapping[str, str]) -> str | None:
    """Why a translation cannot be used, or None: it is Chinese and repeats all quoted lettering verbatim."""
    if not CHINESE.search(reply.translation):
        return "the translation is not Chinese"
    lost = [words for words in quoted(fields["caption"]) if words not in reply.translation]
    return f"the quoted words must stay as they are: {', '.join(map(repr, lost))}" if lost else None


def quoted(caption: str) -> list[str]:
    """The lettering that a caption quotes."""
    return [straight or curly for straight, curly in QUOTED.findall(caption)]


TRANSLATE = Question(
    name="translate",
    opening="""\
You translate captions of pictures from English into Simplified Chinese, as a native writer of captions would put \
them: complete, fluent, nothing added and nothing left out, the order of ideas kept, names of styles and works in \
their usual Chinese form.

Words in double quotes are lettering that stands in the picture. They are not translated: repeat them in double quotes \
exactly as they are, letter by letter, in English.""",
    instruction="Translate the caption below. Answer with a JSON object with the one key `translation`.",
    reply=Translation,
    check=objection,
)

SCHEMA = pa.schema(
    [pa.field("id", pa.string()), pa.field("description", pa.string()), pa.field("caption_cn", pa.string()), *ASKED]
)


def translate(params: Params) -> None:
    ask(
        "translate",
        "translator",
        params,
        slices=captioned(),
        total=sum(len({row["id"] for row in read_shard(ANNOTATIONS, s, ["id"])}) for s in shard_names(ANNOTATIONS)),
        visit=into_chinese(params),
        schema=SCHEMA,
        folder=TRANSLATIONS,
        max_failures=params.translate.max_failures,
    )


def captioned() -> Iterator[Slice]:
    """Pictures with all their captions, in slices."""
    for shard in shard_names(ANNOTATIONS):
        columns = ["id", "description", "caption", "status"]
        records = (
            {"id": row_id, "captions": [row for row in rows if row["status"] == "ok"]}
            for row_id, rows in grouped(ANNOTATIONS, shard, columns).items()
        )
        yield from sliced(shard, records)


def into_chinese(params: Params) -> Visit:
    def visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
        captions = record["captions"]
        answers = yield [TRANSLATE.about({"caption": row["caption"]}, seed=params.seed) for row in captions]
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


if __name__ == "__main__":
    main("translate", translate)
