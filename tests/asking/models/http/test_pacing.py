"""Limits on requests in flight, with a clock that jumps: what a server bears is found, lost, and found again; and how
long servers ask to be left alone.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Mapping
from random import Random
from typing import Any

import pytest

from gamut.asking.models.http.client import HttpModel
from gamut.asking.models.http.failures import Failure
from gamut.asking.models.http.pacing import LONGEST_PAUSE, Pool, Server, retry_after_seconds, wait_seconds
from gamut.asking.requests import Chat, Message, Reply, Request
from gamut.project.errors import UserError
from gamut.project.model_kinds import OpenAIModel
from gamut.project.settings import Endpoint


class JumpingClock(asyncio.SelectorEventLoop):
    """An event loop that does not wait: when nothing is left to do, its clock jumps to whatever is due next."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def time(self) -> float:
        return self.now

    def _run_once(self) -> None:
        due = [handle.when() for handle in self._scheduled if not handle.cancelled()]  # type: ignore[attr-defined]
        if not self._ready and due:  # type: ignore[attr-defined]
            self.now = max(self.now, min(due))
        super()._run_once()  # type: ignore[misc]


def run(work: Coroutine[Any, Any, Any]) -> Any:
    with asyncio.Runner(loop_factory=JumpingClock) as runner:
        return runner.run(work)


def now() -> float:
    return asyncio.get_running_loop().time()


def pool_of(most: int, *urls: str) -> Pool:
    return Pool(list(urls or ("a",)), most, Random(0))


async def busy(pool: Pool, workers: int, until: float, serve: Callable[[Server], bool], seconds: float) -> None:
    """Keep so many workers busy; `serve` says whether a server's answer, after some seconds, is good."""

    async def work() -> None:
        while now() < until:
            server, era = await pool.enter()
            good = serve(server)
            await asyncio.sleep(seconds)
            pool.leave(server, era, good)

    await asyncio.gather(*(work() for _ in range(workers)))


def feed(server: Server, good: int) -> None:
    for _ in range(good):
        server.note_good(server.era)


def test_a_limit_doubles_every_clean_window_up_to_the_most():
    server, limits = Server("a", 128), []
    for _ in range(5):
        limits.append(server.limit)
        feed(server, server.limit)
    assert limits == [20, 40, 80, 128, 128]
    assert Server("a", 3).limit == 3


def test_after_trouble_it_doubles_to_the_last_good_level_and_then_grows_by_steps():
    server = Server("a", 64)
    feed(server, 20 + 40)  # clean at 20 and at 40, now at 64
    assert server.limit == 64
    server.note_bad(0)
    assert server.limit == 51  # 64 x 0.8 = 51.2
    server.note_bad(1)
    server.note_bad(2)
    assert server.limit == 32  # 51 x 0.8 = 40.8; 40 x 0.8 = 32
    limits = []
    for _ in range(4):
        limits.append(server.limit)
        feed(server, server.limit)
    assert limits == [32, 40, 42, 44]  # doubling ends at 40, the last clean window; then 64 / 32 = 2 a window


def test_one_trouble_shrinks_once():
    server = Server("a", 64)
    for _ in range(20):
        server.note_bad(0)  # twenty that were in flight when it began
    assert (server.limit, server.era) == (16, 1)
    for _ in range(50):
        server.note_good(0)  # answers to what was sent before say nothing about the new limit
    assert server.limit == 16


def test_a_server_that_answers_nothing_is_asked_one_by_one_with_growing_pauses():
    server, pauses = Server("a", 64), []
    for _ in range(20):
        server.note_bad(0)  # all that were in flight, and then one by one
    for _ in range(7):
        server.note_bad(server.era)
        pauses.append((server.limit, server.pause))
    assert pauses == [(1, 0.25), (1, 0.5), (1, 1), (1, 2), (1, 4), (1, 4), (1, 4)]
    server.note_good(server.era)
    assert (server.limit, server.pause) == (2, 0)


def test_what_a_server_bears_is_found():
    """It serves 30 at once, 1 s each, and answers 429 at once to any more: most of what it bears is used."""

    async def measured() -> Counter[bool]:
        pool, answers, serving = pool_of(100), Counter[bool](), 0

        async def work() -> None:
            nonlocal serving
            while now() < 200:
                server, era = await pool.enter()
                good = serving < 30
                serving += good
                await asyncio.sleep(1 if good else 0.01)
                serving -= good
                answers[good] += 1
                pool.leave(server, era, good)

        await asyncio.gather(*(work() for _ in range(100)))
        return answers

    answers = run(measured())
    assert answers[True] > 0.8 * 30 * 200
    assert answers[False] < 0.1 * answers[True]


@pytest.mark.parametrize(("most", "seconds"), [(20, 0.5), (256, 0.5)])
def test_a_server_that_comes_back_is_used_fully_within_ten_seconds(most: int, seconds: float):
    """Gone from 5 s to 20 s. Pauses are at most 4 s, and from 1 to 256 are eight windows: 4 + 8 x 0.5 = 8 s."""

    async def measured() -> tuple[int, float]:
        pool, asked, full = pool_of(most), 0, [0.0]

        def serve(server: Server) -> bool:
            nonlocal asked
            up = not 5 <= now() < 20
            asked += not up
            if server.in_flight == most and now() >= 20 and not full[0]:
                full[0] = now() - 20
            return up

        await busy(pool, most, 30, serve, seconds)
        return asked, full[0]

    asked, full = run(measured())
    assert 0 < full < 10
    assert asked <= 1.8 * most + 30, "hardly anything is sent to a server that is gone"


def test_a_longer_wait_that_a_server_asks_for_holds_for_all():
    async def measured() -> list[float]:
        pool, entered = pool_of(4), []

        async def ask() -> None:
            await pool.enter()
            entered.append(now())

        first, second, third = [await pool.enter() for _ in range(3)]
        pool.leave(*first, False, after=7)
        pool.leave(*second, False, after=3)
        waiting = asyncio.create_task(ask())
        await asyncio.sleep(1)
        pool.leave(*third, False, after=9)
        await waiting
        server, era = pool.servers[0], pool.servers[0].era
        pool.leave(server, era, True, after=1e9)
        await ask()
        return entered

    assert run(measured()) == [1 + 9, 1 + 9 + LONGEST_PAUSE]


def test_whoever_waits_longest_is_next_and_who_gives_up_takes_no_room():
    async def measured() -> list[int]:
        pool, order = pool_of(1), []
        held = await pool.enter()

        async def ask(number: int) -> None:
            server, era = await pool.enter()
            order.append(number)
            pool.leave(server, era, True)

        tasks = [asyncio.create_task(ask(number)) for number in range(5)]
        await asyncio.sleep(0)
        tasks[1].cancel()
        pool.leave(*held, True)
        tasks[0].cancel()  # the very moment it was given room
        await asyncio.gather(*tasks, return_exceptions=True)
        assert pool.servers[0].in_flight == 0 and not pool.waiting
        return order

    assert run(measured()) == [2, 3, 4]


def test_a_request_goes_where_its_picture_is_known_if_there_is_room_else_where_most_is():
    async def measured() -> list[str]:
        pool = pool_of(2, "a", "b", "c")
        return [(await pool.enter(liked))[0].url for liked in (4, 4, 4, None, None, 0)]

    assert run(measured()) == ["b", "b", "a", "c", "a", "c"]


def test_where_a_request_has_failed_it_goes_again_only_if_no_other_has_room():
    async def measured() -> list[str]:
        pool = pool_of(2, "a", "b")
        failed = pool.servers[0]
        return [(await pool.enter(liked, {failed}))[0].url for liked in (0, None, 0, None)]

    assert run(measured()) == ["b", "b", "a", "a"]


def test_a_dead_server_of_two_gets_a_request_now_and_then():
    async def measured() -> Counter[str]:
        pool, asked = pool_of(32, "dead", "good"), Counter[str]()

        def serve(server: Server) -> bool:
            asked[server.url] += 1
            return server.url == "good"

        await busy(pool, 64, 60, serve, 0.2)
        return asked

    asked = run(measured())
    assert asked["good"] > 0.9 * 32 * 60 / 0.2  # its limit is full nearly all the time
    assert asked["dead"] < 20 + 60 / 2 + 10  # the first 20 together, then one about every 2 to 4 s


def test_a_server_is_gone_when_two_requests_got_nothing_for_long_enough():
    server = Server("a", 4)
    server.note_down(1, 100)
    server.note_down(1, 170)
    assert not server.is_gone(170, 60), "one request may be too much for it"
    server.note_down(2, 170)
    assert server.is_gone(170, 60) and not server.is_gone(159, 60)
    server.note_up()
    server.note_down(3, 171)
    server.note_down(4, 172)
    assert not server.is_gone(230, 60)


# A host with a limit per minute, by the minute


def minutes(records: int, a_minute: int, says_when: bool, counts_all: bool) -> float:
    """How many minutes so many requests take at a host that lets so many in each minute, says when to come again or
    not, and counts those that it does not answer or not; each has one attempt, and 64 may be in flight.
    """
    client = HttpModel("judge (a)", "a", OpenAIModel(kind="openai", id="m"), Endpoint(url="http://a/v1", attempts=1))
    heard = deque[float]()

    async def exchange(server: Server, request: Request) -> tuple[str, Reply | Failure]:
        while heard and heard[0] <= now() - 60:
            heard.popleft()
        if len(heard) < a_minute:
            heard.append(now())
            await asyncio.sleep(4)
            return server.url, Reply(b"{}")
        after = heard[0] + 60 - now() if says_when else 0.0
        if counts_all:
            heard.append(now())
            heard.popleft()
        return server.url, Failure("HTTP 429: too many", again=True, good=False, busy=True, after=after)

    async def all_of_them() -> float:
        chats = [Chat("q", (Message("user", (str(n),)),), {}, n) for n in range(records)]
        replies = await asyncio.gather(*map(client.answer, chats))
        assert {reply.finish for reply in replies} == {"stop"}
        return now() / 60

    client._exchange = exchange  # type: ignore[method-assign]
    found = run(all_of_them())
    assert isinstance(found, float)
    return found


@pytest.mark.parametrize(("says_when", "counts_all", "most"), [(True, True, 8), (False, False, 12)])
def test_five_requests_a_minute_are_used_and_nothing_is_lost(says_when: bool, counts_all: bool, most: float):
    """40 are eight minutes' worth, and the first five come at once: 7 at least."""
    assert 7 <= minutes(40, 5, says_when, counts_all) < most


def test_who_says_nothing_and_counts_everything_is_left_alone_for_longer_and_longer():
    """Asked every 4 s as a dead server is, it would answer nothing for good: 15 a minute, all counted."""
    assert minutes(40, 5, says_when=False, counts_all=True) < 20


def test_a_host_that_lets_nobody_in_ends_the_run_after_ten_minutes():
    with pytest.raises(UserError, match="every request is now answered so: HTTP 429: too many: what was answered"):
        minutes(40, 0, says_when=False, counts_all=False)


GOOGLE = b"""[{"error": {"code": 429, "message": "You exceeded your current quota. Please retry in 38.962214405s.",
    "details": [{"@type": "Help"}, {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "38s"}]}}]"""
USED_UP = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s"}


@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ({}, GOOGLE, 38),
        ({}, GOOGLE.replace(b"retryDelay", b"other"), 38.962214405),
        ({}, b"Rate limit reached on requests per min. Limit: 3. Please try again in 20s. Visit us", 20),
        ({}, b"Please try again in 1h2m3.5s.", 3723.5),
        ({}, b"Please try again in 120ms.", 0.12),
        ({}, b"try again in 2 minutes, or later", 120),
        ({}, b"try again in a moment; 20s is not enough", 0),
        ({}, b"", 0),
        ({}, "Please retry in 5\u017f.".encode(), 0),  # a letter that ignoring case takes for an s
        ({}, b'{"retryDelay": "-5s"}', 0),
        ({}, b'{"retryDelay": "' + b"9" * 400 + b's"}', float("inf")),  # LONGEST_PAUSE is waited
        ({"Retry-After": "7"}, GOOGLE, 7),
        (USED_UP, b"too many", 360),
        (USED_UP, b"Please try again in 20s.", 20),  # the header tells when all of the limit is back
        (USED_UP | {"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "9m"}, b"", 540),
        (USED_UP | {"x-ratelimit-remaining-requests": "4"}, b"", 0),
        (USED_UP | {"x-ratelimit-reset-requests": "31"}, b"", 31),
    ],
)
def test_a_delay_is_read_wherever_it_stands(headers: Mapping[str, str], body: bytes, seconds: float):
    assert wait_seconds(headers, body) == seconds


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0.5", 0.5),
        ("-3", 0),
        ("nan", 0),
        ("Fri, 31 Dec 99999 23:59:59 GMT", 0),
        ("inf", float("inf")),  # no longer than LONGEST_PAUSE is waited
    ],
)
def test_retry_after(value: str | None, seconds: float):
    assert retry_after_seconds(value) == seconds


@pytest.mark.parametrize(
    ("now", "seconds"),
    [
        ("Sun, 06 Nov 1994 08:49:07 GMT", 30),
        ("Sun, 06 Nov 1994 08:49:38 GMT", 0),
        (None, 0),  # by this machine's clock that is past
    ],
)
def test_a_date_counts_from_the_server_s_own_clock(now: str | None, seconds: float):
    assert retry_after_seconds("Sun, 06 Nov 1994 08:49:37 GMT", now) == seconds
