"""Add decisions from Label Studio, exported as its `JSON`, to the logs of decisions.

The decision is the only choice, rating or number of an annotation, or a text named `decision`. A text named `remark` is
the remark; other texts that were changed are texts of a rewrite. Predictions are ignored. Everything is checked as on
the page.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from gamut.deciding.cards import Card, Task, mistakes_in
from gamut.project.csv_forms import MOST_MISTAKES
from gamut.project.decisions import Decision, open_log, path_of, reviewer_name
from gamut.project.errors import UserError, in_one_line
from gamut.project.inputs import parse_json, regular_file
from gamut.project.plain_text import amount
from gamut.project.validation import show_value

DECISION, REMARK = "decision", "remark"
"""The names of answers. Others are texts of a rewrite, by the names of our texts."""
SHOWN_TEXT = "shown_"
"""The prefix of a text's name in a task's data, for the text as it was shown."""
VALUES = {"choices": "choices", "rating": "rating", "number": "number", "textarea": "text"}
"""The key of the answer in the value of a result, by the result's type."""
NO_TASKS = "a list of tasks, as Label Studio exports JSON (not JSON-MIN or CSV), is expected"


class Exported(BaseModel):
    """The parts of an export that are read; other keys are ignored."""

    model_config = ConfigDict(strict=True, frozen=True)


class User(Exported):
    id: int | str | None = None
    email: str | None = None


class Result(Exported):
    type: str
    from_name: str = ""
    value: dict[str, Any] = {}


class Annotation(Exported):
    completed_by: User | int | str | None = None
    result: list[Result] | None = None
    was_cancelled: bool | None = None


class Annotated(Exported):
    """A task with what people said of it; `drafts` may be mere numbers."""

    data: dict[str, Any]
    annotations: list[Annotation]
    drafts: list[Any] | None = None


def take_over(task: Task, path: Path, person: str | None, people: Path | None) -> Iterator[str]:
    """Add the decisions of an export to the logs of a task, and yield messages; a second time nothing is added.

    The log belongs to `person` if one annotator decided; for several, `people` is a JSON file of names by address or
    number. UserError with a line for every mistake in the export; then nothing is written.
    """
    export = read_json(path)
    try:
        found = list(decisions_in(export))
    except UserError as error:
        raise UserError("\n".join(f"{path}: {line}" for line in str(error).splitlines())) from None
    decided = [one for one in found if not isinstance(one, str)]
    said = decisions_by_person(path, decided, names_of(path, {annotator for annotator, _ in decided}, person, people))
    yield from add_to_logs(task.name, check_decisions(path, said, keeper_of(task, {one.id for _, one in decided})))
    for why, count in sorted(Counter(one for one in found if isinstance(one, str)).items()):
        yield f"{path}: {amount(count, 'answer')} passed over: {why}"


def read_json(path: Path) -> Any:
    try:
        return parse_json(regular_file(path).read_bytes())
    except ValueError as error:
        raise UserError(f"{path} is not JSON as Label Studio exports it: {in_one_line(error)}") from None


def decisions_in(export: Any) -> Iterator[tuple[str, Decision] | str]:
    """Yield who decided what, or why an answer is not a decision, such as `cancelled`. UserError at the end, with a
    line for every task that cannot be read.
    """
    if not isinstance(export, list):
        raise UserError(NO_TASKS)
    mistakes = []
    for number, one in enumerate(export, start=1):
        try:
            if not isinstance(one, dict) or not {"data", "annotations"} <= one.keys():
                raise ValueError(NO_TASKS)
            found = list(answers_in(Annotated.model_validate(one)))
        except ValueError as mistake:
            mistakes.append(f"task {number}: {complaint_of(mistake)}")
        else:
            yield from found
    refuse_all(mistakes)


def answers_in(task: Annotated) -> Iterator[tuple[str, Decision] | str]:
    yield from ["draft"] * len(task.drafts or [])
    for one in task.annotations:
        if one.was_cancelled:
            yield "cancelled"
            continue
        chosen: dict[str, Any] = {}
        texts: dict[str, Any] = {}
        for result in one.result or []:
            if result.type not in VALUES:
                raise ValueError(f"{result.from_name!r} has type {result.type!r}: only {', '.join(VALUES)} are read")
            into = texts if result.type == "textarea" and result.from_name != DECISION else chosen
            if result.from_name in into:
                raise ValueError(f"{result.from_name!r} is answered twice: once is expected")
            value = result.value.get(VALUES[result.type])
            into[result.from_name] = value[0] if isinstance(value, list) and len(value) == 1 else value
        found = decision_of(task.data, chosen, texts)
        by = one.completed_by
        who = by.email or by.id if isinstance(by, User) else by
        yield found if isinstance(found, str) else ("" if who is None else str(who), found)


def decision_of(data: Mapping[str, Any], answers: Mapping[str, Any], written: Mapping[str, Any]) -> Decision | str:
    thing = data.get("id")
    if isinstance(thing, bool) or not isinstance(thing, str | int) or thing == "":
        raise ValueError(f"its data must have the `id` that gamut wrote, not {show_value(thing)}")
    chosen = {name: words for name, value in answers.items() if (words := score_text(name, value))}
    if len(chosen) > 1:
        raise ValueError(f"{' and '.join(map(repr, chosen))} all decide: one choice, rating or number is expected")
    if not chosen:
        return "without a decision"
    texts = {name: words for name, value in written.items() if (words := answer_text(name, value))}
    remark = texts.pop(REMARK, "")
    return Decision(
        id=str(thing),
        round=data.get("round") or 0,
        about=data.get("about") or "",
        decision=next(iter(chosen.values())),
        texts={name: new for name, new in texts.items() if new != data.get(f"{SHOWN_TEXT}{name}")},
        remark=remark,
    )


def score_text(name: str, value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value or 0:.12g}"
    return answer_text(name, value).strip()


def answer_text(name: str, value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    raise ValueError(f"{name!r} is {show_value(value)}: one answer is expected")


def names_of(path: Path, annotators: Collection[str], person: str | None, people: Path | None) -> dict[str, str]:
    given = dict.fromkeys(annotators, person) if person and len(annotators) == 1 else {}
    if people is not None:
        if person:
            raise UserError(f"--person {in_one_line(person)!r} and --people {people}: leave one of them out")
        try:
            given = TypeAdapter(dict[str, str]).validate_python(read_json(people), strict=True)
        except ValidationError:
            raise UserError(f"{people}: a JSON object with a name for each annotator is expected") from None
    if nameless := sorted(set(annotators) - given.keys()):
        raise UserError(
            f"{path}: no name is given for {', '.join(map(repr, nameless))}: use --person NAME if one annotator "
            'decided, or --people FILE.json with {"ANNOTATOR": "NAME", …} if several did'
        )
    return {annotator: reviewer_name(given[annotator]) for annotator in annotators}


def decisions_by_person(
    path: Path, decided: Sequence[tuple[str, Decision]], names: Mapping[str, str]
) -> dict[str, list[Decision]]:
    found: dict[str, dict[tuple[str, int], Decision]] = defaultdict(dict)
    mistakes = []
    for annotator, one in decided:
        if (before := found[names[annotator]].setdefault(one.key, one)) != one:
            said = f"{show_value(before.decision)} and {show_value(one.decision)}"
            mistakes.append(f"{path}: {one.id!r}: {names[annotator]} decides twice ({said}): keep one of them")
    refuse_all(mistakes)
    return {name: list(found[name].values()) for name in sorted(found)}


def keeper_of(task: Task, ids: Collection[str]) -> Callable[[Decision], Decision]:
    """Return a function that turns a decision into the one to save; ValueError if the page would refuse it."""
    there, rounds = {card_id for card_id, _ in task.places}, {number for _, number in task.places}
    cards = {card.id: replace(card, shown=()) for card in task.cards(there & set(ids))}

    def keep(answer: Decision) -> Decision:
        if answer.id not in cards:
            raise ValueError("there is nothing with this id to decide, or it is gone")
        if answer.round not in rounds:
            raise ValueError(f"round {answer.round}: round {' or '.join(map(str, sorted(rounds)))} is expected")
        return as_logged(cards[answer.id], answer)

    return keep


def as_logged(card: Card, answer: Decision) -> Decision:
    """Return a decision as the log has it: with the card's digest, and a choice (given in words or in any case) as its
    value. ValueError if it is not allowed, or if what was shown has changed.
    """
    if answer.about not in ("", card.about):
        raise ValueError("what was shown has changed since: decide again")
    words = {choice.words.casefold(): choice.value for choice in card.choices}
    values = {choice.value.casefold(): choice.value for choice in card.choices}
    decision = (words | values).get(answer.decision.casefold(), answer.decision)
    found = answer.model_copy(update={"about": card.about, "decision": decision})
    if mistakes := mistakes_in(card, found):
        raise ValueError("; ".join(mistakes))
    return found


def check_decisions(
    path: Path, by_person: Mapping[str, Sequence[Decision]], keep: Callable[[Decision], Decision]
) -> dict[str, list[Decision]]:
    found: dict[str, list[Decision]] = {name: [] for name in by_person}
    mistakes = []
    for name, decisions in by_person.items():
        for one in decisions:
            try:
                found[name].append(keep(one))
            except ValueError as mistake:
                mistakes.append(f"{path}: {one.id!r} of {name}: {in_one_line(mistake)}")
    refuse_all(mistakes)
    return found


def add_to_logs(task: str, by_person: Mapping[str, Sequence[Decision]]) -> Iterator[str]:
    """Add decisions that logs lack, and yield messages. UserError, before any is written, if a log is open."""
    told = []
    with ExitStack() as stack:
        logs = {name: stack.enter_context(open_log(name, task)) for name in by_person}
        for name, log in logs.items():
            new = [one for one in by_person[name] if log.said.get(one.key) != one]
            changed = sum(one.key in log.said for one in new)
            for one in new:
                log.add(one)
            told.append(
                f"{path_of(name, task)}: {amount(len(new), 'decision')} added, {changed:,} of them replace "
                f"others; {len(by_person[name]) - len(new):,} were there already"
            )
    yield from told or ["no decision was found"]


def complaint_of(mistake: Exception) -> str:
    if not isinstance(mistake, ValidationError):
        return in_one_line(mistake)
    first = mistake.errors(include_url=False)[0]
    where = ".".join(map(str, first["loc"]))
    return in_one_line(f"{where}: {first['msg']}" if where else first["msg"])


def refuse_all(mistakes: Sequence[str]) -> None:
    if mistakes:
        more = [f"{len(mistakes) - MOST_MISTAKES:,} more"] if len(mistakes) > MOST_MISTAKES else []
        raise UserError("\n".join([*mistakes[:MOST_MISTAKES], *more]))
