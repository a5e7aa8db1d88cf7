"""The forms in which Label Studio and Argilla export what people answered, each read into answers of one kind.

Label Studio (its SDK's `converter`): `JSON` and `JSON_MIN`. The latter puts its own number of a task over the task's
`id`, so that ours has to stand in `thing` too; it leaves out what was cancelled, and does not say which string was
chosen and which was written.

Argilla 2 (`argilla.records._io`): flattened, as `records.to_datasets().to_json(…)`, `records.to_list(flatten=True)` or
`records.to_dict(flatten=True)` have it. What is not flattened, as by `records.to_json(…)`, does not say which responses
were submitted. Argilla 1: `FeedbackDataset.format_as("datasets").to_json(…)`.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict

from stages.project.errors import UserError

DECISION, REMARK = "decision", "remark"
"""The names of answers. Others are texts of a rewrite, by the names of our texts."""
SHOWN = "shown_"
"""Before the name of a text: what was shown of it, in a task's data."""
VALUES = {"choices": "choices", "rating": "rating", "number": "number", "textarea": "text"}
"""Where the answer stands in the value of a Label Studio result, by the result's type."""
LEAST = {"annotator", "annotation_id"}
"""What tells a record of Label Studio's `JSON_MIN`, and a line of its CSV, from any other."""
RESPONSES = ".responses"
UNFLATTENED = (
    "as a whole: Argilla does not say here which responses were submitted: "
    "export `records.to_datasets().to_json(FILE)`, or `records.to_list(flatten=True)` as JSON"
)
NUMBERED = (
    "as a whole: JSON_MIN has Label Studio's number in the place of our `id`, and there is no `thing`: export as JSON"
)
FORMS = "no record that Label Studio exports as JSON or JSON_MIN, or Argilla flattened"


class Answer(NamedTuple):
    """What one person answered about one thing.

    `annotator`: by what the tool knows them, an address, number or UUID, empty where it names nobody; `thing`: our id;
    `shown`: the data of the task; `chosen` and `texts`: answers by the names of the questions.
    """

    annotator: str
    thing: Any
    shown: Mapping[str, Any]
    chosen: Mapping[str, Any]
    texts: Mapping[str, Any]


class Exported(BaseModel):
    """What is read of an export, beside which there is more."""

    model_config = ConfigDict(strict=True, frozen=True)


class User(Exported):
    """Who annotated, where an export has more than their number."""

    id: int | str | None = None
    email: str | None = None


class Result(Exported):
    """One control's part of an annotation."""

    type: str
    from_name: str = ""
    value: dict[str, Any] = {}


class Annotation(Exported):
    """What one person said of a task."""

    completed_by: User | int | str | None = None
    result: list[Result] | None = None
    was_cancelled: bool | None = None


class Task(Exported):
    """A task of Label Studio; `drafts` may be mere numbers."""

    data: dict[str, Any]
    annotations: list[Annotation]
    drafts: list[Any] | None = None


class Response(NamedTuple):
    """What one user of Argilla answered to one question."""

    question: str
    user: Any
    value: Any
    status: Any


def records_of(export: Any) -> Sequence[Any]:
    """Return the records of an export: a list, one record, a column of each key, or a record by each id; ValueError for
    anything else.
    """
    if isinstance(export, list):
        return export
    if isinstance(export, dict) and export:
        values = list(export.values())
        if all(isinstance(value, dict) for value in values):
            return values
        return rows_of(export) if all(isinstance(value, list) for value in values) else [export]
    raise ValueError("a list of records is wanted")


def rows_of(columns: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
    """Return columns as rows; ValueError where they are not equally long."""
    if len(set(map(len, columns.values()))) > 1:
        raise ValueError("its columns are not equally long")
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def answers_in(record: Any) -> Iterator[Answer | str]:
    """Yield what was answered in a record, or for an answer that is none why: `cancelled`, `draft`, `discarded`.

    ValueError where it cannot be read; UserError where nothing of its form can.
    """
    if not isinstance(record, dict):
        raise ValueError(FORMS)
    if {"data", "annotations"} <= record.keys():
        yield from of_task(Task.model_validate(record))
    elif record.keys() >= LEAST:
        yield from of_least(record)
    elif {"fields", "responses"} <= record.keys():
        if record["responses"]:
            raise UserError(UNFLATTENED)
    elif "_server_id" in record:
        yield from by_user(flattened(record), record.get("id"), record)
    elif "external_id" in record:
        shown = record | metadata_of(record)
        yield from by_user(in_columns(record), shown.get("id", record["external_id"]), shown)
    else:
        raise ValueError(FORMS)


def of_task(task: Task) -> Iterator[Answer | str]:
    """Yield the answers of a task that Label Studio exports as `JSON`; ValueError for a control that is not read."""
    yield from ["draft"] * len(task.drafts or [])
    for one in task.annotations:
        if one.was_cancelled:
            yield "cancelled"
            continue
        chosen: dict[str, Any] = {}
        texts: dict[str, Any] = {}
        for result in one.result or []:
            if result.type not in VALUES:
                raise ValueError(f"{result.from_name!r} is of type {result.type!r}: only {', '.join(VALUES)} are read")
            into = texts if result.type == "textarea" and result.from_name != DECISION else chosen
            if result.from_name in into:
                raise ValueError(f"{result.from_name!r} is answered twice: once is wanted")
            into[result.from_name] = bare(result.value.get(VALUES[result.type]))
        yield Answer(user_name(one.completed_by), task.data.get("id"), task.data, chosen, texts)


def of_least(record: Mapping[str, Any]) -> Iterator[Answer]:
    """Yield the answer in a record that Label Studio exports as `JSON_MIN`, if there is one.

    Data and answers stand side by side there: a text of a rewrite is known by the data that show it, and data of a name
    that answers have would be taken for one.
    """
    if record["annotation_id"] is None:
        return
    if record.get("thing") is None:
        raise UserError(NUMBERED)
    names = [DECISION, REMARK, *(key.removeprefix(SHOWN) for key in record if key.startswith(SHOWN))]
    answers = {name: bare(record[name]) for name in dict.fromkeys(names) if name in record}
    yield Answer(user_name(record["annotator"]), record["thing"], record, *sorted_out(answers))


def flattened(record: Mapping[str, Any]) -> Iterator[Response]:
    """Yield the responses in a flattened record of Argilla 2; ValueError where users or status are missing."""
    for key in record:
        if key.endswith(RESPONSES) and record[key] is not None:
            values, users, status = (record.get(f"{key}{of}") for of in ("", ".users", ".status"))
            if not (isinstance(values, list) and isinstance(users, list) and isinstance(status, list)):
                raise ValueError(f"{key!r} has no list of values, users and status")
            for row in rows_of({"value": values, "user": users, "status": status}):
                yield Response(key.removesuffix(RESPONSES), **row)


def in_columns(record: Mapping[str, Any]) -> Iterator[Response]:
    """Yield the responses in a record of Argilla 1, where a column of a question holds them as a list of objects, or an
    object of lists.
    """
    for key, held in record.items():
        if is_response(held) and all(isinstance(column, list) for column in held.values()):
            held = rows_of(held)
        for one in held if isinstance(held, list) else []:
            if is_response(one):
                yield Response(key, one["user_id"], one["value"], one.get("status"))


def is_response(held: Any) -> bool:
    """Return whether an object is what users of Argilla 1 answered."""
    return isinstance(held, dict) and {"user_id", "value"} <= held.keys()


def metadata_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata of a record of Argilla 1, where they are JSON in JSON; ValueError where they are not."""
    held = record.get("metadata") or {}
    found = json.loads(held) if isinstance(held, str) else held
    if not isinstance(found, dict):
        raise ValueError("its metadata are no object")
    return found


def by_user(responses: Iterable[Response], thing: Any, shown: Mapping[str, Any]) -> Iterator[Answer | str]:
    """Yield what each user answered, or the status where that is not `submitted`; ValueError for two answers to one
    question.
    """
    answers: dict[str, dict[str, Any]] = defaultdict(dict)
    status: dict[str, str] = {}
    for one in responses:
        user = user_name(one.user)
        if one.question in answers[user]:
            raise ValueError(f"{one.question!r} is answered twice by {user!r}: once is wanted")
        answers[user][one.question] = bare(one.value)
        if one.status != "submitted":
            status[user] = str(one.status or "without a status")
    for user, said in answers.items():
        yield status[user] if user in status else Answer(user, thing, shown, *sorted_out(said))


def sorted_out(answers: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what was chosen, and the texts, where a form tells only by name which string is which."""
    chosen = {name for name, value in answers.items() if name == DECISION or not isinstance(value, str)}
    return (
        {name: value for name, value in answers.items() if name in chosen},
        {name: value for name, value in answers.items() if name not in chosen},
    )


def bare(value: Any) -> Any:
    """Return what stands alone in lists, and in objects such as `{"rating": 4}`."""
    while True:
        if isinstance(value, list) and len(value) == 1:
            [value] = value
        elif isinstance(value, dict) and (key := next((key for key in VALUES.values() if key in value), None)):
            value = value[key]
        else:
            return value


def user_name(user: Any) -> str:
    """Return by what a tool knows a person: the address where there is one, or else the number or UUID.

    ValueError for what names nobody.
    """
    if isinstance(user, User):
        user = user.email or user.id
    if user is None:
        return ""
    if isinstance(user, bool) or not isinstance(user, str | int):
        raise ValueError(f"an annotator is named by {type(user).__name__}: text or a number is wanted")
    return str(user)
