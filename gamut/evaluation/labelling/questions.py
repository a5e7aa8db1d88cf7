"""What a person is asked about an answer: the judge's own questions, one per line, and the value of a reply. The same
rule computes the value of a person's and of a judge's reply. The part about the reply's format is left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_origin

from pydantic import BaseModel

from gamut.asking.questions import json_schema
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.editions import Item
from gamut.evaluation.defining.measures import Scale
from gamut.evaluation.defining.parameters import BenchmarkParameters, Params
from gamut.evaluation.defining.questions import Check, JudgeQuestion
from gamut.evaluation.running.checklists import NUMBER
from gamut.project.csv_forms import form_rows
from gamut.project.errors import UserError
from gamut.project.files import write_csv

REASON = "a person says so"
"""Used in place of a judge's reason."""
FORM = "Answer with a JSON object"
"""The beginning of the last paragraph of instructions to judges."""
MEANING = re.compile(r" then `\w+`[:,] (.+?)\.(?= |$)", re.DOTALL)
"""In that paragraph, the meaning of the values that people reply with."""


class QuestionLine(NamedTuple):
    """`question`: its number among the lines of a measure. `wanted`: the allowed replies. `value`: the value of a
    reply; ValueError for an invalid one.
    """

    measure: str
    question: int
    words: str
    wanted: str
    value: Callable[[str], float]


def judge_lines(
    judge_questions: Sequence[JudgeQuestion], scales: Mapping[str, Scale]
) -> list[tuple[JudgeQuestion, list[QuestionLine]]]:
    """Return the lines about one answer by judge question: one for each statement of a checklist, or the question's own
    words if the judge's reply has only one part that is not text; else one for each measure.
    """
    counted: Counter[str] = Counter()
    found = []
    for one in judge_questions:
        lines = []
        for measure, (words, wanted, value) in zip(one.measures, measure_questions(one, scales), strict=True):
            worth = value_on_scale(value, wanted, scales[measure])
            lines.append(QuestionLine(measure, counted[measure], without_reply_format(words), wanted, worth))
            counted[measure] += 1
        found.append((one, lines))
    return found


def check_lines(checks: Sequence[Check], scales: Mapping[str, Scale]) -> list[tuple[Check, list[QuestionLine]]]:
    """Return the lines about observers' findings, by check, if it has words for people."""
    counted: Counter[str] = Counter()
    found = []
    for one in checks:
        lines = []
        for measure, wording in zip(one.measures, one.wording or [None] * len(one.measures), strict=True):
            if wording is not None:
                lowest, highest = scales[measure]
                wanted = f"{lowest:g} to {highest:g}" if wording.graded else "Y or N"
                value = value_on_scale(float if wording.graded else verdict_value, wanted, scales[measure])
                lines.append(QuestionLine(measure, counted[measure], wording.words, wanted, value))
            counted[measure] += 1
        if lines:
            found.append((one, lines))
    return found


def question_lines(benchmark: AnyBenchmark, block: BenchmarkParameters, item: Item, setting: str) -> list[QuestionLine]:
    judged = judge_lines(benchmark.questions_for_people(block, item, setting), benchmark.measures)
    seen = check_lines(benchmark.checks(item, setting), benchmark.measures)
    return [line for _, lines in [*judged, *seen] for line in lines]


def verdict_value(text: str) -> float:
    return float(("N", "Y").index(text))


def without_reply_format(words: str) -> str:
    """Remove an instruction's last paragraph, which asks for JSON, except for the meaning of the values."""
    rest, _, form = words.rstrip().rpartition("\n\n")
    if not form.startswith(FORM):
        return words
    meaning = MEANING.search(form)
    return f"{rest}\n\nAnswer {meaning[1]}." if meaning else rest


def measure_questions(
    one: JudgeQuestion, scales: Mapping[str, Scale]
) -> Iterator[tuple[str, str, Callable[[str], float]]]:
    reply, statements = one.question.reply, one.fields.get("checklist", "").splitlines()
    name, each = list_part(reply)
    if each and (part := only_part(each)) and len(statements) == len(one.measures):
        for place, words in enumerate(statements):
            yield words, choices_in_words(each, part), value_in_list(one, name, each, part, place)
    elif (part := only_part(reply)) and len(one.measures) == 1:
        yield one.question.instruction, choices_in_words(reply, part), value_of_reply(one, part)
    else:
        for measure in one.measures:
            lowest, highest = scales[measure]
            yield f"{measure}: {one.question.instruction}", f"{lowest:g} to {highest:g}", float


def value_in_list(
    one: JudgeQuestion, name: str, each: type[BaseModel], part: str, place: int
) -> Callable[[str], float]:
    """Return the value of the reply to one statement, which does not depend on the replies to others."""

    def value(text: str) -> float:
        reply = one.question.reply.model_validate({name: [fill_reply(each, part, text)] * len(one.measures)})
        return one.read(reply)[place].value

    return value


def value_of_reply(one: JudgeQuestion, name: str) -> Callable[[str], float]:
    reply = one.question.reply
    return lambda text: one.read(reply.model_validate(fill_reply(reply, name, text)))[0].value


def value_on_scale(value: Callable[[str], float], wanted: str, scale: Scale) -> Callable[[str], float]:
    """Accept a reply in lower or upper case. ValueError if its value is not on the scale."""

    def checked(text: str) -> float:
        for one in (text, text.upper(), text.lower()):
            with suppress(ValueError):
                if scale.lowest <= (found := value(one)) <= scale.highest:
                    return found
        raise ValueError(f"verdict {text!r}: {wanted} is expected")

    return checked


def only_part(reply: type[BaseModel]) -> str | None:
    """Return the only part of a reply that is a number or one of some words, if all others are texts."""
    parts = [name for name, part in reply.model_fields.items() if part.annotation is not str and name != NUMBER]
    kinds = [reply.model_fields[name].annotation for name in parts]
    plain = len(parts) == 1 and (kinds[0] in (int, float) or get_origin(kinds[0]) is Literal)
    return parts[0] if plain else None


def list_part(reply: type[BaseModel]) -> tuple[str, type[BaseModel] | None]:
    """Return the name of a reply's first part, and its objects' class if the reply is one list; else None."""
    [(name, part), *others] = reply.model_fields.items()
    kind = next(iter(get_args(part.annotation)), None) if get_origin(part.annotation) is list else None
    return name, kind if not others and isinstance(kind, type) and issubclass(kind, BaseModel) else None


def fill_reply(reply: type[BaseModel], name: str, text: str) -> dict[str, str]:
    return {part: "1" if part == NUMBER else REASON for part in reply.model_fields} | {name: text}


def choices_in_words(reply: type[BaseModel], name: str) -> str:
    part: Mapping[str, Any] = json_schema(reply)["properties"][name]
    if "enum" in part:
        return " or ".join(map(str, part["enum"]))
    if not {"minimum", "maximum"} <= part.keys():
        return "a number"
    lowest, highest = part["minimum"], part["maximum"]
    two = part.get("type") == "integer" and highest - lowest == 1  # no value is between them
    return f"{lowest} or {highest}" if two else f"{lowest} to {highest}"


MOST_STEPS = 10
"""A scale with more steps is not listed reply by reply."""


def listed_replies(wanted: str) -> list[str]:
    """Split `wanted` if it names words or a few whole numbers."""
    lowest, to, highest = wanted.partition(" to ")
    if not to:
        return wanted.split(" or ") if " or " in wanted else []
    steps = float(highest) - float(lowest)
    whole = float(lowest).is_integer() and 1 < steps <= MOST_STEPS and steps.is_integer()
    return [str(number) for number in range(int(float(lowest)), int(float(highest)) + 1)] if whole else []


KEY = ("code", "contestant", "item", "setting", "sample", "measure", "question")


def key_path(benchmark: AnyBenchmark, params: Params) -> Path:
    return Path("datasets/sheets", benchmark.name, f"{benchmark.block(params).edition}.key.csv")


def read_key(benchmark: AnyBenchmark, params: Params) -> dict[str, dict[str, str]]:
    """Return the key's rows by code. UserError if there is no key."""
    absent = f": restore it from git, or draw answers with `gamut label {benchmark.name}`, which writes it"
    return {row["code"]: row for _, row in form_rows(key_path(benchmark, params), KEY, absent)}


def write_key(benchmark: AnyBenchmark, params: Params, keys: Sequence[tuple[str, ...]]) -> None:
    """Write the key. UserError if the key of another draw exists."""
    path = key_path(benchmark, params)
    if path.exists() and [tuple(row[name] for name in KEY) for row in read_key(benchmark, params).values()] != keys:
        raise UserError(f"{path} belongs to another draw, whose labels need it: move it away to draw again")
    write_csv(path, KEY, keys)


def lines_by_place(benchmark: AnyBenchmark, params: Params) -> Callable[[Mapping[str, str]], QuestionLine]:
    """Return a function that finds the line for a row of the key. ValueError if the edition has no such line."""
    items, block = {str(item.id): item for item in benchmark.items(params)}, benchmark.block(params)
    settings = benchmark.settings(block)

    @cache
    def asked(item: str, setting: str) -> Mapping[tuple[str, str], QuestionLine]:
        return {
            (line.measure, str(line.question)): line for line in question_lines(benchmark, block, items[item], setting)
        }

    def line_of(row: Mapping[str, str]) -> QuestionLine:
        there = row["item"] in items and row["setting"] in settings
        line = asked(row["item"], row["setting"]).get((row["measure"], row["question"])) if there else None
        if line is None:
            where = f"{row['item']!r} ({row['setting']})"
            raise ValueError(f"its code belongs to a question that is no longer asked of {where}")
        return line

    return line_of
