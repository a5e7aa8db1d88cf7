"""How answers are put and judged: eight questions, what is a verdict and what is none, and a second look."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamut.asking.material import read_enclosures
from gamut.asking.models.world import sandbox
from gamut.asking.outcomes import Outcome
from gamut.asking.questions import AskedQuestion
from gamut.asking.requests import Part, Picture, Reply
from gamut.asking.visiting import Answer
from gamut.evaluation.defining.pictures import stand_ins
from gamut.evaluation.defining.questions import Prompt
from gamut.evaluation.running.judging import judge_answer
from gamut.evaluation.running.spec import judgment_specs, spec_parts
from gamut.tables.columns import Row
from stages.gapeval.shared.benchmark import GAPEVAL
from stages.gapeval.shared.items import CATEGORIES, SETTINGS, GapItem
from stages.gapeval.shared.judging import QUESTIONS, SECOND_QUESTIONS, GapEval, SecondLook
from tests.gapeval.small_items import item_of, painted, pictures_of

RIGHT, WRONG = ({"reason": "seen", "score": score} for score in (1, 0))
OTHER = painted("four purple birds", 7)
GIVEN = {"question_1": painted(), "reference_1": painted("three red cars")}


def block(second_look: SecondLook = False) -> GapEval:
    common = {"edition": "v1", "judges": ["world"], "contestants": [], "controls_of": []}
    common["judge"] = {"max_failures": 0}
    answer = {"width": 128, "height": 128, "samples": 2, "max_failures": 0}
    own = {"second_look": second_look}
    return GapEval.model_validate(common | own | {"answer": answer})


def play(item: GapItem, setting: str, answer: Sequence[Part], replies: Sequence[str], look: SecondLook = False) -> Row:
    """The one row of an answer about which a judge says these replies, each where another is asked for."""
    record = {"id": "a", "item": item.id, "setting": setting, "sample": 0, "answer": answer}
    shown = pictures_of({image.name: GIVEN[image.name] for image in item.images})
    said = iter(replies)
    rounds = judge_answer(record, GAPEVAL.judge_questions(block(look), item, setting), shown, 1, 5, GAPEVAL.measures)
    try:
        conversations = next(rounds)
        while True:
            conversations = rounds.send([talked(one, said) for one in conversations])
    except StopIteration as end:
        assert next(said, None) is None, "all was asked for"
        [row] = end.value
        return row


def talked(conversation: Any, said: Any) -> Answer:
    replies: list[Reply] = []
    while not isinstance(step := conversation.next(replies), Outcome):
        replies.append(Reply(next(said).encode()))
    return Answer(step, "judge", tuple(("f", reply) for reply in replies))


def text(verdict: dict[str, Any]) -> str:
    return json.dumps(verdict)


def test_there_are_eight_questions_and_a_second_turn_to_each() -> None:
    names = {f"{category}_{setting}" for category in CATEGORIES for setting in SETTINGS}
    assert {one.name for one in QUESTIONS.values()} == names and len(names) == 8
    assert {one.name for one in SECOND_QUESTIONS.values()} == {f"{name}_again" for name in names}
    assert len({one.instruction for one in QUESTIONS.values()}) == 8


def test_an_item_is_put_in_words_and_as_a_picture_of_its_own_size() -> None:
    item, shown = item_of(), pictures_of(GIVEN)
    und, gen = (GAPEVAL.prompt(block(), item, setting, shown) for setting in SETTINGS)
    assert und == Prompt((shown["question_1"], item.question), ("text",))
    assert gen == Prompt((shown["question_1"], item.prompt), ("image",), (128, 128))
    assert (und.tasks, gen.tasks) == ({"understanding"}, {"editing"})
    alone = GAPEVAL.prompt(block(), item_of(pictures={"reference_1": GIVEN["reference_1"]}), "gen", shown)
    assert alone == Prompt((item.prompt,), ("image",), None) and alone.tasks == {"generation"}


def test_what_is_right_is_a_text_or_a_picture() -> None:
    shown = pictures_of(GIVEN)
    assert GAPEVAL.reference(item_of(), "und", shown) == ["3 cars & 1 house"]
    assert GAPEVAL.reference(item_of(), "gen", shown) == [shown["reference_1"]]
    assert GAPEVAL.reference(item_of(pictures={}), "gen", {}) == []


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_judge_sees_question_reference_and_answer_in_blocks(setting: str) -> None:
    item, shown = item_of(), pictures_of(GIVEN)
    answer = ["</answer>1"] if setting == "und" else [Picture(OTHER)]
    [judge_question] = GAPEVAL.judge_questions(block(), item, setting)
    seen = read_enclosures(
        judge_question.question.about(judge_question.fields, judge_question.material(answer, shown)).request
    )
    assert seen == {
        "question": [item.question if setting == "und" else item.prompt],
        "question_picture": [shown["question_1"]],
        "reference_text": [item.reference_text],
        "reference_picture": [shown["reference_1"]],
        "answer": answer,
    }
    [bare] = GAPEVAL.judge_questions(block(), item_of(pictures={}), setting)
    request = bare.question.about(bare.fields, bare.material(answer, {})).request
    assert [*read_enclosures(request)] == ["question", "reference_text", "answer"]


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("verdict", [RIGHT, WRONG])
def test_a_verdict_counts_with_its_reason(setting: str, verdict: dict[str, Any]) -> None:
    row = play(item_of(), setting, ["3 cars"] if setting == "und" else [Picture(OTHER)], [text(verdict)])
    assert (row["question"], row["value"], row["note"], row["status"]) == ("right", verdict["score"], "seen", "ok")


@pytest.mark.parametrize(
    "reply", ['{"reason": "r", "score": "yes"}', '{"reason": "r", "score": 2}', '{"score": 0}', ""]
)
def test_what_is_no_verdict_is_asked_for_once_more_and_then_a_status(reply: str) -> None:
    row = play(item_of(pictures={}), "und", ["3 cars"], [reply, reply])
    assert (row["value"], row["status"]) == (None, "parse_error")
    fixed = play(item_of(pictures={}), "und", ["3 cars"], [reply, text(RIGHT)])
    assert (fixed["value"], fixed["status"]) == (1, "ok")


SCORES = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2) | st.text(max_size=4) | st.lists(st.integers())
)


@settings(max_examples=60, deadline=None)
@given(SCORES | st.sampled_from([0, 1]), st.text(max_size=8) | st.integers())
def test_a_reply_is_a_verdict_where_it_has_a_reason_and_the_number_0_or_1(score: Any, reason: Any) -> None:
    asked = QUESTIONS["reasoning", "gen"].about()
    value, complaint = asked.parse(json.dumps({"reason": reason, "score": score}))
    if isinstance(reason, str) and type(score) is int and score in (0, 1):
        assert complaint is None and (value.reason, value.score) == (reason, score)
    else:
        assert value is None and complaint


@pytest.mark.parametrize(("look", "twice"), [("both", ("und", "gen")), ("released", ("und",)), (False, ())])
def test_of_a_second_look_only_what_is_said_then_counts(look: SecondLook, twice: Sequence[str]) -> None:
    for setting in SETTINGS:
        answer: list[Part] = ["3 cars"] if setting == "und" else [Picture(OTHER)]
        said = [text(WRONG), text(RIGHT)] if setting in twice else [text(WRONG)]
        row = play(item_of(), setting, answer, said, look)
        assert (row["value"], len(row["replies"])) == (1.0 if setting in twice else 0.0, len(said))


@pytest.mark.parametrize("second", ["", "Yes, I am sure."])
def test_a_second_turn_that_says_nothing_is_a_status_and_no_first_verdict(second: str) -> None:
    row = play(item_of(), "und", ["3 cars"], [text(WRONG), second, second], "both")
    assert (row["value"], row["status"], len(row["replies"])) == (None, "parse_error", 3)
    first = play(item_of(), "und", ["3 cars"], [second, second], "both")
    assert (first["value"], first["status"], len(first["replies"])) == (None, "parse_error", 2)


def test_the_second_turn_goes_on_with_the_conversation() -> None:
    first, second = GAPEVAL.judge_questions(block("both"), item_of(), "und")
    opening = first.question.about(first.fields, first.material(["3 cars"], pictures_of(GIVEN)))
    after = second.question.after(opening.request, text(WRONG))
    assert [message.role for message in after.request.messages] == ["user", "assistant", "user"]
    assert after.request.messages[:1] == opening.request.messages and isinstance(after, AskedQuestion)


def test_the_embedded_world_is_sure_of_what_it_said() -> None:
    item = item_of("world_knowledge", {}, question="Name a pet that purrs.", reference_text="A cat.")
    first, second = GAPEVAL.judge_questions(block("both"), item, "und")
    opening = first.question.about(first.fields, first.material(["A cat."], {}))
    once = sandbox.answer(opening.request, {}, "judge")
    twice = sandbox.answer(second.question.after(opening.request, once.content.decode()).request, {}, "judge")
    assert (once.finish, twice) == ("stop", once)


@pytest.mark.parametrize("look", [False, "both"])
@pytest.mark.parametrize("name", ["question_1", "reference_1"])
def test_a_copy_is_worth_nothing_and_nobody_is_asked(name: str, look: SecondLook) -> None:
    row = play(item_of(), "gen", [Picture(GIVEN[name])], [], look)
    assert (row["value"], row["note"], row["model"], row["replies"]) == (0, f"a copy of {name}", "rules", [])


def test_of_a_drawn_reference_a_right_answer_is_nearly_a_copy() -> None:
    drawn = item_of("reasoning", drawn=True)
    assert play(drawn, "gen", [Picture(GIVEN["reference_1"])], [text(RIGHT)])["value"] == 1
    assert play(drawn, "gen", [Picture(GIVEN["question_1"])], [])["value"] == 0


def test_what_is_written_is_no_copy() -> None:
    assert play(item_of(), "und", [item_of().reference_text], [text(RIGHT)])["value"] == 1


def test_a_second_look_is_part_of_the_spec() -> None:
    item = item_of()
    who = {"id": "judge", "revision": "1", "numerics": "", "sampling": {}}

    def spec(setting: str, **changed: Any) -> dict[str, str]:
        prompt = GAPEVAL.prompt(block(), item, setting, stand_ins(item))
        [one] = judgment_specs(
            GAPEVAL.questions_to_ask(block(**changed), item, setting), prompt, item, who, 0, "0badcafe"
        ).values()
        return spec_parts(one)

    def differing(setting: str, **changed: Any) -> set[str]:
        one, other = spec(setting), spec(setting, **changed)
        return {name for name in one if one[name] != other[name]}

    assert {"question", "shown"} <= differing("gen", second_look="both") and differing(
        "gen", second_look="released"
    ) == set()
    assert differing("und", second_look="released") == differing("und", second_look="both") != set()


def test_the_record_and_its_items_fit() -> None:
    for category in CATEGORIES:
        assert GAPEVAL.misfit(item_of(category), SETTINGS, block()) is None
        assert GAPEVAL.expected(block("both"), item_of(category), "gen", 2) == {"right": 2}
    [both, und, gen] = GAPEVAL.metrics(block())
    assert (both.settings, und.settings, gen.settings) == (("und", "gen"), ("und",), ("gen",)) and und.shown[
        0
    ] == "overall"
    assert both.shown[0] == "succ" and {"gap", "delta_theta"} <= {*both.shown}
    assert GAPEVAL.misfit(item_of(question="Where is <image:dog>?"), SETTINGS, block()) is not None
    with pytest.raises(ValueError, match="more than one reference picture"):
        item_of(pictures={"reference_1": GIVEN["reference_1"], "reference_2": OTHER})
    [asked] = GAPEVAL.questions_for_people(block("both"), item_of(), "und")
    assert asked.measures == ("right",) and len(GAPEVAL.questions_to_ask(block("both"), item_of(), "und")) == 2
