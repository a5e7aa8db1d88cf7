"""Failure budgets and cost limits: what counts, when it stops, what the estimate says."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import pytest

from gamut.asking.limits import FAILURES, NOT_REACHED, Limits
from gamut.asking.parts import BUNDLE, bundle
from gamut.asking.progress import Tally, duration
from gamut.asking.requests import Chat, Create, Message, Paint, Picture, Reply
from gamut.project.budgets import Budget
from gamut.project.errors import UserError
from gamut.project.settings import Endpoint
from gamut.tables.columns import Row

HERE = str(Path(__file__).parents[2])
CHAT = Chat("q", (Message("user", ("x" * 400, Picture(b"j"), "y" * 40)),), {}, 0)
PAINT = Paint("p" * 80, 64, 64, 0)
PRICES = Endpoint(input_price=2.0, output_price=10.0, image_price=0.05)


def limits(
    total: int = 100,
    failures: int | float = 0,
    cost: float | None = None,
    endpoint: Endpoint = PRICES,
    counted: Collection[str] = FAILURES,
) -> Limits:
    return Limits(Tally("stage", total), failures, Budget(Path(".store"), cost), endpoint, "judge (a_judge)", counted)


@pytest.fixture(autouse=True)
def _in_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def row(number: int, status: str, reason: str | None = None, content: str | None = "?", finish: str = "stop") -> Row:
    reply = {"fingerprint": f"f{number}", "finish": finish, "content": content}
    return {"id": f"w-{number:08d}", "status": status, "reason": reason, "replies": [reply]}


def noted(found: Limits) -> list[str]:
    """The requests behind all failed rows."""
    return [mark for one in found.failed for mark in one["fingerprints"]]


@pytest.mark.parametrize(
    ("failures", "total", "most"), [(0, 100, 0), (3, 1, 3), (0.01, 440, 4), (0.5, 3, 1), (0.29, 100, 29)]
)
def test_budgets_are_counts_or_shares_of_all_records(failures: int | float, total: int, most: int) -> None:
    # 0.01 * 440 = 4.4, so 4 may fail
    assert limits(total, failures).most_failures == most


def test_only_failures_count() -> None:
    found = limits()
    for number, status in enumerate(["ok", "unsupported", "refused_judge", "refused_generation"]):
        found.count_rows([row(number, status)])
    assert (found.tally.done, found.tally.failed, found.failed) == (4, 0, [])
    assert found.statuses == dict.fromkeys(found.statuses, 1) and len(found.statuses) == 4


def test_what_nobody_was_asked_for_its_own_fault_is_no_failure_of_a_model() -> None:
    found = limits()
    found.count_rows([row(0, "invalid_input", "picture 'a' was altered") | {"replies": []}])
    assert (found.tally.failed, found.failed, found.statuses) == (0, [], {"invalid_input": 1})
    assert found.examples == {"invalid_input": "w-00000000: picture 'a' was altered"}


def test_what_is_ok_with_a_remark_is_counted_apart_and_no_failure() -> None:
    found = limits()
    found.count_rows(
        [row(0, "ok"), row(1, "ok", "1x1 pixels instead of 8x8"), row(2, "ok", "2x2 pixels instead of 8x8")]
    )
    assert found.statuses == {"ok": 1, "ok with a remark": 2} and found.failed == []
    assert found.examples == {"ok with a remark": "w-00000001: 1x1 pixels instead of 8x8"}


@pytest.mark.parametrize("status", FAILURES)
def test_over_the_budget(status: str) -> None:
    found = limits(total=1000, failures=4)
    for number in range(4):
        found.count_rows([row(number, status, f"cause {number}")])
    with pytest.raises(UserError) as error:
        found.count_rows([row(4, status, "cause 4")])
    said = str(error.value)
    assert said.startswith(
        f"judge (a_judge): 5 of 5 records failed, at most 4 of 1,000 may fail: w-00000000 ({status}: cause 0); "
        f"w-00000001 ({status}: cause 1); w-00000002 ({status}: cause 2). "
        '`gamut show stage w-00000000` shows the first, whose reply begins "?". What was answered is kept'
    )
    assert "`gamut retry stage`" in said and "cause 3" not in said and "\n" not in said
    assert noted(found) == ["f0", "f1", "f2", "f3", "f4"]
    assert found.failed[4] == {"id": "w-00000004", "status": status, "reason": "cause 4", "fingerprints": ["f4"]}


@pytest.mark.parametrize(
    ("content", "finish", "quoted"),
    [
        ("{\n \x1b[31m\u202eno", "stop", ', whose reply begins "{ no"'),  # colours, turned writing, line breaks
        ("x" * 1000, "length", f', whose reply begins "{"x" * 199}…"'),
        ("no route", "transport_error", ""),  # the cause stands there already
        (None, "stop", ""),  # a picture
    ],
)
def test_the_first_reply_is_quoted_in_one_harmless_line(content: str | None, finish: str, quoted: str) -> None:
    with pytest.raises(UserError) as error:
        limits().count_rows([row(0, "parse_error", "cause", content, finish)])
    assert f"(parse_error: cause). `gamut show stage w-00000000` shows the first{quoted}. What was" in str(error.value)


def test_single_unusable_replies_stop_nothing_where_answers_are_judged() -> None:
    found = limits(total=100, counted=NOT_REACHED)
    found.count_rows([row(0, "ok")])
    for number in range(1, 51):
        found.count_rows([row(number, "parse_error")])
    assert (found.tally.failed, found.tally.unusable, len(found.failed)) == (0, 50, 50)
    found.count_rows([row(51, "parse_error"), row(51, "ok")])  # something was said about it
    with pytest.raises(UserError, match=r"the replies about 51 of 53 records cannot be used: w-00000001 \(") as error:
        found.count_rows([row(52, "parse_error", "no JSON")])
    assert "`gamut show stage w-00000001` shows the first, whose reply" in str(error.value)
    assert "`gamut retry stage`" in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(("total", "enough"), [(1000, 100), (100, 20)])
def test_a_model_that_never_gives_a_usable_reply_stops_after_a_tenth(total: int, enough: int) -> None:
    # a tenth of 1,000; 20, as a tenth of 100 is fewer;
    found = limits(total, counted=NOT_REACHED)
    for number in range(enough - 1):
        found.count_rows([row(number, "parse_error")])
    with pytest.raises(UserError, match=f"the replies about {enough} of {enough} records cannot be used"):
        found.count_rows([row(enough, "truncated")])


def test_a_record_with_several_failed_rows_counts_once() -> None:
    found = limits(failures=1)
    found.count_rows([row(0, "ok"), row(1, "truncated"), row(2, "parse_error")])
    assert (found.tally.done, found.tally.failed, noted(found)) == (1, 1, ["f1", "f2"])
    found.count_rows([])
    assert (found.tally.done, found.tally.failed) == (2, 1)


def test_cost_of_a_reply() -> None:
    # 1,000,000 tokens at 2 a million and 500,000 at 10 a million: 2 + 5 = 7
    assert limits().cost(CHAT, Reply(b"", "stop", 1_000_000, 500_000)) == 7.0
    assert limits().cost(PAINT, Reply(b"")) == 0.05
    assert limits().cost(PAINT, Reply(b"", "refused")) == 0.0


def test_cost_of_an_answer_counts_its_pictures() -> None:
    both = Create(("x" * 80, Picture(b"j")), ("text", "image"), 64, 64, 0)
    assert limits().cost(both, Reply(bundle(["a", b"\x89PNG", "b", b"\x89PNG"]))) == 0.1
    assert limits().cost(both, Reply(b"no picture")) == 0.0
    assert limits().cost(both, Reply(BUNDLE + b"damaged")) == 0.05
    assert limits().cost(both, Reply(b"\x89PNG", "length")) == 0.05
    assert limits().cost(both, Reply(b"\x89PNG", "refused")) == 0.0
    assert limits().cost(Create(("x",), ("text",), 0, 0, 0), Reply(b"\x89PNG")) == 0.0
    # 80 characters and a picture are 1,020 tokens at 2 a million, 0.00204, and one picture
    assert limits().least_cost(both) == pytest.approx(0.05204)
    assert limits().least_cost(Create(("x" * 80,), ("text",), 0, 0, 0)) == pytest.approx(0.00004)


def test_the_cost_limit_stops_before_it_is_passed() -> None:
    # Each request costs 1 of 2.5: after two, a third could come to 3.
    found = limits(cost=2.5, endpoint=Endpoint(input_price=1.0))
    for _ in range(2):
        with found.admit(CHAT):
            found.count_answer(CHAT, Reply(b"", "stop", 1_000_000))
    with pytest.raises(UserError) as error, found.admit(CHAT):
        pytest.fail("asked")
    assert str(error.value).startswith(
        "stopped before the cost limit: 2.0000 spent through the store .store by all stages and runs, requests in "
        "flight included, and max_cost in run.toml is 2.5. What was answered is kept: raise max_cost"
    )


def test_all_runs_and_stages_share_the_cost_limit() -> None:
    # One spends 2 of 3.5, another has 1 in flight at up to 1: a third may not send what could come to 4.
    one, other = (limits(cost=3.5, endpoint=Endpoint(input_price=1.0)) for _ in range(2))
    for _ in range(2):
        one.count_answer(CHAT, Reply(b"", "stop", 1_000_000))
    other.dearest = 1.0
    with other.admit(CHAT), pytest.raises(UserError, match=r"3\.0000 spent"), one.admit(CHAT):
        pytest.fail("asked")
    assert Path(".store/spent").read_text() == f"{2.0:<31.9f}\n"  # 2, since what was in flight came to nothing
    free = limits(cost=1.0, endpoint=Endpoint())
    with free.admit(CHAT):  # what costs nothing is asked, however much was spent
        free.count_answer(CHAT, Reply(b"", "stop", 1_000_000))


def test_what_a_killed_run_spent_counts() -> None:
    # It dies with 1 spent and 1 in flight, which its host may ask for: 2 of 2.5.
    code = """if True:
        import os
        from pathlib import Path
        from gamut.project.budgets import Budget
        budget = Budget(Path(".store"))
        budget.add(1.0)
        budget.add(1.0, 2.5)
        os.kill(os.getpid(), 9)"""
    assert subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": HERE}).returncode == -9
    with pytest.raises(UserError, match=r"2\.0000 spent"):
        Budget(Path(".store")).add(1.0, 2.5)


def test_a_damaged_count_of_what_was_spent_is_named() -> None:
    Path(".store").mkdir()
    Path(".store/spent").write_text("twelve\n")
    with pytest.raises(UserError, match=r"^\.store/spent must hold one number"):
        Budget(Path(".store")).add(1.0)


def test_requests_in_flight_count() -> None:
    # 1 spent and two in flight at up to 1 each: a fourth could come to 4, over 3.5.
    found = limits(cost=3.5, endpoint=Endpoint(input_price=1.0))
    found.count_answer(CHAT, Reply(b"", "stop", 1_000_000))
    with found.admit(CHAT), found.admit(CHAT), pytest.raises(UserError), found.admit(CHAT):
        pytest.fail("asked")
    assert found.in_flight == 0


def test_without_a_limit_all_is_asked() -> None:
    found = limits()
    for _ in range(9):
        with found.admit(CHAT):
            found.count_answer(CHAT, Reply(b"", "stop", 10**9))
    assert found.tally.asked == 9 and found.tally.cost == pytest.approx(18_000)


def test_the_estimate() -> None:
    # 2 chats of 1,110 tokens in the first tenth: 20 chats, 22,200 tokens at 2 a million = 0.0444
    assert limits().estimate([CHAT, CHAT], 0.1) == (
        "about 20 requests or more, 22,200 input tokens, cost 0.04 and what the replies add"
    )
    # 10 paintings at 0.05 in half: 20 of them, 1.00, and 20 * 20 tokens
    assert limits().estimate([PAINT] * 10, 0.5) == (
        "about 20 requests or more, 400 input tokens, cost 1.00 and what the replies add"
    )
    assert limits(endpoint=Endpoint()).estimate([CHAT], 1.0) == "about 1 request or more, 1,110 input tokens"
    assert limits().estimate([], 0.3) == "the first of them are answered already"
    assert limits().estimate([], 0.0) == "nothing to ask"


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0 s"), (59.6, "1 min 0 s"), (200, "3 min 20 s"), (18720, "5 h 12 min")]
)
def test_durations(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_the_line_of_a_tally() -> None:
    tally = Tally("score", 1000, done=250, asked=300, failed=2, cost=1.5)
    line = tally.line()
    assert line.startswith("score: 250 of 1,000 records, 300 asked, ")
    assert line.endswith(" left, 2 failed, cost 1.50")
    assert "left" not in Tally("score", 0).line()


def test_a_line_fits_into_a_terminal() -> None:
    """What matters least goes first: requests asked, the rate; in the end the name is shortened."""
    tally = Tally("prism.judge_controls@careful-world_strict", 6_000_000, 1_234_567, 1_234_567, 12, 3, 1234.5)
    whole = tally.line()
    assert len(whole) > 120
    fitted = tally.line(80)
    assert len(fitted) <= 80 and fitted.startswith(f"{tally.name}: 1,234,567 of 6,000,000 records")
    assert tally.line(100).endswith(" left, 12 failed") and len(tally.line(100)) <= 100
    assert tally.line(60) == "prism.judge_controls@carefu…: 1,234,567 of 6,000,000 records"


def test_what_is_not_reached_stops_a_judge_as_anybody() -> None:
    found = limits(1000, 1, counted=NOT_REACHED)
    found.count_rows([row(0, "transport_error")])
    with pytest.raises(UserError, match="2 of 2 records failed, at most 1 of 1,000 may fail"):
        found.count_rows([row(1, "parse_error"), row(1, "missing_output")])


def test_exactly_the_limit_may_be_spent() -> None:
    found = limits(cost=2.0, endpoint=Endpoint(input_price=1.0))
    found.count_answer(CHAT, Reply(b"", "stop", 1_000_000))
    with found.admit(CHAT):
        found.count_answer(CHAT, Reply(b"", "stop", 1_000_000))
    assert found.tally.cost == 2.0
