"""One contestant's scores by the released arithmetic, with its faults, next to ours: how many differ, and why.

The released scripts remove code fences from a judge's reply and read it as JSON, else as Python. They drop a failed
item, and one whose list is not as long as its checklist. In the others they count Y, also for inverted questions. Ours
counts failures as the lowest score; for an inverted question it counts N if another question is met. Both use the same
replies: the released scripts ask once, so theirs is the first reply, in their form (`answer_list`, `reason_list`) or
ours (`verdicts`).

They let Python evaluate replies that are not JSON: here they are read as literals, and nothing is run. If they would
stop with an error, such as at a reply without its list, the item is dropped here, with the reason `dropped.stops`.
"""

from __future__ import annotations

import ast
import json
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import Any

from gamut.evaluation.scoring.conditions import counted_values
from gamut.evaluation.scoring.estimates import round_value
from gamut.evaluation.scoring.scores import NOT_ASKED, OK, answer_reason
from gamut.project.files import write_json
from gamut.tables.columns import Row, grouped
from gamut.tables.reading import read_rows
from stages.aegis.shared.benchmark import AEGIS, MEASURE, Params, conditional
from stages.aegis.shared.items import TASKS, AegisItem

ANSWER_COLUMNS = ["id", "item", "setting", "sample", "status", "replies"]
JUDGMENT_COLUMNS = ["id", "part", "repeat", "value", "replies"]
YES = ("Y", "y", "yes", "Yes", "YES")
LONGEST = 30_000
"""Characters that are read as Python: very deep nesting could end the process."""
UNREADABLE = list("parsed_error")
"""Replaces a list that cannot be read: a checklist of twelve is then answered with N throughout."""


def read_marks(reply: str) -> tuple[list[Any] | None, str]:
    """Return the list that the released scripts take from a reply, None if they stop, and the problem."""
    bare = reply.replace("```python", "").replace("```json", "").replace("```", "").strip()
    try:
        content = parse_literal(bare)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        content = None
    if not isinstance(content, dict):
        return UNREADABLE, "dropped.unreadable"
    try:
        if "verdicts" in content and "answer_list" not in content:
            return [(one["verdict"], one["reason"])[0] for one in content["verdicts"]], ""
        return (list(content["answer_list"]), content["reason_list"])[0], ""
    except (KeyError, TypeError):
        return None, "dropped.stops"


def parse_literal(text: str) -> Any:
    """Return the value of JSON, else of a Python literal. Raises the errors of `json` and `ast`."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        if len(text) > LONGEST:
            raise
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about invalid escapes
        return ast.literal_eval(text)


def released_marks(rows: Sequence[Row], questions: int) -> tuple[list[bool] | None, str]:
    """Return which questions the released scripts count as Y, None if they drop the item, and why."""
    found: list[bool] = []
    calls = [number for number, row in enumerate(rows) if row["replies"]]
    for start, end in pairwise([*calls, questions]):
        reply = rows[start]["replies"][0]
        if reply["finish"] not in ("stop", "length") or reply["content"] is None:
            return None, "dropped.no_reply"
        answers, why = read_marks(reply["content"])
        if answers is None or len(answers) != end - start:
            return None, why or "dropped.wrong_length"
        found += [mark in YES for mark in answers]
    return (found, "") if calls else (None, "dropped.no_reply")


def compare_arithmetic(item: AegisItem, status: str, rows: Sequence[Row]) -> Row:
    """Return what one judgement of an answer is worth, and why both ways differ. `rows`: its judgments.

    Shares of questions, 0..1: counted as Y, None if dropped (`released`); right (`ours`). `reasons` explain the way
    from the first to what our parser reads (`answered.<status>`, `dropped.<why>`, `no_verdict`, `read_otherwise`), and
    from that to the second (`inverted`).
    """
    inverted = [question.inverted for question in item.checklist]
    verdicts: list[bool | None] = [None] * len(inverted)
    for row in rows:
        if row["value"] is not None:
            verdicts[row["part"]] = (row["value"] == 1) != inverted[row["part"]]
    yes = [verdict is True for verdict in verdicts]
    values = {
        part: None if verdicts[part] is None else float(verdicts[part] != turned)
        for part, turned in enumerate(inverted)
    }
    right = [value == 1 for value in counted_values(values, conditional(item).get(MEASURE, ())).values()]
    theirs, why = released_marks(rows, len(verdicts)) if status == OK else (None, status)
    reasons = [why] * (theirs is None)
    if theirs is not None:
        reasons += ["no_verdict"] * (None in verdicts)
        otherwise = [mark != verdict for mark, verdict in zip(theirs, verdicts, strict=True) if verdict is not None]
        reasons += ["read_otherwise"] * any(otherwise)
    reasons += ["inverted"] * (right != yes)
    return {"released": None if theirs is None else fmean(theirs), "ours": fmean(right), "reasons": reasons}


def judgements(
    items: Mapping[str, AegisItem], answers: Iterable[Row], judgments: Iterable[Row], repeats: int
) -> Iterator[Row]:
    """Yield judgements by one judge. What the contestant was not asked counts in neither."""
    by_answer = grouped(((row["id"], row["repeat"]), row) for row in judgments)
    for answer in answers:
        item, status = items[answer["item"]], answer_reason(answer)
        groups = {"task": item.task, "domain": item.domain, "topic": item.topic}
        for repeat in range(repeats if status != NOT_ASKED else 0):
            judged = compare_arithmetic(item, status, by_answer.get((answer["id"], repeat), []))
            yield {"setting": answer["setting"], "item": answer["item"]} | groups | judged


def released_metrics(rows: Sequence[Row]) -> dict[str, float]:
    """Return averages of judgements of one setting, 0..100, released and `…_ours`: for tasks, their domains and topics,
    and `overall`. Also how many there are, are `left` by the released scripts, and differ for which reason.

    As printed, `overall` is over tasks by domain, weighted by number of questions. It needs all tasks (table 3).
    """
    asked = Counter(f"{row['task']}.{row['domain']}" for row in rows)
    found: dict[str, float] = {}
    for share, end in (("released", ""), ("ours", "_ours")):
        groups: dict[str, list[float]] = {}
        for row in rows:
            for part in ("", f".{row['domain']}", f".{row['topic']}") if row[share] is not None else ():
                groups.setdefault(f"{row['task']}{part}", []).append(100 * row[share])
        means = {group: fmean(values) for group, values in groups.items()}
        if asked.keys() <= means.keys() and means.keys() >= {*TASKS}:
            means["overall"] = sum(count * means[part] for part, count in asked.items()) / asked.total()
        found |= {f"{group}{end}": round_value(mean) for group, mean in means.items()}
    found |= {"judgements": len(rows), "left": sum(row["released"] is not None for row in rows)}
    found["differing"] = sum(bool(row["reasons"]) for row in rows)
    return found | dict(sorted(Counter(f"because.{why}" for row in rows for why in row["reasons"]).items()))


def released(params: Params) -> None:
    for contestant in params.aegis.contestants:
        write_json(AEGIS.metrics_folder(params) / "released" / f"{contestant}.json", of_contestant(params, contestant))


def of_contestant(params: Params, contestant: str) -> dict[str, float]:
    block, items = AEGIS.block(params), {str(item.id): item for item in AEGIS.items(params)}
    answers, found = list(read_rows(AEGIS.answers / contestant, ANSWER_COLUMNS)), dict[str, float]()
    for judge in block.judges:
        judgments = read_rows(AEGIS.answer_judgments(contestant, judge), JUDGMENT_COLUMNS)
        rows = list(judgements(items, answers, judgments, block.repeats))
        for setting in dict.fromkeys(row["setting"] for row in rows):
            own = released_metrics([row for row in rows if row["setting"] == setting])
            found |= {f"{setting}.{judge}.{name}": value for name, value in own.items()}
            differing = f"{own['differing']} of {own['judgements']} judgements differ from the released arithmetic"
            print(f"aegis.board: {contestant}: {setting}, {judge}: {differing}")
    return found
