"""`gamut label`: which answers are drawn, what people are asked and what their replies are worth; key and logs."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from gamut.asking.questions import Question
from gamut.deciding.benchmark_tasks import draw_answers
from gamut.evaluation.defining.editions import freeze_edition
from gamut.evaluation.defining.measures import Scale
from gamut.evaluation.defining.questions import JudgeQuestion, MeasuredValue
from gamut.evaluation.labelling.drawing import GivenAnswer, answer_code, draw, given_answers
from gamut.evaluation.labelling.labels import all_labels, changed_decisions, labels_of_people, task_of
from gamut.evaluation.labelling.questions import KEY, judge_lines, listed_replies
from gamut.evaluation.labelling.shown import question_reader
from gamut.evaluation.running.answers import SCHEMA
from gamut.evaluation.running.checklists import VERDICTS, Verdict, Verdicts
from gamut.evaluation.scoring.agreement import Rating
from gamut.project.decisions import Decision, open_log, path_of
from gamut.project.errors import UserError
from gamut.project.files import write_csv
from gamut.project.parameters import load
from gamut.tables.columns import Row
from gamut.tables.writing import TableWriter
from stages.prism.shared.benchmark import PRISM
from stages.prism.shared.items import TRACKS, PrismItem
from tests import fakes
from tests.evaluation.small_pictures import png

# Drawing


def answers(contestants: str = "abc", items: int = 20, settings: Sequence[str] = ("raw",)) -> list[GivenAnswer]:
    return [
        GivenAnswer(contestant, f"{'xy'[n % 2]}{n}", setting, 0, f"{setting}-0-{n:08d}")
        for contestant in contestants
        for setting in settings
        for n in range(items)
    ]


STRATA = {f"{'xy'[n % 2]}{n}": "xy"[n % 2] for n in range(100)}


@given(st.floats(0.001, 1), st.integers(1, 40), st.integers(0, 2**31 - 1))
def test_the_same_samples_are_drawn_on_all_settings(share: float, items: int, seed: int) -> None:
    """So that people say what is right on both."""
    drawn = draw(answers(items=items, settings=("raw", "clear")), STRATA, share, seed)
    raw, clear = (
        {one._replace(setting="", id="") for one in drawn if one.setting == setting} for setting in ("raw", "clear")
    )
    assert raw == clear and len({answer_code(one, seed) for one in drawn}) == len(drawn)


@given(st.floats(0.001, 1), st.integers(1, 40), st.integers(0, 2**31 - 1), st.randoms(use_true_random=False))
def test_a_draw_is_of_all_strata_and_the_same_in_any_order(share: float, items: int, seed: int, chance: object) -> None:
    given = answers(items=items)
    drawn = draw(given, STRATA, share, seed)
    for stratum, count in Counter(STRATA[one.item] for one in drawn).items():
        there = len({one.item for one in given if STRATA[one.item] == stratum})
        assert max(1, int(share * there)) <= count <= int(share * there) + 1
    assert {STRATA[one.item] for one in drawn} == {STRATA[one.item] for one in given}
    chance.shuffle(given)
    assert draw(given, STRATA, share, seed) == drawn
    assert {*draw(given, STRATA, share / 2, seed)} <= {*drawn}


def test_no_contestant_and_no_item_is_likelier_than_another() -> None:
    """600 draws of 2 of 3 contestants' 10 answers each: every contestant has about 400, every item 120.

    A share of 1/3 of 1,200 varies by 16, one of 1/10 by 10: four deviations.
    """
    given = answers(items=10)
    drawn = [one for seed in range(600) for one in draw(given, dict.fromkeys(STRATA, "all"), 0.2, seed)]
    assert len(drawn) == 1_200
    assert all(abs(count - 400) < 65 for count in Counter(one.contestant for one in drawn).values())
    assert all(abs(count - 120) < 42 for count in Counter(one.item for one in drawn).values())


def test_a_number_in_all_is_parted_as_items_are() -> None:
    """Of 646 items in two settings 200 answers: to each of 1,292 .1548 answers, rounded so that none is lost."""
    sizes = {"world": 147, "numerical": 100, "instruction": 94, "reasoning": 305}
    strata = {f"{name}/{n}": name for name, size in sizes.items() for n in range(size)}
    given = [GivenAnswer(who, item, setting, 0, "") for who in "ab" for setting in ("und", "gen") for item in strata]
    counted = Counter((one.setting, strata[one.item]) for one in draw(given, strata, 0.1, 3, in_all=200))
    assert counted.total() == 200
    wanted = {"world": 22.8, "numerical": 15.5, "instruction": 14.6, "reasoning": 47.2}
    assert all(abs(count - wanted[stratum]) < 1 for (_, stratum), count in counted.items())
    assert len(draw(given, strata, 0.1, 3, in_all=3)) == 8  # one of every stratum in every setting
    assert len(draw(given, strata, 0.1, 3, in_all=10_000)) == len(given)


# What people are asked


class Score(BaseModel):
    reason: str
    score: Annotated[int, Field(ge=0, le=10)]


class Right(BaseModel):
    score: Annotated[int, Field(ge=0, le=1)]


class Two(BaseModel):
    followed: int
    kept: Literal[0, 1]


def judge_question(reply: type[BaseModel], measures: Sequence[str], read: object, **fields: str) -> JudgeQuestion:
    return JudgeQuestion(Question("asked", "Look.", "What do you say?", reply), fields, measures, read)


def values(one: JudgeQuestion, scale: Scale, *said: str) -> list[float]:
    [(_, lines)] = judge_lines([one], dict.fromkeys(one.measures, scale))
    return [line.value(reply) for line, reply in zip(lines, said, strict=True)]


def inverted(reply: Verdicts) -> list[MeasuredValue]:
    """The second question is one of which N is right."""
    return [MeasuredValue(float((one.verdict == "Y") != (n == 1))) for n, one in enumerate(reply.verdicts)]


CHECKLIST = judge_question(Verdicts, ("met",) * 3, inverted, checklist="Is it red?\nIs it missing?\nIs it big?")


def test_a_checklist_is_a_line_a_statement_and_an_inverted_one_is_worth_its_opposite() -> None:
    [(_, lines)] = judge_lines([CHECKLIST], {"met": VERDICTS})
    assert [line[:4] for line in lines] == [
        ("met", 0, "Is it red?", "Y or N"),
        ("met", 1, "Is it missing?", "Y or N"),
        ("met", 2, "Is it big?", "Y or N"),
    ]
    assert values(CHECKLIST, VERDICTS, "Y", "Y", "n") == [1, 0, 0] and values(CHECKLIST, VERDICTS, *"NnY") == [0, 1, 1]


def test_other_questions_are_replied_to_as_a_judge_does() -> None:
    changed = judge_question(Score, ("changed",), lambda reply: [MeasuredValue(float(reply.score < 10))])
    said = judge_question(Verdict, ("right",), lambda reply: [MeasuredValue(float(reply.verdict == "Y"))])
    lines = [
        line
        for _, lines in judge_lines([changed, said, changed], dict.fromkeys(("changed", "right"), VERDICTS))
        for line in lines
    ]
    assert [line[:4] for line in lines] == [
        ("changed", 0, "What do you say?", "0 to 10"),
        ("right", 0, "What do you say?", "Y or N"),
        ("changed", 1, "What do you say?", "0 to 10"),
    ]
    assert (lines[0].value("10"), lines[0].value("9"), lines[1].value("y")) == (0, 1, 1)


@pytest.mark.parametrize("said", ["0.5", "2"])
def test_what_is_right_or_not_is_0_or_1(said: str) -> None:
    [(_, [line])] = judge_lines(
        [judge_question(Right, ("right",), lambda reply: [MeasuredValue(reply.score)])], {"right": VERDICTS}
    )
    assert line.wanted == "0 or 1" and [line.value("0"), line.value("1")] == [0, 1]
    with pytest.raises(ValueError, match=f"^verdict '{said}': 0 or 1 is expected$"):
        line.value(said)


def test_a_reply_of_several_parts_is_a_number_for_each_measure() -> None:
    two = judge_question(
        Two, ("followed", "kept"), lambda reply: [MeasuredValue(reply.followed), MeasuredValue(reply.kept)]
    )
    [(_, lines)] = judge_lines([two], {"followed": Scale(0, 10), "kept": VERDICTS})
    assert [(line.words, line.wanted) for line in lines] == [
        ("followed: What do you say?", "0 to 10"),
        ("kept: What do you say?", "0 to 1"),
    ]
    assert values(two, Scale(0, 10), "7.5", "1") == [7.5, 1]


@pytest.mark.parametrize("said", ["yes", "", "nan"])
def test_what_is_no_verdict_is_named(said: str) -> None:
    with pytest.raises(ValueError, match=r"^verdict '.*': Y or N is expected$"):
        values(CHECKLIST, VERDICTS, said, "Y", "Y")


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ("Y or N", ["Y", "N"]),
        ("A or B or C", ["A", "B", "C"]),
        ("0 or 1", ["0", "1"]),
        ("1 to 5", ["1", "2", "3", "4", "5"]),
        ("0 to 10", [str(n) for n in range(11)]),
        ("0 to 1", []),  # any share between
        ("0 to 100", []),
        ("0.5 to 3.5", []),
        ("a number", []),
    ],
)
def test_replies_that_can_be_told_one_by_one(wanted: str, told: list[str]) -> None:
    assert listed_replies(wanted) == told


# Keys and logs

LABELS, KEYS = Path("datasets/labels/prism/small.csv"), Path("datasets/sheets/prism/small.key.csv")
ITEMS = [
    PrismItem(id=f"{track}/{n}", track=track, prompt="a cat", prompt_zh="猫") for track in TRACKS[:2] for n in range(3)
]


@pytest.fixture
def answered(project: Path) -> Path:
    """Two contestants' pictures of six prompts of two tracks; the second refused one."""
    freeze_edition("prism", "small", ITEMS)
    block = fakes.values()["prism"] | {"edition": "small", "languages": ["en"], "controls_of": []}
    contestants = {name: {"class": "generation", "model": {"kind": "sandbox"}} for name in ("careful", "hasty")}
    Path("params.yaml").write_text(json.dumps(fakes.values(seed=3, contestants=contestants, prism=block)))
    for number, contestant in enumerate(contestants):
        rows: list[Row] = []
        for n, item in enumerate(ITEMS):
            there = (contestant, n) != ("hasty", 5)
            made = [{"text": None, "image": {"bytes": png(10 * number + n), "path": None}}] if there else None
            row = dict.fromkeys(SCHEMA.names) | {"replies": [], "id": f"en-0-{n:08d}", "item": item.id, "setting": "en"}
            rows.append(row | {"sample": 0, "parts": made, "status": "ok" if there else "refused_generation"})
        with TableWriter(PRISM.answers / contestant, SCHEMA) as table:
            table.write("en-0-00000", rows)
    return project


def draw_all() -> list[dict[str, str]]:
    """Draw all answers, and return the rows of their key."""
    draw_answers(PRISM, load(PRISM.params), 1.0, None)
    with KEYS.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.usefixtures("answered")
def test_the_key_is_of_all_that_was_answered_and_no_other_draw_takes_its_place() -> None:
    """3 answers of each of two tracks, whoever gave them, two questions each."""
    rows = draw_all()
    assert len(rows) == 12 and [*rows[0]] == [*KEY]
    assert ("hasty", ITEMS[5].id) not in {(row["contestant"], row["item"]) for row in rows}
    before = KEYS.read_bytes()
    assert draw_all() == rows and KEYS.read_bytes() == before
    params = load(PRISM.params)
    with pytest.raises(UserError, match=r"small\.key\.csv belongs to another draw, whose labels need it: move it"):
        draw_answers(PRISM, params, 0.5, None)
    assert KEYS.read_bytes() == before
    with pytest.raises(UserError, match=r"^--share 0: a share of the items above 0 and up to 1 is expected$"):
        draw_answers(PRISM, params, 0, None)


def logged(person: str, *said: tuple[str, int, str]) -> Path:
    with open_log(person, "label.prism.small") as log:
        for code, again, verdict in said:
            log.add(Decision(id=code, round=again, decision=verdict))
    return path_of(person, "label.prism.small")


@pytest.mark.usefixtures("answered")
def test_what_is_said_on_the_page_is_a_label_as_what_stands_in_the_file() -> None:
    first, second, *_ = keys = draw_all()
    logged("bob", (first["code"], 0, "3"), (second["code"], 0, "9"), (first["code"], 1, "4"), (first["code"], 0, "7"))
    params = load(PRISM.params)
    about = [
        (
            row["setting"],
            row["measure"],
            "bob",
            (row["contestant"], row["item"], int(row["sample"]), int(row["question"])),
        )
        for row in keys[:2]
    ]
    assert all_labels(PRISM, params) == [
        Rating(*about[0], 7.0),  # the last word counts
        Rating(*about[1], 9.0),
        Rating(*about[0], 4.0, repeat=1),
    ]
    assert labels_of_people(PRISM, params) == [Rating(*about[0], 7.0), Rating(*about[1], 9.0)]
    ann, bob = ({name: first[name] for name in KEY[1:]} | {"person": person, "score": "2"} for person in ("ann", "bob"))
    write_csv(LABELS, [*ann], [[*ann.values()]])
    assert [one.rater for one in labels_of_people(PRISM, params)] == ["ann", "bob", "bob"]
    write_csv(LABELS, [*ann], [[*ann.values()], [*bob.values()]])
    with pytest.raises(
        UserError,
        match=r"1 label, such as one of 'bob', both here and in .*/label\.prism\.small\.jsonl: remove",
    ):
        labels_of_people(PRISM, params)


@pytest.mark.usefixtures("answered")
def test_what_cannot_be_said_on_the_page_is_named() -> None:
    code = draw_all()[0]["code"]
    path = logged("bob", ("a0-1", 0, "3"), (code, 0, "11"), ("a0-1", 0, "4"))
    with pytest.raises(UserError) as error:
        labels_of_people(PRISM, load(PRISM.params))
    assert str(error.value).splitlines() == [
        f"{path}, line 2: {code!r}: verdict '11': 0 to 10 is expected",
        f"{path}, line 3: 'a0-1': this code was not drawn: restore the key from git",
    ]
    KEYS.unlink()
    with pytest.raises(UserError, match=r"small\.key\.csv: no such file: restore it from git, or draw answers"):
        labels_of_people(PRISM, load(PRISM.params))


@pytest.mark.usefixtures("answered")
def test_what_was_said_of_an_answer_that_is_another_by_now_does_not_count() -> None:
    """Whoever gives other answers once they are labelled gains nothing by these labels."""
    params, code = load(PRISM.params), draw_all()[0]["code"]
    there = {answer_code(one, params.seed): one for one in given_answers(PRISM, params)}
    [prompt] = question_reader(PRISM, params, there)({code})
    for about, ratings in ((prompt.about, 1), ("", 1), ("0" * 16, 0)):
        with open_log("bob", task_of(PRISM, params)) as log:
            log.add(Decision(id=code, about=about, decision="7"))
        changed = changed_decisions(PRISM, params)
        assert len(all_labels(PRISM, params, changed)) == ratings and len(changed) == 1 - ratings
