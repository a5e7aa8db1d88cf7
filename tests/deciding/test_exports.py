"""Exports of Label Studio and Argilla, in each form, become decisions of people in their logs; what is none is told."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.deciding import exports
from stages.deciding.exports import decisions_in, read_export
from stages.project.decisions import Decision, opened, path_of, read_log
from stages.project.errors import UserError

DATA = {"id": "row-1", "thing": "row-1", "round": 0, "about": "d1g3", "shown_prompt": "a red cat"}
ACCEPTED = Decision(id="row-1", about="d1g3", decision="accept")
REWRITTEN = Decision(
    id="row-1", about="d1g3", decision="rewrite", texts={"prompt": "a red cat, asleep"}, remark="too bare"
)


def result(name: str, kind: str, value: Any) -> dict[str, Any]:
    """One control's part of an annotation of Label Studio."""
    key = {"textarea": "text"}.get(kind, kind)
    return {"id": "x1", "type": kind, "value": {key: value}, "origin": "manual", "to_name": "t", "from_name": name}


REWRITE = [
    result("decision", "choices", ["rewrite"]),
    result("prompt", "textarea", ["a red cat, asleep"]),
    result("remark", "textarea", ["too bare"]),
]


def annotation(results: list[Any], by: Any = 7, **more: Any) -> dict[str, Any]:
    """An annotation of Label Studio, with some of what else stands there."""
    return {"id": 22, "completed_by": by, "result": results, "was_cancelled": False, "ground_truth": False} | more


def task(*annotations: Any, data: Any = DATA, **more: Any) -> dict[str, Any]:
    """A task of Label Studio; what a model predicts about it is nobody's decision."""
    predictions = [{"id": 3, "model_version": "m", "result": [result("decision", "choices", ["reject"])]}]
    return {"id": 87, "data": data, "annotations": list(annotations), "drafts": [], "predictions": predictions} | more


def least(**more: Any) -> dict[str, Any]:
    """A record of JSON_MIN: the tool's number stands in the place of our id."""
    return DATA | {"id": 87, "annotator": 7, "annotation_id": 22, "created_at": "2026-01-30T02:40:43Z"} | more


def flattened(**more: Any) -> dict[str, Any]:
    """A flattened record of Argilla 2, with what is suggested."""
    said = {"decision.suggestion": "reject", "decision.suggestion.score": 0.9, "decision.suggestion.agent": "m"}
    return {"id": "row-1", "status": "completed", "_server_id": "5f", "about": "d1g3", **said, **more}


def replies(name: str, *said: tuple[Any, str, str | None]) -> dict[str, Any]:
    """The columns of a question in a flattened record of Argilla 2: values, users, status."""
    values, users, status = map(list, zip(*said, strict=True))
    return {f"{name}.responses": values, f"{name}.responses.users": users, f"{name}.responses.status": status}


def first_argilla(**more: Any) -> dict[str, Any]:
    """A record of a dataset of Argilla 1."""
    return {
        "prompt_shown": "a red cat",
        "decision": [{"user_id": "u-1", "value": "accept", "status": "submitted"}],
        "decision-suggestion": "reject",
        "decision-suggestion-metadata": {"type": "model", "score": None, "agent": "m"},
        "external_id": "row-1",
        "metadata": json.dumps({"about": "d1g3"}),
    } | more


FLAT = flattened(
    **replies("decision", ("rewrite", "u-1", "submitted"), ("accept", "u-2", "submitted")),
    **replies("prompt", ("a red cat, asleep", "u-1", "submitted")),
    **replies("remark", ("too bare", "u-1", "submitted")),
)
OF_BOTH = [("u-1", REWRITTEN), ("u-2", ACCEPTED)]


@pytest.mark.parametrize(
    ("export", "found"),
    [
        ([task(annotation(REWRITE))], [("7", REWRITTEN)]),
        (task(annotation(REWRITE)), [("7", REWRITTEN)]),
        ([task(annotation(REWRITE, {"id": 7, "email": "a@b.c", "first_name": "A"}))], [("a@b.c", REWRITTEN)]),
        ([task(annotation(REWRITE, {"id": 7, "email": ""}))], [("7", REWRITTEN)]),
        ([task(annotation(REWRITE, None))], [("", REWRITTEN)]),
        (
            [task(annotation(REWRITE), annotation([result("decision", "choices", ["accept"])], 9))],
            [("7", REWRITTEN), ("9", ACCEPTED)],
        ),
        ([least(decision="rewrite", prompt="a red cat, asleep", remark="too bare")], [("7", REWRITTEN)]),
        ([least(decision="accept", annotator="a@b.c", prompt="a red cat")], [("a@b.c", ACCEPTED)]),
        ([least(annotation_id=None, annotator=None)], []),
        ([FLAT], OF_BOTH),
        ({key: [value] for key, value in FLAT.items()}, OF_BOTH),  # to_dict: a column of each key
        ({"row-1": FLAT}, OF_BOTH),  # to_dict(orient="index")
        ([flattened(**dict.fromkeys(replies("decision", ("", "", "")), None))], []),
        ([flattened(fields="a field may be called so")], []),
        ([first_argilla()], [("u-1", ACCEPTED)]),
        ([first_argilla(external_id=None, metadata={"id": "row-1", "about": "d1g3"})], [("u-1", ACCEPTED)]),
        (
            [first_argilla(decision={"user_id": ["u-1"], "value": ["accept"], "status": ["submitted"]})],
            [("u-1", ACCEPTED)],
        ),
        ([first_argilla(decision=[], vectors={"short": [0.1], "long": [0.1, 0.2]}, chat=[{"role": "user"}])], []),
        ([], []),
    ],
)
def test_every_form_tells_who_decided_what(export: Any, found: list[Any]) -> None:
    assert list(decisions_in(export)) == found


@pytest.mark.parametrize(
    ("results", "decision"),
    [
        ([result("pass", "rating", 4)], "4"),
        ([result("score", "number", 7.50)], "7.5"),
        ([result("score", "number", 0)], "0"),
        ([result("score", "number", -0.0)], "0"),
        ([result("verdict", "choices", ["Y"])], "Y"),
    ],
)
def test_a_choice_a_rating_or_a_number_decides(results: list[Any], decision: str) -> None:
    [(_, one)] = [one for one in decisions_in([task(annotation(results))]) if not isinstance(one, str)]
    assert (one.decision, one.texts) == (decision, {})


@pytest.mark.parametrize(
    ("value", "decision"),
    [([{"rating": 4}], "4"), ([{"number": 0.5, "original_width": 8}], "0.5"), ("Y", "Y")],
)
def test_the_least_form_has_ratings_and_numbers_in_lists(value: Any, decision: str) -> None:
    assert list(decisions_in([least(decision=value)])) == [("7", ACCEPTED.model_copy(update={"decision": decision}))]


def test_a_second_round_is_another_thing_to_decide() -> None:
    accepted = annotation([result("decision", "choices", ["accept"])])
    found = list(decisions_in([task(accepted), task(accepted, data=DATA | {"round": 1})]))
    assert found == [("7", ACCEPTED), ("7", ACCEPTED.model_copy(update={"round": 1}))]


def test_a_text_left_as_it_was_shown_is_no_rewrite() -> None:
    results = [result("decision", "choices", ["accept"]), result("prompt", "textarea", ["a red cat"])]
    assert list(decisions_in([task(annotation(results))])) == [("7", ACCEPTED)]


@pytest.mark.parametrize(
    ("export", "why"),
    [
        ([task(annotation(REWRITE, was_cancelled=True))], ["cancelled"]),
        ([task(drafts=[{"id": 1, "result": REWRITE}, 2])], ["draft", "draft"]),
        ([task(annotation([]), annotation(None), drafts=None)], ["without a decision"] * 2),
        ([task(annotation([result("remark", "textarea", ["unsure"])]))], ["without a decision"]),
        ([task(annotation([result("decision", "choices", [" "])]))], ["without a decision"]),
        ([least(verdict="accept")], ["without a decision"]),
        (
            [flattened(**replies("decision", ("accept", "u-1", "draft"), ("accept", "u-2", "discarded")))],
            ["draft", "discarded"],
        ),
        ([flattened(**replies("decision", ("accept", "u-1", None), ("accept", "u-2", "")))], ["without a status"] * 2),
        ([first_argilla(decision=[{"user_id": "u", "value": "accept"}])], ["without a status"]),
        (
            [
                flattened(
                    **replies("decision", ("accept", "u", "submitted")), **replies("remark", ("no", "u", "discarded"))
                )
            ],
            ["discarded"],
        ),
        ([first_argilla(decision=[{"user_id": "u", "value": None, "status": "discarded"}])], ["discarded"]),
    ],
)
def test_what_is_no_decision_is_said_with_its_reason(export: Any, why: list[str]) -> None:
    assert list(decisions_in(export)) == why


@pytest.mark.parametrize(
    ("export", "words"),
    [
        ("text", "as a whole: a list of records is wanted"),
        ({}, "as a whole: a list of records is wanted"),
        ({"id": ["a", "b"], "_server_id": ["s"]}, "as a whole: its columns are not equally long"),
        ([3], "record 1: no record that Label Studio"),
        ([{"id": 1}], "record 1: no record that Label Studio"),
        ([task(), task(annotation(3))], "record 2: annotations.0.result: Input should be a valid list"),
        ([task(annotation(REWRITE), data={"prompt": "x"})], "record 1: its data have no `id` of ours, but None"),
        ([task(annotation(REWRITE), data={"id": 1.5})], "record 1: its data have no `id` of ours, but 1.5"),
        ([task(annotation(REWRITE), data=DATA | {"round": -1})], "record 1: round: Input should be greater"),
        ([task(annotation(REWRITE), data=DATA | {"about": 4})], "record 1: about: Input should be a valid string"),
        ([task(annotation([result("decision", "choices", ["a", "b"])]))], "record 1: 'decision' is ['a', 'b']: one"),
        ([task(annotation([result("decision", "rating", True)]))], "record 1: 'decision' is True: one"),
        ([task(annotation([result("decision", "number", float("inf"))]))], "record 1: 'decision' is inf: one"),
        ([task(annotation([result("decision", "number", 10**400)]))], "record 1: 'decision' is 1000"),
        ([task(annotation([result("a", "choices", ["x"]), result("b", "rating", 2)]))], "record 1: 'a' and 'b' decide"),
        ([task(annotation([REWRITE[1], REWRITE[1]]))], "record 1: 'prompt' is answered twice"),
        (
            [task(annotation([*REWRITE[:1], result("prompt", "textarea", ["a", "b"])]))],
            "record 1: 'prompt' is ['a', 'b']",
        ),
        (
            [task(annotation([result("box", "rectanglelabels", ["Car"])]))],
            "record 1: 'box' is of type 'rectanglelabels'",
        ),
        ([task(annotation([result("decision", "choices", ["\ud800"])]))], "record 1: half a character"),
        ([least(decision="accept", thing=None)], "as a whole: JSON_MIN has Label Studio's number"),
        (
            [{"fields": {}, "responses": {"decision": [{"value": "accept", "user_id": "u"}]}}],
            "as a whole: Argilla does not say",
        ),
        ([flattened(**{"decision.responses": ["accept"]})], "record 1: 'decision.responses' has no list of values"),
        (
            [flattened(**replies("decision", ("accept", "u", "submitted")) | {"decision.responses": []})],
            "record 1: its columns are not equally long",
        ),
        (
            [flattened(**replies("decision", ("accept", "u", "draft"), ("no", "u", "draft")))],
            "record 1: 'decision' is answered twice by 'u'",
        ),
        (
            [flattened(**replies("ranks", ([{"rank": 1, "value": "a"}, {"rank": 2}], "u", "submitted")))],
            "record 1: 'ranks' is [{",
        ),
        ([first_argilla(metadata="[1]")], "record 1: its metadata are no object"),
        ([first_argilla(metadata="{")], "record 1: no JSON: "),
        ([first_argilla(metadata="[" * 100_000)], "record 1: nested too deeply"),
        (
            [first_argilla(decision=[{"user_id": [1], "value": "a", "status": "x"}])],
            "record 1: an annotator is named by list",
        ),
    ],
)
def test_what_cannot_be_read_is_named_in_a_line(export: Any, words: str) -> None:
    with pytest.raises(UserError) as error:
        list(decisions_in(export))
    assert str(error.value).startswith(words) and len(str(error.value).splitlines()) == 1


def test_every_wrong_record_has_its_line_up_to_the_twentieth() -> None:
    with pytest.raises(UserError) as error:
        list(decisions_in([None] * 25))
    lines = str(error.value).splitlines()
    assert len(lines) == 21 and lines[19].startswith("record 20: ") and lines[20] == "5 more"


def known(ids: Collection[str]) -> Callable[[Decision], Decision]:
    """What keeps decisions about rows, as a caller has it."""
    there = {one for one in ids if one.startswith("row-")}

    def keep(one: Decision) -> Decision:
        if one.id not in there:
            raise ValueError("no such row")
        return one

    return keep


def written(export: Any, name: str = "export.json") -> Path:
    path = Path(name)
    path.write_text(export if isinstance(export, str) else json.dumps(export))
    return path


def test_an_export_is_added_once_and_what_changed_again(project: Path) -> None:
    log = path_of("ada-l", "review.b.e")
    first = [task(annotation([result("decision", "choices", ["accept"])]), annotation([], was_cancelled=True))]
    assert list(read_export("review.b.e", written(first), "Ada L", known)) == [
        f"{log}: 1 decision added, 0 of them in the place of others; 0 stood there",
        "export.json: 1 answer passed over: cancelled",
    ]
    before = log.read_bytes()
    assert next(read_export("review.b.e", Path("export.json"), "Ada L", known)).endswith("; 1 stood there")
    assert log.read_bytes() == before
    told = list(read_export("review.b.e", written([task(annotation(REWRITE))]), "Ada L", known))
    assert told == [f"{log}: 1 decision added, 1 of them in the place of others; 0 stood there"]
    assert read_log(log) == [ACCEPTED, REWRITTEN]
    with opened("ada-l", "review.b.e") as there:
        there.add(REWRITTEN.model_copy(update={"decision": ""}))  # taken back here, it is not taken for said
    assert " 1 decision added, 0 of" in next(read_export("review.b.e", Path("export.json"), "Ada L", known))


def test_several_annotators_have_a_log_each(project: Path) -> None:
    people = written({"u-1": "Ada", "u-2": "Bob"}, "people.json")
    assert len(list(read_export("filters", written([FLAT]), None, known, people))) == 2
    assert [read_log(path_of(name, "filters")) for name in ("ada", "bob")] == [[REWRITTEN], [ACCEPTED]]


def test_lines_of_json_are_records_too(project: Path) -> None:
    lines = json.dumps(
        first_argilla(decision=[{"user_id": "u", "value": "a\u2028b", "status": "submitted"}]), ensure_ascii=False
    )
    other = json.dumps(first_argilla(external_id="row-2"))
    path = written(f"\ufeff{lines}\r\n\n{other}\n")
    assert len(list(read_export("filters", path, None, known, written({"u": "Ada", "u-1": "Ada"}, "people.json")))) == 1
    assert [one.decision for one in read_log(path_of("ada", "filters"))] == ["a\u2028b", "accept"]


def test_an_export_without_decisions_makes_no_log(project: Path) -> None:
    assert list(read_export("filters", written([task()]), None, known)) == ["no decision was found"]
    assert not Path("datasets").exists()


ANNOTATED = [task(annotation([result("decision", "choices", ["accept"])]))]
UNKNOWN = [task(annotation(REWRITE), data=DATA | {"id": id}) for id in ("a", "b")]


@pytest.mark.parametrize(
    ("export", "person", "people", "words"),
    [
        (UNKNOWN, "Ada", None, "export.json: 'a' of ada: no such row\nexport.json: 'b' of ada: no such row"),
        (ANNOTATED, None, None, "export.json: who is '7'? Say --person NAME"),
        ([FLAT], "Ada", None, "export.json: who is 'u-1', 'u-2'? Say --person NAME"),
        ([FLAT], None, {"u-1": "Ada"}, "export.json: who is 'u-2'?"),
        ([FLAT], "Ada", {"u-1": "Ada"}, "--person 'Ada' and --people people.json: one of them is wanted"),
        ([FLAT], None, {"u-1": 3}, "people.json: an object is wanted"),
        ([FLAT], None, ["Ada"], "people.json: an object is wanted"),
        ([FLAT], None, "{", "people.json: no JSON: "),
        ([FLAT], None, {"u-1": "Ada", "u-2": " ADA"}, "export.json: 'row-1': ada says 'rewrite' and 'accept'"),
        ([FLAT], None, {"u-1": "Ada", "u-2": "//"}, "--reviewer '//'"),
        ("", "Ada", None, "export.json: no JSON: Expecting value"),
        ("[{]", "Ada", None, "export.json: no JSON: "),
        ("[NaN]", "Ada", None, "export.json: NaN is no number of JSON"),
        (
            '{"a": 1}\n{"a": Infinity}\n[',
            "Ada",
            None,
            "export.json, line 2: Infinity is no number of JSON\nexport.json, line 3: no",
        ),
        ('[{"a": 1, "a": 2}]', "Ada", None, "export.json: 'a' stands there twice"),
        ("[" * 100_000, "Ada", None, "export.json: nested too deeply"),
        ("[1" + "0" * 5000 + "]", "Ada", None, "export.json: Exceeds the limit"),
        ("null", "Ada", None, "export.json, as a whole: a list of records is wanted"),
        (
            [task(annotation(3)), 4],
            "Ada",
            None,
            "export.json, record 1: annotations.0.result: Input should be a valid list\nexport.json, record 2",
        ),
    ],
)
def test_mistakes_are_lines_and_nothing_is_written(
    project: Path, export: Any, person: str | None, people: Any, words: str
) -> None:
    given_people = None if people is None else written(people, "people.json")
    with pytest.raises(UserError) as error:
        list(read_export("filters", written(export), person, known, given_people))
    assert str(error.value).startswith(words) and len(str(error.value).splitlines()) == len(words.splitlines())
    assert not Path("datasets").exists()


def test_nothing_is_written_while_one_of_the_logs_is_open(project: Path) -> None:
    people = written({"u-1": "Ada", "u-2": "Bob"}, "people.json")
    with opened("bob", "filters"), pytest.raises(UserError, match=r"bob/filters\.jsonl: is open in another run"):
        list(read_export("filters", written([FLAT]), None, known, people))
    assert not read_log(path_of("ada", "filters"))


def test_files_that_are_no_text_too_large_or_endless_are_refused(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo("pipe")
    Path("latin").write_bytes(b'["\xe4"]')
    for name, words in (("pipe", "pipe: is a FIFO"), ("latin", "latin: not UTF-8 text")):
        with pytest.raises(UserError, match=words):
            list(read_export("filters", Path(name), "Ada", known))
    monkeypatch.setattr(exports, "LARGEST", 10)
    with pytest.raises(UserError, match=r"export.json: \d+ bytes, of 10 at most"):
        list(read_export("filters", written(ANNOTATED), "Ada", known))


KEYS = st.sampled_from(
    [
        "id",
        "thing",
        "data",
        "annotations",
        "result",
        "value",
        "type",
        "from_name",
        "completed_by",
        "was_cancelled",
        "drafts",
        "annotator",
        "annotation_id",
        "decision",
        "shown_decision",
        "round",
        "about",
        "fields",
        "responses",
        "_server_id",
        "decision.responses",
        "decision.responses.users",
        "decision.responses.status",
        "external_id",
        "metadata",
        "user_id",
        "status",
        "choices",
        "text",
        "rating",
        "email",
    ]
)
PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=3)
PLAIN |= st.sampled_from(["choices", "textarea", "submitted", "{}", '{"id": 1}'])
ANYTHING = st.recursive(
    PLAIN, lambda one: st.lists(one, max_size=3) | st.dictionaries(KEYS, one, max_size=6), max_leaves=25
)
RECORDS = st.one_of(
    st.fixed_dictionaries(
        {
            "data": st.dictionaries(KEYS, ANYTHING),
            "annotations": st.lists(
                st.fixed_dictionaries(
                    {
                        "result": st.lists(
                            st.fixed_dictionaries({"type": st.sampled_from(["choices", "textarea"]), "value": ANYTHING})
                        ),
                        "completed_by": ANYTHING,
                    }
                )
            ),
        }
    ),
    st.fixed_dictionaries({"annotator": ANYTHING, "annotation_id": ANYTHING, "thing": ANYTHING, "decision": ANYTHING}),
    st.fixed_dictionaries(
        {
            "id": ANYTHING,
            "_server_id": ANYTHING,
            "decision.responses": ANYTHING,
            "decision.responses.users": ANYTHING,
            "decision.responses.status": ANYTHING,
        }
    ),
    st.fixed_dictionaries({"external_id": ANYTHING, "metadata": ANYTHING, "decision": ANYTHING}),
)


@given(ANYTHING | st.lists(RECORDS, max_size=2))
def test_anything_is_decisions_or_an_error_in_lines(export: Any) -> None:
    try:
        found = list(decisions_in(export))
    except UserError as error:
        assert all(line.isprintable() for line in str(error).split("\n"))
    else:
        for one in found:
            assert isinstance(one, str) or (one[1].decision and Decision.model_validate_json(one[1].model_dump_json()))


@given(st.binary(max_size=20) | ANYTHING.map(lambda one: json.dumps(one).encode()))
def test_any_bytes_are_an_export_or_an_error_in_lines(project: Path, held: bytes) -> None:
    Path("export.json").write_bytes(held)
    try:
        list(read_export("filters", Path("export.json"), "Ada", known))
    except UserError as error:
        assert all(line.isprintable() and line.startswith("export.json") for line in str(error).split("\n"))


@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from("xy"), st.sampled_from(["submitted", "draft"]), st.booleans())
    )
)
def test_all_that_is_answered_is_decided_or_counted(said: list[tuple[str, str, str, bool]]) -> None:
    records = [
        flattened(
            id=f"row-{n}",
            **replies("decision", (value, user, status)),
            **({} if one else replies("remark", ("r", user, status))),
        )
        for n, (user, value, status, one) in enumerate(said)
    ]
    found = list(decisions_in(records))
    assert Counter(one if isinstance(one, str) else one[0] for one in found) == Counter(
        user if status == "submitted" else status for user, _, status, _ in said
    )
