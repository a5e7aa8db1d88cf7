"""What people decided in Label Studio or Argilla, added to the logs of decisions.

The one choice, rating or number of an annotation is the decision; it has to be named `decision` where a form does not
tell choices from texts. A text named `remark` is the remark; others are texts of a rewrite, but for those that were
left as they were shown. Predictions and suggestions are nobody's decisions.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from stages.deciding.export_forms import LEAST, REMARK, SHOWN, Answer, answers_in, records_of
from stages.project.csv_forms import MOST_MISTAKES, refuse
from stages.project.decisions import Decision, opened, path_of, reviewer
from stages.project.errors import UserError, in_one_line
from stages.project.inputs import regular, repeated_keys
from stages.project.plain_text import amount
from stages.project.validation import shown

LARGEST = 1 << 29
"""Bytes of an export that is read: some ten times as much memory may be needed."""
LONGEST_LINE = 1 << 16
"""Characters in which the first line of a table is looked for."""
LARGEST_SCORE = 1e12
"""Beyond that, and what is no number at all, nobody means."""
UNDECIDED = "without a decision"
Keeping = Callable[[Collection[str]], Callable[[Decision], Decision]]
"""Gets, once, the ids of all things that an export names, and returns what makes of a decision the one to be kept:
ValueError, in a line, for what cannot be kept.
"""


def read_export(
    task: str, path: Path, person: str | None, keeping: Keeping, people: Path | None = None
) -> Iterator[str]:
    """Add what an export says to the logs of a task, and yield what to tell; a second time nothing is added.

    Whose log it is: `person`, where one annotator decided; of several, `people` is a JSON file of names by address,
    number or UUID. `task` is one of datasets/decisions/README.md. UserError with a line for every mistake in the
    export; nothing is written then.
    """
    export = parsed(path)
    try:
        found = list(decisions_in(export))
    except UserError as error:
        raise UserError("\n".join(f"{path}, {line}" for line in str(error).splitlines())) from None
    decided = [one for one in found if not isinstance(one, str)]
    said = said_by(path, decided, names_of(path, {annotator for annotator, _ in decided}, person, people))
    yield from added(task, kept(path, said, keeping({one.id for _, one in decided})))
    for why, count in sorted(Counter(one for one in found if isinstance(one, str)).items()):
        yield f"{path}: {amount(count, 'answer')} passed over: {in_one_line(why)}"


def decisions_in(export: Any) -> Iterator[tuple[str, Decision] | str]:
    """Yield who decided what in a parsed export, or for an answer that is no decision why, such as `cancelled`.

    UserError at the end, with a line for every record that cannot be read.
    """
    mistakes = []
    try:
        records = records_of(export)
    except ValueError as mistake:
        raise UserError(f"as a whole: {mistake}") from None
    for number, record in enumerate(records, start=1):
        try:
            found = [one if isinstance(one, str) else decision_of(one) for one in answers_in(record)]
        except ValueError as mistake:
            mistakes.append(f"record {number}: {words_of(mistake)}")
        except RecursionError:
            mistakes.append(f"record {number}: nested too deeply")
        else:
            yield from found
    refuse_all(mistakes)


def decision_of(answer: Answer) -> tuple[str, Decision] | str:
    """Return who decided what in an answer, or that nothing is decided; ValueError where it cannot be read."""
    if isinstance(answer.thing, bool) or not isinstance(answer.thing, str | int) or answer.thing == "":
        raise ValueError(f"its data have no `id` of ours, but {shown(answer.thing)}")
    chosen = {name: said for name, value in answer.chosen.items() if (said := score(name, value))}
    if len(chosen) > 1:
        raise ValueError(f"{' and '.join(map(repr, chosen))} decide: one choice, rating or number is wanted")
    if not chosen:
        return UNDECIDED
    texts = {name: said for name, value in answer.texts.items() if (said := text(name, value))}
    remark = texts.pop(REMARK, "")
    one = Decision(
        id=str(answer.thing),
        round=answer.shown.get("round") or 0,
        about=answer.shown.get("about") or "",
        decision=next(iter(chosen.values())),
        texts={name: said for name, said in texts.items() if said != answer.shown.get(f"{SHOWN}{name}")},
        remark=remark,
    )
    try:
        one.model_dump_json()
    except ValueError:
        raise ValueError("half a character stands in it, which no file can hold: mend it in the tool") from None
    return answer.annotator, one


def score(name: str, value: Any) -> str:
    """Return a choice or number as a decision, empty where there is none; ValueError for what is neither."""
    if isinstance(value, int | float) and not isinstance(value, bool) and -LARGEST_SCORE <= value <= LARGEST_SCORE:
        return f"{value or 0:.12g}"
    return text(name, value).strip()


def text(name: str, value: Any) -> str:
    """Return a text, empty where there is none; ValueError for what is none."""
    if value is None or isinstance(value, str):
        return value or ""
    raise ValueError(f"{name!r} is {shown(value)}: one answer is wanted")


def names_of(path: Path, annotators: Collection[str], person: str | None, people: Path | None) -> dict[str, str]:
    """Return the folders' names of annotators; UserError where somebody has none."""
    given = dict.fromkeys(annotators, person) if person and len(annotators) == 1 else {}
    if people is not None:
        if person:
            raise UserError(f"--person {in_one_line(person)!r} and --people {people}: one of them is wanted")
        given = parsed(people)
        if not isinstance(given, dict) or not all(isinstance(name, str) for name in given.values()):
            raise UserError(f"{people}: an object is wanted of a name for each annotator")
    if nameless := sorted(set(annotators) - given.keys()):
        raise UserError(
            f"{path}: who is {', '.join(map(repr, nameless))}? Say --person NAME where one annotator decided, "
            '--people FILE of JSON, {"ANNOTATOR": "NAME", …}, where several did'
        )
    return {annotator: reviewer(given[annotator]) for annotator in annotators}


def said_by(path: Path, decided: Sequence[tuple[str, Decision]], names: Mapping[str, str]) -> dict[str, list[Decision]]:
    """Return what each person decided, by name; UserError where somebody says two things of one."""
    found: dict[str, dict[tuple[str, int], Decision]] = defaultdict(dict)
    mistakes = []
    for annotator, one in decided:
        if (before := found[names[annotator]].setdefault(one.key, one)) != one:
            said = f"{shown(before.decision)} and {shown(one.decision)}"
            mistakes.append(f"{path}: {one.id!r}: {names[annotator]} says {said}, or tells more: keep one of them")
    refuse_all(mistakes)
    return {name: list(found[name].values()) for name in sorted(found)}


def kept(
    path: Path, said: Mapping[str, Sequence[Decision]], keep: Callable[[Decision], Decision]
) -> dict[str, list[Decision]]:
    """Return decisions as they are kept, by name; UserError with a line for every one that cannot be."""
    found: dict[str, list[Decision]] = {name: [] for name in said}
    mistakes = []
    for name, decisions in said.items():
        for one in decisions:
            try:
                found[name].append(keep(one))
            except ValueError as mistake:
                mistakes.append(f"{path}: {one.id!r} of {name}: {in_one_line(mistake)}")
    refuse_all(mistakes)
    return found


def added(task: str, said: Mapping[str, Sequence[Decision]]) -> Iterator[str]:
    """Add to the logs what they do not say already, and yield what to tell; UserError where one is open elsewhere, and
    nothing is written then.
    """
    told = []
    with ExitStack() as stack:
        logs = {name: stack.enter_context(opened(name, task)) for name in said}
        for name, log in logs.items():
            new = [one for one in said[name] if log.said.get(one.key) != one]
            changed = sum(one.key in log.said for one in new)
            for one in new:
                log.add(one)
            told.append(
                f"{path_of(name, task)}: {amount(len(new), 'decision')} added, {changed:,} of them in the place of "
                f"others; {len(said[name]) - len(new):,} stood there"
            )
    yield from told or ["no decision was found"]


def refuse_table(path: Path) -> None:
    """Raise UserError for Label Studio's CSV and TSV, which nothing here reads."""
    if not path.is_file():
        return  # who opens it says why
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        line = file.readline(LONGEST_LINE).replace('"', "").strip()
    if {*re.split("[,\t]", line)} >= LEAST:
        kind = "TSV" if "\t" in line else "CSV"
        raise UserError(f"{path}: this is Label Studio's {kind}: export as JSON or JSON-MIN")


def parsed(path: Path) -> Any:
    """Return what a file of JSON holds, or a list where every line is JSON; UserError with a line for every mistake."""
    if (size := regular(path).stat().st_size) > LARGEST:
        raise UserError(f"{path}: {size:,} bytes, of {LARGEST:,} at most: export in parts, or without pictures")
    try:
        held = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 text ({error.reason} at byte {error.start})") from None
    try:
        return loaded(held)
    except ValueError as mistake:
        if not (isinstance(mistake, json.JSONDecodeError) and mistake.msg == "Extra data"):
            refuse_all([f"{path}: {words_of(mistake)}"])
    records, mistakes = [], []
    for number, line in enumerate(held.split("\n"), start=1):
        try:
            records.extend([loaded(line)] if line.strip() else [])
        except ValueError as mistake:
            mistakes.append((number, words_of(mistake)))
    refuse(path, mistakes)
    return records


def loaded(held: str) -> Any:
    """Return what a JSON text holds; ValueError for what is none, too deep, or has a key twice in one object."""
    try:
        if twice := repeated_keys(held):
            raise ValueError(f"{twice[0]!r} stands there twice")
        return json.loads(held, parse_constant=no_number)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def no_number(name: str) -> None:
    """Raise ValueError for NaN and infinity, which JSON does not have."""
    raise ValueError(f"{name} is no number of JSON")


def words_of(mistake: ValueError) -> str:
    """Return in one line what is wrong."""
    if isinstance(mistake, json.JSONDecodeError):
        return f"no JSON: {in_one_line(mistake)}"
    if isinstance(mistake, ValidationError):
        first = mistake.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        return in_one_line(f"{where}: {first['msg']}" if where else first["msg"])
    return in_one_line(mistake)


def refuse_all(mistakes: Sequence[str]) -> None:
    """Raise a UserError with the first mistakes, a line each, if there are any."""
    if mistakes:
        more = [f"{len(mistakes) - MOST_MISTAKES:,} more"] if len(mistakes) > MOST_MISTAKES else []
        raise UserError("\n".join([*mistakes[:MOST_MISTAKES], *more]))
