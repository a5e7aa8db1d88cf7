"""The released arithmetic and ours over the real checklists, from one file of answers and replies: every difference
between the two has its reason, and nothing that a judge or a contestant writes is run.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from statistics import fmean
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.asking.outcomes import Outcome
from gamut.asking.requests import Finish, Reply
from gamut.asking.visiting import Answer
from gamut.evaluation.defining.editions import path_of, write_items
from gamut.evaluation.running import answers as answer_table
from gamut.evaluation.running import judging
from gamut.evaluation.running.judging import judgment_rows, numbered_parts, read_result
from gamut.evaluation.scoring.conditions import conditional_in, counted_rows
from gamut.evaluation.scoring.scores import item_scores, score_matrix
from gamut.project.validation import check_values
from gamut.tables.columns import Row
from gamut.tables.writing import TableWriter
from stages.aegis.released import compare_arithmetic, judgements, read_marks, released, released_marks, released_metrics
from stages.aegis.shared.benchmark import AEGIS, Params, judge_questions, metrics
from stages.aegis.shared.items import DOMAINS, TASKS, AegisItem
from tests import fakes
from tests.aegis.real import real_items
from tests.evaluation.scoring.reported import values

Marks = list[bool]
"""Whether a judge says Y, question by question."""


def ours(said: Marks, yes: str = "Y", no: str = "N") -> dict[str, Any]:
    return {"verdicts": fakes.numbered([{"reason": "因为 so", "verdict": yes if one else no} for one in said])}


def theirs(said: Marks, yes: str = "Y", no: str = "N") -> dict[str, Any]:
    return {"answer_list": [yes if one else no for one in said], "reason_list": ["because"] * len(said)}


def as_said(said: Marks) -> Marks:
    return said


def all_no(said: Marks) -> Marks:
    return [False] * len(said)


def unreadable(said: Marks) -> Marks | str:
    return [False] * 12 if len(said) == 12 else "dropped.unreadable"


class Kind(NamedTuple):
    text: Callable[[Marks], str]
    counted: Callable[[Marks], Marks | str]
    is_ours: bool = False
    finish: Finish = "stop"


def plain(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False)


def turned(said: Marks) -> Marks:
    return [not one for one in said]


def always(why: str) -> Callable[[Marks], str]:
    return lambda said: why


WRONG_LENGTH, STOPS = always("dropped.wrong_length"), always("dropped.stops")
HACK = "__import__('pathlib').Path('hacked').touch()"
KINDS: dict[str, Kind] = {
    "as asked": Kind(lambda said: plain(ours(said)), as_said, True),
    "fenced": Kind(lambda said: f"```json\n{plain(ours(said))}\n```", as_said, True),
    "thought before": Kind(lambda said: f"Let me see.</think>{plain(ours(said))}", unreadable, True),
    "released form": Kind(lambda said: plain(theirs(said)), as_said),
    "both forms": Kind(lambda said: plain(theirs(turned(said)) | ours(said)), lambda said: turned(said), True),
    "single quotes": Kind(lambda said: str(ours(said)), as_said),
    "trailing comma": Kind(lambda said: plain(theirs(said))[:-1] + ",}", as_said),
    "full stop": Kind(lambda said: plain(ours(said, "Yes.", "No.")), all_no),
    "truth values": Kind(lambda said: plain({"answer_list": said, "reason_list": []}), all_no),
    "one too few": Kind(lambda said: plain(ours(said[1:])), WRONG_LENGTH),
    "one too many": Kind(lambda said: plain(ours([*said, True])), WRONG_LENGTH),
    "no verdicts": Kind(lambda said: plain({"verdicts": [{"reason": "so"}] * len(said)}), STOPS),
    "no reasons": Kind(lambda said: plain({"answer_list": ["Y"] * len(said)}), STOPS),
    "no list": Kind(lambda said: plain({"reason_list": ["so"] * len(said)}), STOPS),
    "key twice": Kind(lambda said: plain(ours(all_no(said)))[:-1] + "," + plain(ours(said))[1:], as_said),
    "nothing": Kind(lambda said: "", unreadable),
    "two objects": Kind(lambda said: plain(ours(all_no(said))) + "\n" + plain(ours(said)), unreadable, True),
    "code": Kind(lambda said: HACK, unreadable),
    "code inside": Kind(lambda said: f"{{'answer_list': [{HACK}], 'reason_list': []}}", unreadable),
    "bad escapes": Kind(lambda said: str(theirs(said)).replace("'Y'", r"'\d'").replace("'N'", r"'\d'"), all_no),
    "deep": Kind(lambda said: "[" * 50_000, unreadable),
    "long": Kind(lambda said: f"{{'answer_list': ['Y'], 'reason_list': ['{'so ' * 10_000}']}}", unreadable),
    "cut off": Kind(lambda said: plain(ours(said))[:-2], unreadable, finish="length"),
    "refused": Kind(lambda said: "blocked", always("dropped.no_reply"), finish="refused"),
    "unreachable": Kind(lambda said: "no route", always("dropped.no_reply"), finish="transport_error"),
}
KINDS["a checklist of one"] = Kind(lambda said: plain(theirs(said)["answer_list"][0]), unreadable)


def conversation(item: AegisItem, *replies: tuple[str, Finish]) -> Answer:
    [judge_question] = judge_questions(item, "raw")
    asked, had = judge_question.question.about(judge_question.fields), list[Reply]()
    while not isinstance(step := asked.next(had), Outcome):
        text, finish = replies[min(len(had), len(replies) - 1)]
        had.append(Reply(text.encode(), finish))
    return Answer(step, "judge", tuple(("f", reply) for reply in had))


def observed(item: AegisItem, answer: Answer) -> list[Row]:
    [judge_question] = judge_questions(item, "raw")
    record = {"id": f"raw-0-{item.id:08d}", "item": str(item.id), "setting": "raw", "sample": 0}
    return numbered_parts(
        judgment_rows(record, judge_question.measures, read_result(judge_question, answer), 0, AEGIS.measures)
    )


@pytest.mark.parametrize("name", KINDS)
def test_a_reply_has_one_reading_here_and_one_there(project: Path, name: str) -> None:
    """Ours gives a verdict of each question or a status, whatever the released scripts make of it; nothing is run."""
    kind = KINDS[name]
    for length in (1, 5, 12):
        item = next(one for one in real_items() if len(one.checklist) == length)
        said = [number % 3 != 1 for number in range(length)]
        rows = observed(item, conversation(item, (kind.text(said), kind.finish)))
        assert len(rows) == length
        if kind.is_ours:
            right = [float(one != question.inverted) for one, question in zip(said, item.checklist, strict=True)]
            assert [(row["value"], row["status"]) for row in rows] == [(one, "ok") for one in right]
        else:
            status = {"refused": "refused_judge", "length": "truncated", "transport_error": "transport_error"}
            wanted = status.get(kind.finish, "parse_error")
            assert {(row["value"], row["note"], row["status"]) for row in rows} == {(None, None, wanted)}
            assert rows[0]["reason"] and "\n" not in rows[0]["reason"]
        expected = kind.counted(said)
        assert released_marks(rows, length) == ((None, expected) if isinstance(expected, str) else (expected, ""))
    assert not list(project.iterdir()), "nothing was run"


PIECES = [
    "{",
    "}",
    "[",
    "]",
    '"verdicts"',
    '"reason"',
    '"verdict"',
    ":",
    ",",
    '"Y"',
    '"N"',
    "'Y'",
    "```",
    "\n",
    "</think>",
]
PIECES += [plain(ours([True])), plain(ours([False])), "{'verdicts': ", "1", "-", "*", "(", ")", "nan", "是", HACK]


@given(st.lists(st.sampled_from(PIECES), max_size=8).map(" ".join))
def test_whatever_is_replied_never_stops_and_never_becomes_a_verdict_by_itself(text: str) -> None:
    item = next(one for one in real_items() if len(one.checklist) == 1)
    [judge_question] = judge_questions(item, "raw")
    value, complaint = judge_question.question.about(judge_question.fields).parse(text)
    assert (value is None) == bool(complaint)
    if value is not None:
        [one] = value.verdicts
        assert re.search(rf'"verdict"\s*:\s*"{one.verdict}"', text), "it was written so"
    found, _ = read_marks(text)
    assert found is None or isinstance(found, list)
    assert not Path("hacked").exists()


class Simulated(NamedTuple):
    answers: list[Row]
    judgments: list[Row]
    counted: dict[str, Marks | str]
    said: dict[str, list[bool | None]]


@cache
def simulated() -> Simulated:
    chance, names = np.random.default_rng(20261121), list(KINDS)
    found = Simulated([], [], {}, {})
    for item in real_items():
        id, n = str(item.id), len(item.checklist)
        status = chance.choice(
            ["ok", "refused_generation", "missing_output", "invalid_input"], p=[0.9, 0.05, 0.03, 0.02]
        )
        replies = [] if status == "invalid_input" else [{"content": "x"}]
        place = {"id": f"raw-0-{item.id:08d}", "item": id, "setting": "raw", "sample": 0}
        found.answers.append(place | {"status": str(status), "replies": replies})
        if status != "ok":
            if replies:
                found.counted[id], found.said[id] = f"answered.{status}", [None] * n
            continue
        said = (chance.random(n) < chance.random()).tolist()
        kind = KINDS[names[chance.integers(len(names))] if chance.random() < 0.4 else "as asked"]
        again = (plain(ours(said)), "stop") if chance.random() < 0.5 else (kind.text(said), kind.finish)
        answer = conversation(item, (kind.text(said), kind.finish), again)
        found.judgments.extend(observed(item, answer))
        found.counted[id] = kind.counted(said)
        found.said[id] = said if answer.value is not None else [None] * n
    return found


@cache
def rows() -> list[Row]:
    items = {str(item.id): item for item in real_items()}
    return list(judgements(items, simulated().answers, simulated().judgments, 1))


def test_every_difference_is_explained_by_item() -> None:
    """An item is worth what the scripts count, and what it is to us; its reasons are none where both are one."""
    found, items = rows(), {str(item.id): item for item in real_items()}
    assert [row["item"] for row in found] == list(simulated().counted)
    for row in found:
        inverted = [question.inverted for question in items[row["item"]].checklist]
        before, said = simulated().counted[row["item"]], simulated().said[row["item"]]
        there = before if isinstance(before, list) else None
        assert row["released"] == (None if there is None else fmean(there))
        earning = all(inverted) or any(one and not turned for one, turned in zip(said, inverted, strict=True))
        right = [
            one is not None and one != turned and (earning or not turned)
            for one, turned in zip(said, inverted, strict=True)
        ]
        assert row["ours"] == fmean(right)
        reasons = [before] if isinstance(before, str) else []
        if there is not None:
            reasons += ["no_verdict"] * (None in said)
            reasons += ["read_otherwise"] * any(a != b for a, b in zip(there, said, strict=True) if b is not None)
        reasons += ["inverted"] * (right != [one is True for one in said])
        assert row["reasons"] == reasons
        if not reasons:
            assert row["released"] == row["ours"]
    reasons = Counter(why for row in found for why in row["reasons"])
    assert set(reasons) == {
        *("answered.refused_generation", "answered.missing_output", "inverted", "no_verdict", "read_otherwise"),
        *(f"dropped.{why}" for why in ("no_reply", "stops", "unreadable", "wrong_length")),
    }, "all of them are met"


def test_both_averages_by_another_way() -> None:
    """Ours is what the board says. Theirs: the mean of what is left of each task and domain, by what was asked."""
    found, items = released_metrics(rows()), {str(item.id): item for item in real_items()}
    places = {id: AEGIS.place(item) for id, item in items.items()}

    def expected(item: str, setting: str) -> dict[str, int]:
        return {"met": len(items[item].checklist)}

    said = counted_rows(simulated().judgments, conditional_in(AEGIS, real_items()))
    scores = item_scores(simulated().answers, {"j": said}, places, expected, AEGIS.measures)
    block: Any = SimpleNamespace(all_settings=["raw"])
    [metric] = metrics(block)
    board = values(score_matrix(scores, list(items), metric), metric.reported)
    for name in ("overall", *TASKS, *(f"{task}.{domain}" for task in TASKS for domain in DOMAINS)):
        assert found[f"{name}_ours"] == pytest.approx(board[name], abs=6e-4)
    total, asked = 0.0, 0
    for task in TASKS:
        for domain in DOMAINS:
            of = [
                one for id, one in simulated().counted.items() if (items[id].task, items[id].domain) == (task, domain)
            ]
            left = [sum(one) / len(one) for one in of if isinstance(one, list)]
            assert found[f"{task}.{domain}"] == pytest.approx(100 * sum(left) / len(left), abs=6e-4)
            total, asked = total + len(of) * 100 * sum(left) / len(left), asked + len(of)
    assert found["overall"] == pytest.approx(total / asked, abs=6e-4) and found["judgements"] == asked
    assert found["left"] == sum(isinstance(one, list) for one in simulated().counted.values())
    assert found["differing"] == sum(bool(row["reasons"]) for row in rows())
    assert found["overall"] > found["overall_ours"] + 5, "what fails is dropped there"
    assert sum(name.startswith(f"{TASKS[0]}.") and not name.endswith("_ours") for name in found) == 24


def both_overall(shares: Sequence[float], answered: Sequence[bool]) -> tuple[float, float]:
    """Both overall averages of who meets such shares of each checklist where it answers, and refuses else."""
    items, answers, judgments = dict[str, AegisItem](), list[Row](), list[Row]()
    for item, share, status in zip(real_items(), shares, answered, strict=True):
        id, n = str(item.id), len(item.checklist)
        items[id] = item.model_copy(update={"checklist": [one.model_copy(update=UPRIGHT) for one in item.checklist]})
        place = {"id": id, "item": id, "setting": "raw", "sample": 0}
        answers.append(place | {"status": "ok" if status else "refused_generation", "replies": [{}]})
        said = [number < round(share * n) for number in range(n)]
        reply = {"finish": "stop", "content": plain(theirs(said))}
        for part, one in enumerate(said if status else []):
            row = {"repeat": 0, "part": part, "value": float(one), "replies": [reply] * (part == 0)}
            judgments.append(place | row)
    found = released_metrics(list(judgements(items, answers, judgments, 1)))
    return found["overall"], found["overall_ours"]


UPRIGHT = {"inverted": False}


def test_how_far_refusals_move_the_released_arithmetic() -> None:
    """The figures of docs/aegis.md: who meets half of all questions, unevenly, refuses half of the items at
    random, or the 30 % in which it is worst.
    """
    chance = np.random.default_rng(20261121)
    shares = chance.random(len(real_items()))
    half = chance.permutation(len(shares)) < len(shares) // 2
    hides = shares >= np.quantile(shares, 0.3)
    asked = {"all": shares >= 0, "a random half": half, "not its worst": hides}
    found = {name: both_overall(shares.tolist(), there.tolist()) for name, there in asked.items()}
    assert {name: (round(one, 1), round(other, 1)) for name, (one, other) in found.items()} == {
        "all": (49.4, 49.4),
        "a random half": (49.5, 24.8),
        "not its worst": (65.0, 45.5),
    }


def test_the_stage_writes_both(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On a small edition."""
    items = [one for task in TASKS for one in [item for item in real_items() if item.task == task][:4]]
    ids = {str(item.id) for item in items}
    own_answers = [row for row in simulated().answers if row["item"] in ids]
    own = [row for row in simulated().judgments if row["item"] in ids]
    write_items(items, path_of("aegis", "small"))
    for folder, schema, content in (
        (AEGIS.answers / "careful", answer_table.SCHEMA, own_answers),
        (AEGIS.answer_judgments("careful", "world"), judging.SCHEMA, own),
    ):
        with TableWriter(folder, schema) as table:
            table.write("raw-0-00000", content)
    released(params_of(["careful"]))
    wanted = list(judgements({str(item.id): item for item in items}, own_answers, own, 1))
    told = json.loads(Path("metrics/aegis/small/released/careful.json").read_text())
    assert told == {f"raw.world.{name}": value for name, value in released_metrics(wanted).items()}
    differing = sum(bool(row["reasons"]) for row in wanted)
    said = f"aegis.board: careful: raw, world: {differing} of {len(wanted)} judgements differ"
    assert said in capsys.readouterr().out


BLOCK = {
    "edition": "small",
    "settings": ["raw"],
    "judges": ["world"],
    "rewriters": [],
    "describers": [],
    "repeats": 1,
    "controls_of": [],
    "answer": {"width": 64, "height": 64, "max_failures": 0},
    "judge": {"max_failures": 0},
}


def params_of(contestants: Sequence[str]) -> Params:
    measured = {name: {"class": "unified", "model": {"kind": "sandbox"}} for name in contestants}
    return check_values(Params, fakes.values(aegis=BLOCK, contestants=measured), Path("params.yaml"))


def test_where_questions_were_asked_one_by_one_each_has_its_own_list() -> None:
    """And what was never judged is dropped there, and the lowest here."""
    item = next(one for one in real_items() if len(one.checklist) == 3)
    upright = item.model_copy(update={"checklist": [one.model_copy(update=UPRIGHT) for one in item.checklist]})
    said = [{"finish": "stop", "content": plain(ours([one]))} for one in (True, False, True)]
    one_by_one = [{"part": n, "value": float(n != 1), "replies": [reply]} for n, reply in enumerate(said)]
    both = compare_arithmetic(upright, "answered.ok", one_by_one)
    assert both == {"released": 2 / 3, "ours": 2 / 3, "reasons": []}
    texts = {"Y": "unreadable", plain(ours([])): "wrong_length", plain(ours([True, True])): "wrong_length"}
    for text, why in texts.items():
        one_by_one[1]["replies"] = [{"finish": "stop", "content": text}]
        assert compare_arithmetic(upright, "answered.ok", one_by_one)["reasons"] == [f"dropped.{why}"]
    one_by_one[2]["replies"] = [{"finish": "stop", "content": plain(ours([]))}]
    assert compare_arithmetic(upright, "answered.ok", one_by_one)["released"] is None, (
        "two lists of unlike length are no three"
    )
    unjudged = compare_arithmetic(upright, "answered.ok", [])
    assert (unjudged["released"], unjudged["ours"], unjudged["reasons"]) == (None, 0, ["dropped.no_reply"])


def test_without_all_tasks_there_is_no_overall() -> None:
    painter = [row for row in rows() if row["task"] == "generation"]
    assert not any(name.startswith("overall") for name in released_metrics(painter))
    assert released_metrics(painter)["generation"] == released_metrics(rows())["generation"]
    dropped = [row | {"released": None} if row["topic"] in DOMAINS["stem"] else row for row in painter]
    assert "generation.stem" not in released_metrics(dropped) and "generation.stem_ours" in released_metrics(dropped)
