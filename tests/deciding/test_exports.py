"""Exports of Label Studio become decisions of people in their logs; what is none is told."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pytest

from gamut.deciding.cards import Card, Task, choices_of
from gamut.deciding.exports import decisions_in, take_over
from gamut.project.decisions import Decision, open_log, path_of, read_log
from gamut.project.errors import UserError

DATA = {"id": "row-1", "round": 0, "about": "d1g3", "shown_prompt": "a red cat"}
ACCEPTED = Decision(id="row-1", about="d1g3", decision="accept")
REWRITTEN = Decision(
    id="row-1", about="d1g3", decision="rewrite", texts={"prompt": "a red cat, asleep"}, remark="too bare"
)


def result(name: str, kind: str, value: Any) -> dict[str, Any]:
    """One control's part of an annotation."""
    key = {"textarea": "text"}.get(kind, kind)
    return {"id": "x1", "type": kind, "value": {key: value}, "origin": "manual", "to_name": "t", "from_name": name}


REWRITE = [
    result("decision", "choices", ["rewrite"]),
    result("prompt", "textarea", ["a red cat, asleep"]),
    result("remark", "textarea", ["too bare"]),
]
ACCEPT = [result("decision", "choices", ["accept"])]


def annotation(results: list[Any], by: Any = 7, **more: Any) -> dict[str, Any]:
    """An annotation, with some of what else stands there."""
    return {"id": 22, "completed_by": by, "result": results, "was_cancelled": False, "ground_truth": False} | more


def task(*annotations: Any, data: Any = DATA, **more: Any) -> dict[str, Any]:
    """A task; what a model predicts about it is nobody's decision."""
    predictions = [{"id": 3, "model_version": "m", "result": [result("decision", "choices", ["reject"])]}]
    return {"id": 87, "data": data, "annotations": list(annotations), "drafts": [], "predictions": predictions} | more


BOTH = [task(annotation(REWRITE, 1), annotation(ACCEPT, 2))]


@pytest.mark.parametrize(
    ("export", "found"),
    [
        ([task(annotation(REWRITE))], [("7", REWRITTEN)]),
        ([task(annotation(REWRITE, {"id": 7, "email": "a@b.c", "first_name": "A"}))], [("a@b.c", REWRITTEN)]),
        ([task(annotation(REWRITE, None))], [("", REWRITTEN)]),
        (BOTH, [("1", REWRITTEN), ("2", ACCEPTED)]),
        ([task(annotation([*ACCEPT, result("prompt", "textarea", ["a red cat"])]))], [("7", ACCEPTED)]),
        ([], []),
        ([task(annotation(REWRITE, was_cancelled=True))], ["cancelled"]),
        ([task(drafts=[{"id": 1, "result": REWRITE}, 2])], ["draft", "draft"]),
        ([task(annotation([]), annotation(None), drafts=None)], ["without a decision"] * 2),
        ([task(annotation([result("decision", "choices", [" "])]))], ["without a decision"]),
    ],
)
def test_an_export_tells_who_decided_what_and_what_is_no_decision(export: Any, found: list[Any]) -> None:
    assert list(decisions_in(export)) == found


@pytest.mark.parametrize(
    ("export", "words"),
    [
        ("text", "a list of tasks, as Label Studio exports JSON (not JSON-MIN or CSV), is expected"),
        ([DATA | {"annotator": 7, "annotation_id": 22, "decision": "accept"}], "task 1: a list of tasks, as Label"),
        ([task(), task(annotation(3))], "task 2: annotations.0.result: Input should be a valid list"),
        ([task(annotation(REWRITE), data={"prompt": "x"})], "task 1: its data must have the `id` that gamut wrote"),
        ([task(annotation(REWRITE), data=DATA | {"round": -1})], "task 1: round: Input should be greater"),
        ([task(annotation([result("decision", "choices", ["a", "b"])]))], "task 1: 'decision' is ['a', 'b']: one"),
        ([task(annotation([result("a", "choices", ["x"]), result("b", "rating", 2)]))], "task 1: 'a' and 'b' all "),
        ([task(annotation([REWRITE[1], REWRITE[1]]))], "task 1: 'prompt' is answered twice"),
        ([task(annotation([result("box", "rectanglelabels", ["Car"])]))], "task 1: 'box' has type 'rectanglelabels'"),
    ],
)
def test_what_cannot_be_read_is_named_in_a_line(export: Any, words: str) -> None:
    with pytest.raises(UserError) as error:
        list(decisions_in(export))
    assert str(error.value).startswith(words) and len(str(error.value).splitlines()) == 1


def test_every_wrong_task_has_its_line_up_to_the_twentieth() -> None:
    with pytest.raises(UserError) as error:
        list(decisions_in([None] * 25))
    lines = str(error.value).splitlines()
    assert len(lines) == 21 and lines[19].startswith("task 20: ") and lines[20] == "5 more"


def cards(ids: Collection[str]) -> Iterator[Card]:
    for one in sorted(ids):
        yield Card(one, "d1g3", "?", [], choices_of(["accept", "reject"]), texts={"prompt": "a red cat"})


def of(name: str = "filters") -> Task:
    return Task(name, "T", [("row-1", 0), ("row-2", 0)], cards)


def written(export: Any, name: str = "export.json") -> Path:
    path = Path(name)
    path.write_text(export if isinstance(export, str) else json.dumps(export))
    return path


def test_an_export_is_added_once_and_what_changed_again(project: Path) -> None:
    log = path_of("ada-l", "review.b.e")
    first = [task(annotation(ACCEPT), annotation([], was_cancelled=True))]
    assert list(take_over(of("review.b.e"), written(first), "Ada L", None)) == [
        f"{log}: 1 decision added, 0 of them replace others; 0 were there already",
        "export.json: 1 answer passed over: cancelled",
    ]
    before = log.read_bytes()
    assert next(take_over(of("review.b.e"), Path("export.json"), "Ada L", None)).endswith("; 1 were there already")
    assert log.read_bytes() == before
    told = list(take_over(of("review.b.e"), written([task(annotation(REWRITE))]), "Ada L", None))
    assert told == [f"{log}: 1 decision added, 1 of them replace others; 0 were there already"]
    assert read_log(log) == [ACCEPTED, REWRITTEN]
    with open_log("ada-l", "review.b.e") as there:
        there.add(REWRITTEN.model_copy(update={"decision": ""}))  # taken back here, it is not taken for said
    assert " 1 decision added, 0 of" in next(take_over(of("review.b.e"), Path("export.json"), "Ada L", None))


def test_several_annotators_have_a_log_each(project: Path) -> None:
    people = written({"1": "Ada", "2": "Bob"}, "people.json")
    assert len(list(take_over(of(), written(BOTH), None, people))) == 2
    assert [read_log(path_of(name, "filters")) for name in ("ada", "bob")] == [[REWRITTEN], [ACCEPTED]]


ANNOTATED = [task(annotation(ACCEPT))]
UNKNOWN = [task(annotation(REWRITE), data=DATA | {"id": id}) for id in ("a", "b")]
NO_SUCH = "there is nothing with this id to decide, or it is gone"


@pytest.mark.parametrize(
    ("export", "person", "people", "words"),
    [
        (UNKNOWN, "Ada", None, f"export.json: 'a' of ada: {NO_SUCH}\nexport.json: 'b' of ada: {NO_SUCH}"),
        (ANNOTATED, None, None, "export.json: no name is given for '7': use --person NAME"),
        (BOTH, "Ada", {"1": "Ada"}, "--person 'Ada' and --people people.json: leave one of them out"),
        (BOTH, None, {"1": 3}, "people.json: a JSON object with a name for each annotator is expected"),
        (BOTH, None, {"1": "Ada", "2": " ADA"}, "export.json: 'row-1': ada decides twice ('rewrite' and 'accept')"),
        ("[", "Ada", None, "export.json is not JSON as Label Studio exports it: "),
        ([task(annotation(3)), 4], "Ada", None, "export.json: task 1: annotations.0.result: Input\nexport.json: task"),
    ],
)
def test_mistakes_are_lines_and_nothing_is_written(
    project: Path, export: Any, person: str | None, people: Any, words: str
) -> None:
    given_people = None if people is None else written(people, "people.json")
    with pytest.raises(UserError) as error:
        list(take_over(of(), written(export), person, given_people))
    lines, wanted = str(error.value).splitlines(), words.splitlines()
    assert len(lines) == len(wanted) and all(map(str.startswith, lines, wanted))
    assert not Path("datasets").exists()


def test_nothing_is_written_while_one_of_the_logs_is_open(project: Path) -> None:
    people = written({"1": "Ada", "2": "Bob"}, "people.json")
    with open_log("bob", "filters"), pytest.raises(UserError, match=r"bob/filters\.jsonl is open in another run"):
        list(take_over(of(), written(BOTH), None, people))
    assert not read_log(path_of("ada", "filters"))


def test_a_file_that_is_no_text_is_refused(project: Path) -> None:
    Path("latin").write_bytes(b'["\xe4"]')
    with pytest.raises(UserError, match=r"^latin is not JSON as "):
        list(take_over(of(), Path("latin"), "Ada", None))
