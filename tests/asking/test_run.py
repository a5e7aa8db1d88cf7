"""The runner with small models: every record once, in order whatever happens, nothing lost."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gamut.asking.job import Job
from gamut.asking.models import opening
from gamut.asking.models.opening import OpenedWhenAsked
from gamut.asking.requests import Reply, Request, fingerprint
from gamut.asking.visiting import Answer, follow
from gamut.project import settings
from gamut.project.errors import UserError
from gamut.project.roles import RoleModel
from gamut.tables.columns import Row, make_id
from gamut.tables.reading import Slice, cut_into_slices, manifest
from tests import fakes
from tests.asking.slices import S0, S1, TABLE, WAVE, one_slice, rounds, rows, two_shards
from tests.fakes import ECHO, JUDGE, SCHEMA, Fake, ask_all, ask_job, contents, echo, records, repeat, said, word_of

pytestmark = pytest.mark.usefixtures("project")


# Every record once


@pytest.mark.parametrize("concurrency", [3, 1000])
def test_every_record_is_asked_about_once(concurrency: int) -> None:
    model = Fake(echo, concurrency)
    limits = ask_all(model, two_shards(), TABLE)
    assert len(model.asked) == 240 and set(model.times().values()) == {1}
    assert [(row["id"], row["word"]) for row in rows()] == [
        (make_id(WAVE, n), f"word{n}") for n in (*range(120), *range(5000, 5120))
    ]
    assert [(s["name"], s["rows"]) for s in manifest(TABLE)["shards"]] == [
        (f"{S0}.parquet", 120),
        (f"{S1}.parquet", 120),
    ]
    assert (limits.tally.done, limits.tally.asked, limits.statuses) == (240, 240, {"ok": 240})
    assert model.closed == 1


def test_a_row_says_where_it_came_from() -> None:
    model = Fake(lambda request: said("x", 11, 5))
    ask_all(model, one_slice(1), TABLE)
    [row] = rows()
    assert row | {"replies": None} == {
        "id": make_id(WAVE, 0),
        "word": "x",
        "status": "ok",
        "reason": None,
        "model": "fake",
        "replies": None,
    }
    mark = fingerprint(model.asked[0], fakes.IDENTITY)
    assert row["replies"] == [
        {"fingerprint": mark, "finish": "stop", "content": '{"word":"x"}', "input_tokens": 11, "output_tokens": 5}
    ]


class Shuffled(Fake):
    """Answers in an order drawn by a seed: requests wait, and a random one of them goes first each time."""

    def __init__(self, seed: int, concurrency: int) -> None:
        super().__init__(echo, concurrency)
        self.chance = random.Random(seed)
        self.waiting: list[asyncio.Event] = []

    async def answer(self, request: Request) -> Reply:
        self.asked.append(request)
        turn = asyncio.Event()
        self.waiting.append(turn)
        for _ in range(3):  # let others come
            await asyncio.sleep(0)
        self.waiting.pop(self.chance.randrange(len(self.waiting))).set()
        await turn.wait()
        return echo(request)


def test_the_order_of_answers_changes_no_byte() -> None:
    ask_all(Fake(echo, 1), two_shards(), TABLE)
    plain = contents(TABLE)
    for seed in range(2):
        ask_all(Shuffled(seed, 7 + seed), two_shards(), Path(f"shuffled{seed}"), stage=f"shuffled{seed}")
        assert contents(Path(f"shuffled{seed}")) == plain


# Several slices and shards in flight


def waiting_for(parties: int) -> Fake:
    """A model that answers nobody before `parties` requests wait at once."""
    barrier = fakes.Barrier(parties)

    async def respond(request: Request) -> Reply:
        await barrier()
        return echo(request)

    return Fake(respond, parties)


def open_when_asked(model: Fake, monkeypatch: pytest.MonkeyPatch) -> tuple[OpenedWhenAsked, list[str]]:
    """A model as a stage has it before it asks, and the roles that were opened so far."""
    opened: list[str] = []

    def open_it(role_model: RoleModel, *_: object) -> Fake:
        opened.append(role_model.role)
        return model

    monkeypatch.setattr(opening, "open_model", open_it)
    monkeypatch.setattr(opening, "identity", lambda *_: fakes.IDENTITY)
    return OpenedWhenAsked(fakes.params().role_model("judge"), settings.Settings()), opened


def test_a_model_is_opened_by_the_first_question_and_then_asked_by_all_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    model = waiting_for(20)  # answers nobody unless as many workers ask as it bears
    first, opened = open_when_asked(model, monkeypatch)
    assert (first.concurrency, opened) == (1, [])
    ask_all(first, one_slice(40), TABLE)
    assert (len(rows()), len(model.asked), model.closed, opened) == (40, 40, 1, ["judge"])


def test_a_model_is_not_opened_when_all_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    ask_all(Fake(echo), one_slice(5), TABLE)
    before = contents(TABLE)
    model = Fake(echo)
    again, opened = open_when_asked(model, monkeypatch)
    ask_all(again, one_slice(5), TABLE)
    assert (contents(TABLE), opened, model.closed) == (before, [], 0)


@pytest.mark.parametrize(
    ("slices", "together"),
    [
        ([(S0, 0, records(10)), (S1, 0, records(10, start=5000))], 20),
        ([(S0, n, records(1, start=100 * n)) for n in range(8)], 8),
    ],
)
def test_records_of_two_shards_and_of_thin_slices_are_in_flight_together(slices: list[Slice], together: int) -> None:
    ask_all(waiting_for(together), slices, TABLE)
    assert len(rows()) == together


def test_one_slow_record_does_not_stop_the_others() -> None:
    others = fakes.Barrier(399)

    async def respond(request: Request) -> Reply:
        if word_of(request) == "word0":
            await asyncio.wait_for(others.open.wait(), timeout=1)
        else:
            others.waiting += 1
            if others.waiting == 399:
                others.open.set()
        return echo(request)

    ask_all(Fake(respond, 64), cut_into_slices(S0, records(400)), TABLE)
    assert len(rows()) == 400


def test_slices_are_taken_as_needed() -> None:
    # Slices of one record. Open are at most 4 records for each of the 4 in flight, and 2 slices of 100 records:
    # 4 * 4 + 200 = 216.
    taken: list[int] = []
    ahead: list[int] = []

    def respond(request: Request) -> Reply:
        ahead.append(len(taken) - len(ahead))
        if len(ahead) == 240:
            raise UserError("enough")
        return echo(request)

    def slices_of(shard: str) -> Iterator[Row]:
        for number in range(50):
            taken.append(number)
            yield from records(1, start=5000 * int(shard[-5:]) + 100 * number)

    shards = [f"{WAVE}-{number:05d}" for number in range(99)]
    with pytest.raises(UserError, match="enough"):
        ask_job(Fake(respond, 4), Job("repeat", JUDGE, shards, slices_of, 4950, repeat, SCHEMA, TABLE, 0))
    assert max(ahead) <= 217 and len(taken) <= 240 + 217  # where a slice ends, the next record tells


def test_an_empty_slice_is_not_lost() -> None:
    slices = [(S0, 0, []), (S0, 1, records(2, start=100)), (S0, 2, []), (S1, 0, []), (f"{WAVE}-00002", 0, [])]
    ask_all(Fake(echo), slices, TABLE)
    assert [(s["name"][-13:-8], s["rows"]) for s in manifest(TABLE)["shards"]] == [
        ("00000", 2),
        ("00001", 0),
        ("00002", 0),
    ]


@pytest.mark.parametrize("slices", [[], [(S0, 0, [])]])
def test_nothing_to_visit(slices: list[Slice]) -> None:
    model = Fake(echo)
    limits = ask_all(model, slices, TABLE, total=0)
    assert (rows(), model.asked, limits.tally.done, model.closed) == ([], [], 0, 1)
    assert len(manifest(TABLE)["shards"]) == len(slices)


def test_the_estimate_counts_what_is_asked_once_once(capsys: pytest.CaptureFixture[str]) -> None:
    # Of 100 records the first 64 are looked at: 16 words, each in four of them. 16 / (64 / 100) = 25
    again = [row | {"word": f"word{n % 16}"} for n, row in enumerate(records(100))]
    ask_all(Fake(echo), [(S0, 0, again)], TABLE, total=100)
    assert capsys.readouterr().out.startswith("repeat: 100 records, about 25 requests or more, ")


# Visits


def test_a_visit_in_rounds() -> None:
    model = Fake(echo, 3)
    ask_all(model, one_slice(5), TABLE, rounds)
    assert [row["word"] for row in rows()] == [f"word{n}{end}" for n in range(5) for end in ("a", "b", f"a+word{n}b")]
    assert len(model.asked) == 15 and set(model.times().values()) == {1}
    again = Fake(echo, 3)
    ask_all(again, one_slice(5), Path("again"), rounds)
    assert again.asked == [] and contents(Path("again")) == contents(TABLE)


def test_a_mended_parser_asks_nothing() -> None:
    ask_all(Fake(lambda request: Reply(b'{"wort": "x"}')), one_slice(2), TABLE, max_failures=9)
    assert [row["status"] for row in rows()] == ["parse_error"] * 2

    class Wort(fakes.Word):
        word: str = "none"

    def fixed(record: Row) -> Generator[Any, list[Answer], list[Row]]:
        asked = ECHO.about({"word": record["word"]})
        [answer] = yield [replace(asked, question=replace(ECHO, reply=Wort))]
        return [{"id": record["id"], "word": answer.value.word, **answer.columns()}]

    model = Fake(echo)
    ask_all(model, one_slice(2), TABLE, fixed)
    assert model.asked == [] and [row["word"] for row in rows()] == ["none", "none"]


def test_follow_goes_on_with_what_has_come_meanwhile() -> None:
    known: dict[str, Reply] = {}
    following = follow(rounds, {"id": make_id(WAVE, 0), "word": "w"}, Fake(echo), known.get)
    first = next(following)
    marks = list(first)
    known[marks[1]] = said("wb")
    assert next(following) == {marks[0]: first[marks[0]]}, "what has not come is expected again"
    known[marks[0]] = said("wa")
    [(last, request)] = next(following).items()
    assert word_of(request) == "wa+wb"
    known[last] = echo(request)
    with pytest.raises(StopIteration) as end:
        next(following)
    assert [row["word"] for row in end.value.value] == ["wa", "wb", "wa+wb"]
