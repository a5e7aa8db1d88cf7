"""The runner with small models: every record once, in order whatever happens, nothing asked twice, nothing lost."""

from __future__ import annotations

import asyncio
import errno
import random
from collections.abc import Generator, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pytest

from stages.asking.engine import local
from stages.asking.failed_rows import failed_rows
from stages.asking.making import Painting
from stages.asking.models import opening
from stages.asking.models.opening import OpenedWhenAsked
from stages.asking.outcomes import Outcome
from stages.asking.requests import Paint, Reply, Request, fingerprint
from stages.asking.visiting import Answer, follow
from stages.project import settings
from stages.project.errors import UserError
from stages.project.roles import RoleModel
from stages.project.settings import Endpoint
from stages.tables.columns import ASKED, IMAGE, Row, make_id
from stages.tables.reading import Slice, manifest, read_rows, sliced
from tests import fakes
from tests.fakes import AGAIN, ECHO, Fake, contents, echo, failing, jpeg, put, records, repeat, said, word_of

WAVE = "w-part01"
S0, S1 = f"{WAVE}-00000", f"{WAVE}-00001"
TABLE = Path("table")


def one_slice(count: int) -> list[Slice]:
    return [(S0, 0, records(count))]


def two_shards(size: int = 120) -> Iterator[Slice]:
    yield from sliced(S0, records(size))
    yield from sliced(S1, records(size, start=5000))


def rows() -> list[Row]:
    return list(read_rows(TABLE))


def kept(shard: str = S0, number: int = 0) -> list[str]:
    """Words of all replies that the store holds for a slice."""
    return sorted(orjson.loads(r.content)["word"] for r in fakes.store().slice(shard, number).replies.values())


pytestmark = pytest.mark.usefixtures("project")


# Every record once


@pytest.mark.parametrize("concurrency", [1, 3, 64, 1000])
def test_every_record_is_asked_about_once(concurrency: int) -> None:
    model = Fake(echo, concurrency)
    limits = put(model, two_shards(), TABLE)
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
    put(model, one_slice(1), TABLE)
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
    put(Fake(echo, 1), two_shards(), TABLE)
    plain = contents(TABLE)
    for seed in range(5):
        put(Shuffled(seed, 7 + seed), two_shards(), Path(f"shuffled{seed}"), stage=f"shuffled{seed}")
        assert contents(Path(f"shuffled{seed}")) == plain


# Several slices and shards in flight


def waiting_for(parties: int) -> Fake:
    """A model that answers nobody before `parties` requests wait at once."""
    barrier = fakes.Barrier(parties)

    async def respond(request: Request) -> Reply:
        await barrier()
        return echo(request)

    return Fake(respond, parties)


def test_records_of_two_shards_are_in_flight_together() -> None:
    model = waiting_for(20)
    put(model, [(S0, 0, records(10)), (S1, 0, records(10, start=5000))], TABLE)
    assert len(rows()) == 20


def opened_when_asked(model: Fake, monkeypatch: pytest.MonkeyPatch) -> tuple[OpenedWhenAsked, list[str]]:
    """A model as a stage has it before it asks, and the roles that were opened so far."""
    opened: list[str] = []

    def open_it(role_model: RoleModel, *_: object) -> Fake:
        opened.append(role_model.role)
        return model

    monkeypatch.setattr(opening, "open_model", open_it)
    monkeypatch.setattr(opening, "identity", lambda *_: fakes.IDENTITY)
    return OpenedWhenAsked(fakes.params().role_model("judge"), settings.Settings()), opened


def test_a_model_is_opened_by_the_first_question_and_then_asked_by_all_workers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = waiting_for(20)  # answers nobody unless as many workers ask as it bears
    first, opened = opened_when_asked(model, monkeypatch)
    assert (first.concurrency, opened) == (1, [])
    put(first, one_slice(40), TABLE)
    assert (len(rows()), len(model.asked), model.closed, opened) == (40, 40, 1, ["judge"])


def test_a_model_is_not_opened_when_all_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    put(Fake(echo), one_slice(5), TABLE)
    before = contents(TABLE)
    model = Fake(echo)
    again, opened = opened_when_asked(model, monkeypatch)
    put(again, one_slice(5), TABLE)
    assert (contents(TABLE), opened, model.closed) == (before, [], 0)


def test_a_model_that_cannot_be_opened_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    first, _ = opened_when_asked(Fake(echo), monkeypatch)

    def missing(*_: object) -> Fake:
        raise UserError("judge (gpt): no weights")

    monkeypatch.setattr(first, "open", missing)
    with pytest.raises(UserError, match=r"^judge \(gpt\): no weights$"):
        put(first, one_slice(40), TABLE)


def test_workers_do_not_idle_on_thin_slices() -> None:
    slices = [(S0, n, records(1, start=100 * n)) for n in range(8)]
    put(waiting_for(8), slices, TABLE)
    assert len(rows()) == 8


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

    put(Fake(respond, 64), sliced(S0, records(400)), TABLE)
    assert len(rows()) == 400


def test_slices_are_taken_as_needed() -> None:
    # Slices of one record without end. Open are at most 4 records for each of the 4 in flight and 2 slices of 100:
    # 4 * 4 + 200 = 216.
    taken: list[int] = []
    ahead: list[int] = []

    def respond(request: Request) -> Reply:
        ahead.append(len(taken) - len(ahead))
        if len(ahead) == 600:
            raise UserError("enough")
        return echo(request)

    endless = ((f"{WAVE}-{n // 50:05d}", n % 50, records(1, start=100 * n)) for n in count())
    with pytest.raises(UserError, match="enough"):
        put(Fake(respond, 4), fakes.lazily(endless, taken), TABLE)
    assert max(ahead) <= 216 and len(taken) <= 600 + 216


def test_a_slice_may_be_larger_than_what_is_open_at_once() -> None:
    # At one in flight 4 * 1 + 200 = 204 records may be open.
    put(Fake(echo, 1), [(S0, 0, records(300)), (S0, 1, records(1, start=300))], TABLE)
    assert manifest(TABLE)["rows"] == 301


def test_an_empty_slice_is_not_lost() -> None:
    slices = [(S0, 0, []), (S0, 1, records(2, start=100)), (S0, 2, []), (S1, 0, []), (f"{WAVE}-00002", 0, [])]
    put(Fake(echo), slices, TABLE)
    assert [(s["name"][-13:-8], s["rows"]) for s in manifest(TABLE)["shards"]] == [
        ("00000", 2),
        ("00001", 0),
        ("00002", 0),
    ]


@pytest.mark.parametrize("slices", [[], [(S0, 0, [])]])
def test_nothing_to_visit(slices: list[Slice]) -> None:
    model = Fake(echo)
    limits = put(model, slices, TABLE, total=0)
    assert (rows(), model.asked, limits.tally.done, model.closed) == ([], [], 0, 1)
    assert len(manifest(TABLE)["shards"]) == len(slices)


def test_the_estimate_looks_at_the_first_records(capsys: pytest.CaptureFixture[str]) -> None:
    # 2 requests for 2 of 10 records: about 10. The first slices hold none and say nothing.
    put(Fake(echo), [(S0, 0, []), (S0, 1, []), (S0, 2, records(2, start=200))], TABLE, total=10)
    assert capsys.readouterr().out.startswith("repeat: 10 records, about 10 requests or more, ")


def test_the_estimate_counts_what_is_asked_once_once(capsys: pytest.CaptureFixture[str]) -> None:
    # Of 100 records the first 64 are looked at: 16 words, each in four of them. 16 / (64 / 100) = 25
    again = [row | {"word": f"word{n % 16}"} for n, row in enumerate(records(100))]
    put(Fake(echo), [(S0, 0, again)], TABLE, total=100)
    assert capsys.readouterr().out.startswith("repeat: 100 records, about 25 requests or more, ")


def test_many_empty_slices_behind_a_slow_one() -> None:
    slices = [(S0, 0, records(1)), *((S0, n, []) for n in range(1, 50)), (S1, 0, records(1, start=5000))]
    put(Fake(echo), slices, TABLE)
    assert len(rows()) == 2


# Visits


def rounds(record: Row) -> Generator[Any, list[Answer], list[Row]]:
    """Two questions at once, then a third from both answers, as captions and chain-of-thought are asked."""
    first = yield [ECHO.about({"word": f"{record['word']}{side}"}) for side in "ab"]
    words = "+".join(answer.value.word for answer in first if answer.value)
    last = yield [AGAIN.about({"word": words})]
    return [
        {"id": record["id"], "word": answer.value.word if answer.value else None, **answer.columns()}
        for answer in [*first, *last]
    ]


def test_a_visit_in_rounds() -> None:
    model = Fake(echo, 3)
    put(model, one_slice(5), TABLE, rounds)
    assert [row["word"] for row in rows()] == [f"word{n}{end}" for n in range(5) for end in ("a", "b", f"a+word{n}b")]
    assert len(model.asked) == 15 and set(model.times().values()) == {1}
    again = Fake(echo, 3)
    put(again, one_slice(5), Path("again"), rounds)
    assert again.asked == [] and contents(Path("again")) == contents(TABLE)


def test_a_later_round_goes_on_without_what_failed() -> None:
    put(Fake(failing("word0b")), one_slice(1), TABLE, rounds, max_failures=1)
    assert [(row["status"], row["word"]) for row in rows()] == [
        ("ok", "word0a"),
        ("transport_error", None),
        ("ok", "word0a"),
    ]


def silent(record: Row) -> Generator[Any, list[Answer], list[Row]]:
    if record["word"] == "word1":
        yield []
    if record["word"] != "word2":
        return [{"id": record["id"], "word": "unasked", "status": "ok"}]
    return (yield from repeat(record))


def test_a_visit_that_asks_nothing() -> None:
    model = Fake(echo)
    put(model, one_slice(3), TABLE, silent)
    assert [row["word"] for row in rows()] == ["unasked", "unasked", "word2"]
    assert len(model.asked) == 1


def test_a_visit_without_rows() -> None:
    def nothing(record: Row) -> Generator[Any, list[Answer], list[Row]]:
        yield [ECHO.about({"word": record["word"]})]
        return []

    put(Fake(echo), one_slice(3), TABLE, nothing)
    assert rows() == [] and manifest(TABLE)["shards"][0]["rows"] == 0


def test_a_bad_reply_is_repaired_in_its_turn() -> None:
    def respond(request: Request) -> Reply:
        assert not isinstance(request, Paint)
        return echo(request) if len(request.messages) == 3 or word_of(request) != "word1" else Reply(b"well...")

    model = Fake(respond)
    put(model, one_slice(3), TABLE)
    assert [row["status"] for row in rows()] == ["ok"] * 3
    assert [len(row["replies"]) for row in rows()] == [1, 2, 1]
    assert len(model.asked) == 4


def test_a_mended_parser_asks_nothing() -> None:
    put(Fake(lambda request: Reply(b'{"wort": "x"}')), one_slice(2), TABLE, max_failures=9)
    assert [row["status"] for row in rows()] == ["parse_error"] * 2

    class Wort(fakes.Word):
        word: str = "none"

    def mended(record: Row) -> Generator[Any, list[Answer], list[Row]]:
        asked = ECHO.about({"word": record["word"]})
        [answer] = yield [replace(asked, question=replace(ECHO, reply=Wort))]
        return [{"id": record["id"], "word": answer.value.word, **answer.columns()}]

    model = Fake(echo)
    put(model, one_slice(2), TABLE, mended)
    assert model.asked == [] and [row["word"] for row in rows()] == ["none", "none"]


def test_follow_stops_at_what_is_missing() -> None:
    record = {"id": make_id(WAVE, 0), "word": "w"}
    first, second = (ECHO.about({"word": f"w{side}"}).request for side in "ab")
    marks = [fingerprint(request, fakes.IDENTITY) for request in (first, second)]
    assert next(follow(rounds, record, Fake(echo), {}.get)) == dict(zip(marks, (first, second), strict=True))
    assert next(follow(rounds, record, Fake(echo), {marks[0]: said("wa")}.get)) == {marks[1]: second}
    missing = next(follow(rounds, record, Fake(echo), {m: said("x") for m in marks}.get))
    assert [word_of(request) for request in missing.values()] == ["x+x"]


def test_follow_goes_on_with_what_has_come_meanwhile() -> None:
    known: dict[str, Reply] = {}
    following = follow(rounds, {"id": make_id(WAVE, 0), "word": "w"}, Fake(echo), known.get)
    first = next(following)
    marks = list(first)
    known[marks[1]] = said("wb")
    assert next(following) == {marks[0]: first[marks[0]]}, "what has not come is wanted again"
    known[marks[0]] = said("wa")
    [(last, request)] = next(following).items()
    assert word_of(request) == "wa+wb"
    known[last] = echo(request)
    with pytest.raises(StopIteration) as end:
        next(following)
    assert [row["word"] for row in end.value.value] == ["wa", "wb", "wa+wb"]


# Resuming


class Stopped(Exception):
    pass


@pytest.mark.parametrize("seed", range(6))
def test_a_stopped_run_asks_only_what_is_not_kept(seed: int) -> None:
    chance = random.Random(seed)
    stop_at, concurrency = chance.randrange(1, 240), chance.randrange(1, 30)
    put(Fake(echo), two_shards(), Path("undisturbed"), stage="undisturbed")

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
        put(first, two_shards(), TABLE)
    assert not TABLE.exists() and first.closed == 1
    second = Fake(echo, concurrency)
    put(second, two_shards(), TABLE)
    assert len(second.asked) == 240 - stop_at
    assert contents(TABLE) == contents(Path("undisturbed"))
    third = Fake(echo)
    put(third, two_shards(), TABLE)
    assert third.asked == [] and contents(TABLE) == contents(Path("undisturbed"))


def test_what_is_asked_differently_is_asked_anew() -> None:
    put(Fake(echo), one_slice(3), TABLE)
    other = Fake(echo, identity=fakes.IDENTITY | {"revision": "2"})
    put(other, one_slice(3), TABLE)
    assert len(other.asked) == 3
    back = Fake(echo)
    put(back, one_slice(3), TABLE)
    assert back.asked == []


def test_more_records_ask_only_about_the_new() -> None:
    put(Fake(echo), one_slice(3), TABLE)
    model = Fake(echo)
    put(model, [(S0, 0, records(5))], TABLE)
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
    put(model, twins, TABLE)
    first = contents(TABLE)
    put(moody(), twins, TABLE)
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
        put(Fake(respond, 4), one_slice(20), TABLE)
    assert sorted(asked) == ["word0", "word1", "word2", "word3"]
    assert kept() == ["word0", "word2", "word3"]


def test_what_is_in_flight_is_kept_when_a_visit_cannot_read_its_table() -> None:
    async def late(request: Request) -> Reply:
        await asyncio.sleep(0.01)  # both are in flight when the damaged row is come to
        return echo(request)

    def damaged(record: Row) -> Any:
        if record["word"] == "word2":
            raise UserError("answers/w.parquet: not a readable Parquet file")
        return repeat(record)

    first, second = (S0, 0, records(2)), (S0, 1, records(1, start=2))
    model = Fake(late, concurrency=3)
    with pytest.raises(UserError, match="not a readable Parquet file"):
        put(model, [first, second], TABLE, damaged)
    assert model.times() == {"word0": 1, "word1": 1}
    assert len(fakes.store().slice(S0, 0).replies) == 2 and not TABLE.exists()


def test_what_never_ends_is_given_up_when_a_run_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "GRACE_SECONDS", 0.0)

    async def respond(request: Request) -> Reply:
        if word_of(request) == "word1":
            raise UserError("the key is wrong")
        await asyncio.Event().wait()
        return echo(request)

    with pytest.raises(UserError, match="the key is wrong"):
        put(Fake(respond, 4), one_slice(20), TABLE)


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
        put(Lingering(respond, 3), one_slice(1), TABLE, visit)
    assert "first" in kept()


# Failures


def test_failures_within_the_budget_are_rows() -> None:
    limits = put(Fake(failing("word1", "word3")), one_slice(5), TABLE, max_failures=2)
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
    put(Fake(failing("word1", "word3")), one_slice(5), TABLE, max_failures=2)
    before = contents(TABLE)
    again = Fake(echo)
    put(again, one_slice(5), TABLE, max_failures=2)
    assert again.asked == [] and contents(TABLE) == before
    assert forget_failed() == 2
    retried = Fake(echo)
    put(retried, one_slice(5), TABLE)
    assert sorted(retried.times()) == ["word1", "word3"]
    assert [row["status"] for row in rows()] == ["ok"] * 5


def test_bad_replies_are_asked_again_when_forgotten() -> None:
    put(Fake(lambda r: Reply(b"?") if word_of(r) == "word2" else echo(r)), one_slice(3), TABLE, max_failures=1)
    assert [row["status"] for row in rows()] == ["ok", "ok", "parse_error"]
    assert forget_failed() == 2  # the reply and its repair
    model = Fake(echo)
    put(model, one_slice(3), TABLE)
    assert list(model.times()) == ["word2"]


def test_over_the_budget_keeps_good_replies_and_no_failure() -> None:
    bad = [f"word{n}" for n in range(10, 14)]
    with pytest.raises(
        UserError, match=r"^judge \(a_judge\): 4 of \d+ records failed, at most 3 of 1,000 may: w-part01-00000010 "
    ):
        put(Fake(failing(*bad), 1), one_slice(50), TABLE, max_failures=3)
    assert not TABLE.exists()
    assert kept() == sorted(f"word{n}" for n in range(10))
    model = Fake(echo)
    put(model, one_slice(50), TABLE)
    assert len(model.asked) == 40 and [row["status"] for row in rows()] == ["ok"] * 50


def test_failures_of_finished_slices_are_not_kept_either_when_the_stage_fails() -> None:
    def respond(request: Request) -> Reply:
        if word_of(request) == "word350":
            raise UserError("the key is wrong")
        return failing("word3")(request)

    with pytest.raises(UserError, match="the key is wrong"):
        put(Fake(respond, 1), sliced(S0, records(400)), TABLE, max_failures=9)
    model = Fake(echo)
    put(model, sliced(S0, records(400)), TABLE)
    assert sorted(model.times()) == sorted(["word3", *(f"word{n}" for n in range(350, 400))])


@pytest.mark.parametrize(
    "error", [UserError("wrong key"), OSError(errno.ENOSPC, "full"), Stopped(), KeyboardInterrupt()]
)
def test_an_error_comes_out_as_itself(error: BaseException) -> None:
    def respond(request: Request) -> Reply:
        if word_of(request) == "word7":
            raise error
        return echo(request)

    model = Fake(respond, 5)
    with pytest.raises(type(error)) as found:
        put(model, one_slice(50), TABLE)
    assert found.value is error or isinstance(error, KeyboardInterrupt)
    assert not TABLE.exists() and model.closed == 1
    assert set(kept()) >= {f"word{n}" for n in range(7)} - {"word7"} or isinstance(error, KeyboardInterrupt)


def test_an_error_among_the_inputs_comes_out_as_itself() -> None:
    def broken() -> Iterator[Slice]:
        yield S0, 0, records(3)
        raise UserError("the table is damaged")

    model = Fake(echo)
    with pytest.raises(UserError, match="the table is damaged"):
        put(model, broken(), TABLE)
    assert model.closed == 1 and not TABLE.exists()


# Cost


PRICE = Endpoint(input_price=1.0)
"""One unit for a million tokens."""


def costly(request: Request) -> Reply:
    return replace(echo(request), input_tokens=1_000_000)


def test_the_cost_limit_stops_and_raising_it_goes_on() -> None:
    # 1 a request, 5.5 in all: five requests, then no more.
    with pytest.raises(UserError, match=r"^stopped before the cost limit: 5\.0000 spent after 5 requests"):
        put(Fake(costly, 1), one_slice(20), TABLE, max_cost=5.5, endpoint=PRICE)
    assert len(kept()) == 5
    model = Fake(costly, 1)
    limits = put(model, one_slice(20), TABLE, max_cost=15.0, endpoint=PRICE)
    assert len(model.asked) == 15 and limits.tally.cost == 15.0


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
        put(model, one_slice(20), TABLE, paint, PICTURES, max_cost=2.5, endpoint=Endpoint(image_price=1.0))
    assert len(model.asked) == 2


def test_the_first_replies_do_not_pass_the_cost_limit() -> None:
    model = slowly(said("x", output_tokens=1_000_000))
    with pytest.raises(UserError, match="cost limit"):
        put(model, one_slice(20), TABLE, max_cost=2.5, endpoint=Endpoint(output_price=1.0))
    assert len(model.asked) <= 2


# Images


PICTURES = pa.schema([pa.field("id", pa.string()), pa.field("image", IMAGE), *ASKED])


def paint(record: Row) -> Generator[Any, list[Answer], list[Row]]:
    def convert(data: bytes) -> bytes:
        if not data.startswith(b"\xff\xd8"):
            raise ValueError("is not a picture")
        return data

    [answer] = yield [Painting(Paint(record["word"], 64, 64, 0), convert)]
    image = {"bytes": answer.value, "path": None} if answer.value else None
    return [{"id": record["id"], "image": image, **answer.columns()}]


def test_an_image_stands_once_in_its_row() -> None:
    put(Fake(lambda request: Reply(jpeg())), one_slice(1), TABLE, paint, PICTURES)
    [row] = rows()
    assert row["image"] == {"bytes": jpeg(), "path": None}
    assert [reply["content"] for reply in row["replies"]] == [None]


def test_an_image_that_did_not_come() -> None:
    put(Fake(lambda request: Reply(b"")), one_slice(1), TABLE, paint, PICTURES, max_failures=1)
    [row] = rows()
    assert (row["status"], row["image"]) == ("missing_output", None)


def test_an_unusable_image_is_not_put_into_the_table_as_text() -> None:
    put(Fake(lambda request: Reply(b"\x89PNG" + b"\xff" * 5000)), one_slice(1), TABLE, paint, PICTURES, max_failures=1)
    [row] = rows()
    assert row["status"] == "parse_error"
    assert [reply["content"] for reply in row["replies"]] == [None]


def test_outcomes_other_than_ok_carry_no_value() -> None:
    assert Answer(Outcome("unsupported", reason="r"), "m", ()).columns() == {
        "status": "unsupported",
        "reason": "r",
        "model": "m",
        "replies": [],
    }
