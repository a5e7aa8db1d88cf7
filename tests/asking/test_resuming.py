"""Runs that stop, fail or cost too much, with small models: what was answered is kept, and never asked again."""

from __future__ import annotations

import asyncio
import errno
import random
from collections.abc import Generator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from gamut.asking.engine import local
from gamut.asking.failed_rows import failed_rows
from gamut.asking.requests import Reply, Request
from gamut.asking.visiting import Answer
from gamut.project.errors import UserError
from gamut.project.settings import Endpoint
from gamut.tables.columns import Row, make_id
from gamut.tables.reading import cut_into_slices, manifest
from tests import fakes
from tests.asking.slices import PICTURES, S0, TABLE, WAVE, kept, one_slice, paint, rows, two_shards
from tests.fakes import ECHO, Fake, ask_all, contents, echo, failing, jpeg, records, said, word_of

pytestmark = pytest.mark.usefixtures("project")


# Resuming


class Stopped(Exception):
    pass


@pytest.mark.parametrize("seed", range(2))
def test_a_stopped_run_asks_only_what_is_not_kept(seed: int) -> None:
    chance = random.Random(seed)
    stop_at, concurrency = chance.randrange(1, 240), chance.randrange(1, 30)
    ask_all(Fake(echo), two_shards(), Path("undisturbed"), stage="undisturbed")

    class Failing(Fake):
        answered = 0

        async def answer(self, request: Request) -> Reply:
            reply = await super().answer(request)
            await asyncio.sleep(0)
            if self.answered == stop_at:
                raise Stopped
            self.answered += 1
            return reply

    first = Failing(echo, concurrency)
    with pytest.raises(Stopped):
        ask_all(first, two_shards(), TABLE)
    assert not TABLE.exists() and first.closed == 1
    second = Fake(echo, concurrency)
    ask_all(second, two_shards(), TABLE)
    assert len(second.asked) == 240 - stop_at
    assert contents(TABLE) == contents(Path("undisturbed"))
    third = Fake(echo)
    ask_all(third, two_shards(), TABLE)
    assert third.asked == [] and contents(TABLE) == contents(Path("undisturbed"))


def test_what_is_asked_differently_is_asked_anew() -> None:
    ask_all(Fake(echo), one_slice(3), TABLE)
    other = Fake(echo, identity=fakes.IDENTITY | {"revision": "2"})
    ask_all(other, one_slice(3), TABLE)
    assert len(other.asked) == 3
    back = Fake(echo)
    ask_all(back, one_slice(3), TABLE)
    assert back.asked == []


def test_more_records_ask_only_about_the_new() -> None:
    ask_all(Fake(echo), one_slice(3), TABLE)
    model = Fake(echo)
    ask_all(model, [(S0, 0, records(5))], TABLE)
    assert sorted(model.times()) == ["word3", "word4"]


def test_equal_requests_of_a_slice_are_asked_once() -> None:
    twins = [(S0, 0, [{"id": make_id(WAVE, n), "word": "same"} for n in range(2)])]

    def moody() -> Fake:
        answers = count()

        async def respond(request: Request) -> Reply:
            answer = next(answers)
            await asyncio.sleep(0)
            return said(f"answer {answer}")

        return Fake(respond, 2)

    model = moody()
    ask_all(model, twins, TABLE)
    first = contents(TABLE)
    ask_all(moody(), twins, TABLE)
    assert contents(TABLE) == first
    assert len(model.asked) == 1


def test_what_is_in_flight_when_a_run_stops_is_kept() -> None:
    """Four are asked at once; the second is over the budget; the others end and are kept, nothing more is asked."""
    all_asked = asyncio.Event()
    asked: list[str] = []

    async def respond(request: Request) -> Reply:
        asked.append(word_of(request))
        if len(asked) == 4:
            all_asked.set()
        await all_asked.wait()
        if word_of(request) == "word1":
            return Reply(b"no route", "transport_error")
        for _ in range(5):
            await asyncio.sleep(0)
        return echo(request)

    with pytest.raises(UserError, match="1 of 1 record failed"):
        ask_all(Fake(respond, 4), one_slice(20), TABLE)
    assert sorted(asked) == ["word0", "word1", "word2", "word3"]
    assert kept() == ["word0", "word2", "word3"]


def test_what_never_ends_is_given_up_when_a_run_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "GRACE_SECONDS", 0.0)

    async def respond(request: Request) -> Reply:
        if word_of(request) == "word1":
            raise UserError("the key is wrong")
        await asyncio.Event().wait()
        return echo(request)

    with pytest.raises(UserError, match="the key is wrong"):
        ask_all(Fake(respond, 4), one_slice(20), TABLE)


def test_an_error_in_one_of_several_questions_loses_no_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "GRACE_SECONDS", 0.0)

    def visit(record: Row) -> Generator[Any, list[Answer], list[Row]]:
        yield [ECHO.about({"word": "first"})]
        yield [ECHO.about({"word": word}) for word in ("second", "wrong", "third")]
        return []

    closing = asyncio.Event()

    async def respond(request: Request) -> Reply:
        if word_of(request) == "wrong":
            raise UserError("the key is wrong")
        if word_of(request) != "first":
            await closing.wait()
        return echo(request)

    class Lingering(Fake):
        async def close(self) -> None:
            closing.set()
            for _ in range(5):
                await asyncio.sleep(0)

    with pytest.raises(UserError, match="the key is wrong"):
        ask_all(Lingering(respond, 3), one_slice(1), TABLE, visit)
    assert "first" in kept()


# Failures


def test_failures_within_the_budget_are_rows() -> None:
    limits = ask_all(Fake(failing("word1", "word3")), one_slice(5), TABLE, max_failures=2)
    assert [row["status"] for row in rows()] == ["ok", "transport_error", "ok", "transport_error", "ok"]
    assert rows()[1]["reason"] == "no route" and rows()[1]["word"] is None
    assert manifest(TABLE)["statuses"] == {"ok": 3, "transport_error": 2}
    assert limits.tally.failed == 2


def forget_failed() -> int:
    """Forget what failed in the last run, as `gamut retry` does; how many requests that were."""
    marks = {mark for row in failed_rows("repeat") for mark in row["fingerprints"]}
    fakes.store().forget(marks)
    return len(marks)


def test_kept_failures_are_asked_again_only_when_forgotten() -> None:
    ask_all(Fake(failing("word1", "word3")), one_slice(5), TABLE, max_failures=2)
    before = contents(TABLE)
    again = Fake(echo)
    ask_all(again, one_slice(5), TABLE, max_failures=2)
    assert again.asked == [] and contents(TABLE) == before
    assert forget_failed() == 2
    retried = Fake(echo)
    ask_all(retried, one_slice(5), TABLE)
    assert sorted(retried.times()) == ["word1", "word3"]
    assert [row["status"] for row in rows()] == ["ok"] * 5


def test_over_the_budget_keeps_good_replies_and_no_failure() -> None:
    bad = [f"word{n}" for n in range(10, 14)]
    with pytest.raises(
        UserError, match=r"^judge \(a_judge\): 4 of \d+ records failed, at most 3 of 1,000 may fail: w-part01-00000010 "
    ):
        ask_all(Fake(failing(*bad), 1), one_slice(50), TABLE, max_failures=3)
    assert not TABLE.exists()
    assert kept() == sorted(f"word{n}" for n in range(10))
    model = Fake(echo)
    ask_all(model, one_slice(50), TABLE)
    assert len(model.asked) == 40 and [row["status"] for row in rows()] == ["ok"] * 50


def test_failures_of_finished_slices_are_not_kept_either_when_the_stage_fails() -> None:
    def respond(request: Request) -> Reply:
        if word_of(request) == "word350":
            raise UserError("the key is wrong")
        return failing("word3")(request)

    with pytest.raises(UserError, match="the key is wrong"):
        ask_all(Fake(respond, 1), cut_into_slices(S0, records(400)), TABLE, max_failures=9)
    model = Fake(echo)
    ask_all(model, cut_into_slices(S0, records(400)), TABLE)
    assert sorted(model.times()) == sorted(["word3", *(f"word{n}" for n in range(350, 400))])


@pytest.mark.parametrize("error", [UserError("wrong key"), OSError(errno.ENOSPC, "full"), KeyboardInterrupt()])
def test_an_error_comes_out_as_itself(error: BaseException) -> None:
    def respond(request: Request) -> Reply:
        if word_of(request) == "word7":
            raise error
        return echo(request)

    model = Fake(respond, 5)
    with pytest.raises(type(error)) as found:
        ask_all(model, one_slice(50), TABLE)
    assert found.value is error or isinstance(error, KeyboardInterrupt)
    assert not TABLE.exists() and model.closed == 1
    assert set(kept()) >= {f"word{n}" for n in range(7)} - {"word7"} or isinstance(error, KeyboardInterrupt)


# Cost


PRICE = Endpoint(input_price=1.0)
"""One unit for a million tokens."""


def costly(request: Request) -> Reply:
    return replace(echo(request), input_tokens=1_000_000)


def test_the_cost_limit_stops_and_raising_it_goes_on() -> None:
    # 1 a request, 5.5 in all: five requests, then no more; with 15 in all ten more.
    with pytest.raises(UserError, match=r"^stopped before the cost limit: 5\.0000 spent through "):
        ask_all(Fake(costly, 1), one_slice(20), TABLE, max_cost=5.5, endpoint=PRICE)
    assert len(kept()) == 5
    model = Fake(costly, 1)
    with pytest.raises(UserError, match=r"15\.0000 spent"):
        ask_all(model, one_slice(20), TABLE, max_cost=15.0, endpoint=PRICE)
    assert len(model.asked) == 10
    limits = ask_all(model, one_slice(20), TABLE, max_cost=20.0, endpoint=PRICE)
    assert len(model.asked) == 15 and limits.tally.cost == 5.0


def slowly(reply: Reply) -> Fake:
    """A model with eight in flight, none of which is answered before all that will ask have asked."""

    async def respond(request: Request) -> Reply:
        await asyncio.sleep(0)
        return reply

    return Fake(respond, 8)


def test_the_first_pictures_do_not_pass_the_cost_limit() -> None:
    # 1 a picture, 2.5 in all: a third could come to 3.
    model = slowly(Reply(jpeg()))
    with pytest.raises(UserError, match="cost limit"):
        ask_all(model, one_slice(20), TABLE, paint, PICTURES, max_cost=2.5, endpoint=Endpoint(image_price=1.0))
    assert len(model.asked) == 2


# Images


@pytest.mark.parametrize(
    ("content", "status", "kept"),
    [(jpeg(), "ok", None), (b"", "missing_output", ""), (b"\x89PNG" + b"\xff" * 5000, "parse_error", None)],
)
def test_an_image_stands_once_in_its_row_and_one_that_is_none_nowhere(
    content: bytes, status: str, kept: str | None
) -> None:
    ask_all(Fake(lambda request: Reply(content)), one_slice(1), TABLE, paint, PICTURES, max_failures=1)
    [row] = rows()
    assert (row["status"], [reply["content"] for reply in row["replies"]]) == (status, [kept])
    assert row["image"] == ({"bytes": content, "path": None} if status == "ok" else None)
