"""Contestants' answers to an edition's items: one row for each item, setting and sample, with a list of ordered parts.

A setting is the form in which an item is asked: a language, text or image, a variant of the prompt. A part is a text or
an image, so that an interleaved answer keeps its order. Thinking before the answer is not part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa

from gamut.asking.as_shown import parts_as_shown
from gamut.asking.parts import Created
from gamut.asking.requests import Part
from gamut.asking.visiting import Answer
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.project.errors import UserError
from gamut.project.files import write_json
from gamut.tables.columns import ASKED, Row, grouped, make_id, place, table_schema
from gamut.tables.reading import RowsById, read_shard

PART = pa.struct(table_schema("text image:image"))
SCHEMA = table_schema(
    "id item setting sample:int32 spec", pa.field("parts", pa.list_(PART)), pa.field("thinking", pa.string()), *ASKED
)
"""`spec`: what the contestant was given (`running.spec`); null if the item cannot be asked."""


def rows_to_answer(items: Sequence[str], settings: Iterable[str], samples: int = 1) -> dict[str, list[Row]]:
    """Return the rows that a contestant is asked for, by shard. An id is `<setting>-<sample>-<item's place>`: a longer
    edition, more settings or more samples do not change the others.
    """
    rows: Iterable[Row] = (
        {"id": make_id(f"{setting}-{sample}", ordinal), "item": item, "setting": setting, "sample": sample}
        for setting in settings
        for sample in range(samples)
        for ordinal, item in enumerate(items)
    )
    return grouped((place(row["id"])[0], row) for row in rows)


def answer_row(record: Row, created: Created | None, answer: Answer) -> Row:
    """Return the row of one answer without its spec. `created`: its texts and encoded images in order."""
    named = {name: record[name] for name in ("id", "item", "setting", "sample")} | {"spec": None}
    parts = None if created is None else [part_of(part) for part in created.parts]
    return named | {"parts": parts, "thinking": created.thinking or None if created else None} | answer.columns()


def part_of(part: str | bytes) -> Row:
    if isinstance(part, str):
        return {"text": part, "image": None}
    return {"text": None, "image": {"bytes": part, "path": None}}


def parts_of(parts: Iterable[Row]) -> list[str | bytes]:
    return [part["text"] if part["image"] is None else part["image"]["bytes"] for part in parts]


def answer_records(benchmark: AnyBenchmark, contestant: str, shard: str, in_part: bool = False) -> Iterator[Row]:
    """Yield a shard's answers without pictures; with `in_part` also those that lack a part of what was asked for. A
    judge made elsewhere finds them as `<question>/<contestant>/<setting>/<item>[/<sample>].txt`.
    """
    folder = benchmark.answers / contestant
    for row in read_shard(folder, shard, ["id", "item", "setting", "sample", "status", "parts.list.element.text"]):
        parts = row.pop("parts")
        if row["status"] == "ok" or (in_part and parts):
            sample = f"/{row['sample']}" if row["sample"] else ""
            yield row | {"record": f"{contestant}/{row['setting']}/{row['item']}{sample}"}


AnswerReader = Callable[[Row], Sequence[Part]]
"""Reads the answer of a record: its texts and pictures in order, as all judges and observers see them."""


def answer_of(folder: Path) -> AnswerReader:
    """Return a function that reads a record's answer from a table of answers, as in `asking.as_shown`."""
    rows = RowsById(folder, ["parts"])

    def read_answer(record: Row) -> list[Part]:
        try:
            return parts_as_shown(parts_of(rows(record["id"])["parts"]))
        except ValueError as error:
            fix = "run `dvc repro` to make the answer again"
            raise UserError(f"{folder}: {record['id']}: a picture of this answer {error}: {fix}") from None

    return read_answer


IDENTITY = "_contestant.json"
"""The file, in a folder of answers or prompts, with the model's identity. Readers of tables skip such names."""
IDENTIFYING = ("id", "revision", "numerics", "sampling", "painting", "attention_adjustment", "adapter", "extra_body")
"""The parts that metrics contain. The others say how the model is asked, not what it is."""


def write_identity(answers: Path, identity: Mapping[str, Any]) -> None:
    write_json(answers / IDENTITY, identity)


def read_identity(answers: Path) -> dict[str, Any]:
    path = answers / IDENTITY
    try:
        return dict(orjson.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError) as error:
        raise damage_error(path, error) from None


def damage_error(path: Path, error: Exception) -> UserError:
    return UserError(f"{path} is damaged ({error}): run `dvc checkout {path.parent} --force`")


def identity_metrics(answers: Path) -> dict[str, str | float]:
    """Return the identity of the contestant, under flat keys `contestant.<name>`; nothing if it was not stored."""
    path = answers / IDENTITY
    if not path.exists():
        return {}
    try:
        identity = read_identity(answers)
        models = {"contestant": identity} | {
            f"contestant.{half}": identity[half] for half in ("text", "image") if half in identity
        }
        told = ((f"{who}.{name}", model.get(name)) for who, model in models.items() for name in IDENTIFYING)
        return {key: value for name, values in told for key, value in flat_items(name, values)}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise damage_error(path, error) from None


def flat_items(name: str, value: Any) -> Iterator[tuple[str, str | float]]:
    """Yield the values below a name under dotted names, without empty ones. A list becomes JSON text."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from flat_items(f"{name}.{key}", one)
    elif isinstance(value, list):
        yield name, orjson.dumps(value).decode()
    elif value is not None and value != "":
        yield name, value
