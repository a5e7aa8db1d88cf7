"""How one answer is observed by who is no judge: what is found in it, and the values that a rule makes of that."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

import numpy as np
import orjson

from stages.asking.outcomes import Conversation, Outcome
from stages.asking.requests import Part, Picture
from stages.asking.visiting import Answer
from stages.evaluation.defining.inquiries import Judged, Pictures, Seen, Sighting
from stages.evaluation.defining.measures import Scale
from stages.evaluation.running.judging import Said, rows_of, with_parts
from stages.tables.columns import Row


def observed(
    record: Row, sightings: Sequence[Sighting], pictures: Pictures, scales: Mapping[str, Scale]
) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
    """Look for everything in every picture, or text, of one answer and of its item; a row a measure has a value and
    what was found, or a status without them.

    `record`: the answer's id, item, side, sample, and its parts as `answer`. `pictures`: the item's.
    """
    rows: list[Row] = []
    made = [
        [part for part in record["answer"] if isinstance(part, Picture) == (one.of == "image")] for one in sightings
    ]
    parts = [[*its_own, *one.beside(pictures)] for one, its_own in zip(sightings, made, strict=True)]
    asked = [[one.look(part) for part in all_of] for one, all_of in zip(sightings, parts, strict=True)]
    answers = iter((yield [conversation for conversations in asked for conversation in conversations]))
    for one, its_own, all_of in zip(sightings, made, parts, strict=True):
        found = [(part, next(answers)) for part in all_of]
        said = together(one, found, len(its_own))
        kept = None if said.judged is None else as_json([answer.value for _, answer in found[: len(its_own)]])
        rows += rows_of(record, one.measures, said, 0, scales, kept)
    return with_parts(rows)


def together(one: Sighting, found: Sequence[tuple[Part, Answer]], made: int) -> Said:
    """Return what comes of all that was found, the first `made` of it in the answer; nothing where one look failed, or
    where no value can be made of what was found.
    """
    trace = tuple(step for _, answer in found for step in answer.trace)
    if failed := next((answer for _, answer in found if answer.value is None), None):
        return Said(Answer(failed.outcome, failed.model, trace), None)
    values = [Seen(part, answer.value) for part, answer in found]
    model = found[0][1].model if found else ""  # nothing was looked at
    try:
        judged: Sequence[Judged] = one.read(values[:made], values[made:])
    except ValueError as error:
        return Said(Answer(Outcome("parse_error", reason=str(error)), model, trace), None)
    return Said(Answer(Outcome("ok", judged), model, trace), judged)


def as_json(found: Sequence[Any]) -> str:
    """Return what was found in each picture as JSON; of a vector its length, as the reply has it whole."""
    plain = [{"dimensions": one.size} if isinstance(one, np.ndarray) else one for one in found]
    return orjson.dumps(plain, default=tuple).decode()
