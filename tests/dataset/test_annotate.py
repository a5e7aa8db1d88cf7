"""Captions by hand: what is asked in which round, what the chain-of-thought sees, which captions are sent back."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from gamut.asking.limits import FAILURES
from gamut.asking.outcomes import Outcome
from gamut.asking.questions import AskedQuestion
from gamut.asking.requests import Chat, Model, Reply, fields_of, pictures_of, seed_of
from gamut.asking.visiting import Answer, follow
from gamut.dataset.shared.parameters import CHARACTERISTICS, DETAIL
from gamut.dataset.shared.texts import Caption, objection_to_lettering
from gamut.dataset.shared.visits import LOOKING
from gamut.tables.columns import Row
from stages.dataset.annotate import (
    EMPHASIS,
    GENERATION_CHAIN_OF_THOUGHT,
    QUESTIONS,
    QUESTIONS_WITH_PROMPT,
    describe,
)
from tests import fakes
from tests.fakes import drive

PICTURE = b"\xff\xd8picture"
RECORD: Row = {
    "id": "w-00000000",
    "image": {"bytes": PICTURE, "path": None},
    "categories": ["text", "style"],
    "prompt": "the Eiffel Tower with a sign",
}


def answers(*captions: str | None) -> Any:
    def answer(asked: Sequence[AskedQuestion]) -> list[Answer]:
        assert len(asked) == len(captions)
        outcomes = [Outcome("ok", Caption(caption=c)) if c else Outcome("truncated", reason="cut") for c in captions]
        return [Answer(outcome, "fake", ()) for outcome in outcomes]

    return answer


def test_a_question_for_every_characteristic() -> None:
    assert tuple(EMPHASIS) == tuple(QUESTIONS) == CHARACTERISTICS
    names = [question.name for question in QUESTIONS.values()] + [GENERATION_CHAIN_OF_THOUGHT.name]
    assert len(set(names)) == 7
    assert len({question.instruction for question in QUESTIONS.values()}) == 6
    assert QUESTIONS["text"].check is objection_to_lettering


def test_captions_first_then_the_chain_of_thought_from_all_of_them() -> None:
    visit = describe(fakes.params(seed=9))(RECORD)
    rounds, rows = drive(
        visit, answers('A sign says "OPEN".', " Bold red poster style. "), answers(" One dense text. ")
    )
    assert [[asked.question.name for asked in asks] for asks in rounds] == [
        ["caption_text", "caption_style"],
        ["generation_chain_of_thought"],
    ]
    for asked in [*rounds[0], *rounds[1]]:
        assert asked.request.messages[0].parts[0] == f"{LOOKING}\n"
        assert pictures_of(asked.request) == [PICTURE]
    seeds = [asked.request.seed for asked in [*rounds[0], *rounds[1]]]
    assert seeds == [seed_of(f"w-00000000/{text}", 9) for text in ("text", "style", "detail")], "each text has its own"
    [last] = rounds[1]
    assert fields_of(last.request) == {"captions": 'text: A sign says "OPEN".\nstyle: Bold red poster style.'}
    assert fields_of(rounds[0][0].request) == {}
    assert [(row["id"], row["description"], row["caption"], row["status"]) for row in rows] == [
        ("w-00000000", "text", 'A sign says "OPEN".', "ok"),
        ("w-00000000", "style", "Bold red poster style.", "ok"),
        ("w-00000000", "detail", "One dense text.", "ok"),
    ]


def test_the_chain_of_thought_does_without_a_caption_that_failed() -> None:
    rounds, rows = drive(describe(fakes.params())(RECORD), answers(None, "Bold red poster"), answers("One dense text."))
    [without] = rounds[1]
    assert fields_of(without.request) == {"captions": "style: Bold red poster"}
    assert [(row["description"], row["caption"], row["status"], row["reason"]) for row in rows] == [
        ("text", None, "truncated", "cut"),
        ("style", "Bold red poster", "ok", None),
        ("detail", "One dense text.", "ok", "written without caption_text (truncated)"),
    ]


def test_a_retry_asks_the_failed_caption_and_then_the_chain_of_thought_anew() -> None:
    model, store = cast(Model, SimpleNamespace(identity={"id": "fake"}, by_record=False)), dict[str, Reply]()

    def run(said: dict[str, Reply]) -> tuple[list[str], list[Row]]:
        asked, talk = list[str](), follow(describe(fakes.params()), RECORD, model, store.get)
        while True:
            try:
                missing = cast(dict[str, Chat], next(talk))
            except StopIteration as end:
                return asked, end.value
            asked += [request.name for request in missing.values()]
            store.update({mark: said[request.name] for mark, request in missing.items()})

    def caption(text: str) -> Reply:
        return Reply(Caption(caption=text).model_dump_json().encode())

    style, detail = caption("Bold red poster"), "generation_chain_of_thought"
    first = {
        "caption_text": Reply(b"A sign that", "length"),
        "caption_style": style,
        detail: caption("Without a sign."),
    }
    assert run(first)[0] == ["caption_text", "caption_style", detail]
    asked, rows = run({})
    assert asked == [] and rows[-1]["caption"] == "Without a sign."  # nothing is asked by itself
    for row in rows:
        for reply in row["replies"] if row["status"] in FAILURES else []:
            del store[reply["fingerprint"]]  # what `gamut retry` does
    asked, rows = run({"caption_text": caption('A sign that says "OPEN".'), detail: caption("With a sign.")})
    assert asked == ["caption_text", detail]
    assert [(row["caption"], row["reason"]) for row in rows[1:]] == [("Bold red poster", None), ("With a sign.", None)]


def test_the_chain_of_thought_waits_where_every_caption_failed() -> None:
    rounds, rows = drive(describe(fakes.params())(RECORD), answers(None, None))
    assert len(rounds) == 1
    assert [(row["description"], row["status"], row["reason"]) for row in rows] == [
        ("text", "truncated", "cut"),
        ("style", "truncated", "cut"),
        ("detail", "truncated", "caption_text: cut"),
    ]


@pytest.mark.parametrize("refusals", [1, 2])
def test_the_chain_of_thought_does_without_captions_that_were_refused(refusals: int) -> None:
    def refused(asked: Sequence[AskedQuestion]) -> list[Answer]:
        outcomes = [Outcome("refused_judge", reason="no")] * refusals
        outcomes += [Outcome("ok", Caption(caption="Bold red poster"))] * (2 - refusals)
        return [Answer(outcome, "fake", ()) for outcome in outcomes]

    rounds, rows = drive(describe(fakes.params())(RECORD), refused, answers("One dense text."))
    assert fields_of(rounds[1][0].request) == {"captions": "style: Bold red poster" if refusals == 1 else ""}
    assert [row["status"] for row in rows] == ["refused_judge", "refused_judge" if refusals == 2 else "ok", "ok"]
    assert rows[-1]["reason"].startswith("written without caption_text (refused_judge)")


def test_the_captioner_reads_the_prompt_only_where_it_is_wanted() -> None:
    annotate = {"max_failures": 0, "prompt_for_names": True}
    visit = describe(fakes.params(annotate=annotate))(RECORD)
    rounds, _ = drive(visit, answers('A sign says "OPEN".', "Bold red poster"), answers("One dense text."))
    for asked, name in zip(rounds[0], RECORD["categories"], strict=True):
        assert asked.question is QUESTIONS_WITH_PROMPT[name] and asked.question.name == QUESTIONS[name].name
        assert fields_of(asked.request) == {"prompt": "the Eiffel Tower with a sign"}
    assert set(fields_of(rounds[1][0].request)) == {"captions"}


def test_a_picture_in_all_categories() -> None:
    record = RECORD | {"categories": list(CHARACTERISTICS)}
    said = [f"caption of {name}" for name in CHARACTERISTICS]
    rounds, rows = drive(describe(fakes.params())(record), answers(*said), answers("merged"))
    names = ["composition", "entity", "text", "imaginative", "style", "affection"]  # abstract is a kind of art
    assert [asked.request.name for asked in rounds[0]] == [f"caption_{name}" for name in names]
    assert fields_of(rounds[1][0].request)["captions"].splitlines() == [
        f"{asked}: caption of {name}" for asked, name in zip(names, CHARACTERISTICS, strict=True)
    ]
    assert [row["description"] for row in rows] == [*CHARACTERISTICS, DETAIL]
