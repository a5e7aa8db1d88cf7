"""Limits on the failures and cost of a stage that asks: both are counted, and the stage stops before it passes one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

from gamut.asking.failed_rows import Failure
from gamut.asking.parts import unbundle
from gamut.asking.progress import Tally
from gamut.asking.requests import Chat, Create, Reply, Request, parts_of, pictures_of, wants_picture
from gamut.project.budgets import Budget, most_failures
from gamut.project.errors import UserError
from gamut.project.plain_text import amount, shorten_to_line
from gamut.project.settings import Endpoint
from gamut.tables.columns import Row

FAILURES = ("transport_error", "invalid_input", "parse_error", "truncated", "missing_output")
"""Statuses that count against a stage's `max_failures`. Refusals and `unsupported` are answers."""
NOT_REACHED = ("transport_error", "missing_output")
"""Statuses that count as failures when contestants' answers are judged: no reply came.

A reply that cannot be used may be caused by the answer itself (such as instructions painted on a picture), and a
contestant must not be able to stop a stage. `judge.max_unjudged` limits such replies."""
LEAST_TRIED, SHARE_TRIED = 20, 0.1
"""After so many records without one usable reply, the model is the cause."""
REMARKED = "ok with a remark"
"""The name under which rows are counted that are `ok` with a reason, such as a picture of another size than asked."""
MOST_NAMED = 3  # how many failures an error names
QUOTED_LENGTH = 200  # characters of the first reply that an error quotes
NamedFailure = Sequence[str]
"""A failed record as an error names it: its id, why it failed, and how its reply begins, if one came."""
CHARACTERS_PER_TOKEN = 4
"""For English; other scripts count by bytes in UTF-8, so a Chinese character is three quarters of a token."""
TOKENS_PER_IMAGE = 1000


class Limits:
    """Limits of one run: on failures with a status in `counted` (a count, or a share of all records), and on all cost.

    Other FAILURES stop a run only when replies cannot be used: all of the first tenth of the records (20 at least), or
    more than half of all. If no status is counted, failures never stop a run, because it studies how a model fails.
    """

    def __init__(
        self,
        tally: Tally,
        max_failures: int | float,
        budget: Budget,
        endpoint: Endpoint,
        model: str,
        counted: Collection[str] = FAILURES,
    ) -> None:
        self.tally, self.budget, self.endpoint, self.model = tally, budget, endpoint, model
        self.is_priced = bool(endpoint.input_price or endpoint.output_price or endpoint.image_price)
        self.counted = counted
        self.most_failures = most_failures(max_failures, tally.total)
        self.statuses: Counter[str] = Counter()
        self.first: list[NamedFailure] = []
        self.first_unusable: list[NamedFailure] = []
        self.examples: dict[str, str] = {}
        self.failed: list[Failure] = []
        self.in_flight = 0
        self.dearest = 0.0

    @contextmanager
    def admit(self, request: Request) -> Iterator[None]:
        """Count a request as in flight, at the highest cost so far. Raise UserError if that could pass the limit."""
        self.dearest = max(self.dearest, self.least_cost(request))
        reserved = self.dearest if self.is_priced and self.budget.max_cost is not None else None
        if reserved is not None:
            self.budget.add(reserved, self.budget.max_cost)
        self.in_flight += 1
        try:
            yield
        finally:
            self.in_flight -= 1
            if reserved:
                self.budget.add(-reserved)

    def count_answer(self, request: Request, reply: Reply) -> None:
        cost = self.cost(request, reply)
        self.dearest = max(self.dearest, cost)
        if cost:
            self.budget.add(cost)
        self.tally.cost += cost
        self.tally.tokens_read += reply.input_tokens
        self.tally.tokens_written += reply.output_tokens
        self.tally.count_asked()

    def cost(self, request: Request, reply: Reply) -> float:
        return reply_cost(request, reply, self.endpoint) if reply.cost is None else reply.cost

    def least_cost(self, request: Request) -> float:
        image = self.endpoint.image_price if wants_picture(request) else 0.0
        return input_tokens(request) * self.endpoint.input_price / 1e6 + image

    def count_rows(self, rows: Sequence[Row]) -> None:
        self.tally.done += 1
        for row in rows:
            status = REMARKED if row["status"] == "ok" and row.get("reason") else row["status"]
            self.statuses[status] += 1
            if status != "ok":
                self.examples.setdefault(status, f"{row['id']}: {row['reason']}")
        if not (failed := [row for row in rows if has_failed(row)]):
            return
        self.failed += failures_in(failed)
        if counted_rows := [row for row in failed if row["status"] in self.counted]:
            self.tally.failed += 1
            self.note_failure(counted_rows[0], self.first)
        elif self.counted and not any(row["status"] == "ok" for row in rows):
            self.tally.unusable += 1
            self.note_failure(failed[0], self.first_unusable)
        self.check_failures()

    def note_failure(self, row: Row, failures: list[NamedFailure]) -> None:
        if len(failures) < MOST_NAMED:
            failures.append((row["id"], f"{row['status']}: {row['reason']}", reply_beginning(row)))

    def in_words(self, failures: Sequence[NamedFailure]) -> str:
        first, _, reply = failures[0]
        quoted = f', whose reply begins "{reply}"' if reply else ""
        causes = "; ".join(f"{record} ({why})" for record, why, _ in failures)
        return f"{causes}. `gamut show {self.tally.name} {first}` shows the first{quoted}"

    def check_failures(self) -> None:
        where = f" at {', '.join(self.endpoint.urls)}" if self.endpoint.url else ""
        unusable, done, total = self.tally.unusable, self.tally.done, self.tally.total
        if 2 * unusable > total or unusable == done >= max(LEAST_TRIED, SHARE_TRIED * total):
            raise UserError(
                f"{self.model}{where}: the replies about {unusable:,} of {amount(done, 'record')} cannot be used: "
                f"{self.in_words(self.first_unusable)}. Fix the cause and run `gamut retry {self.tally.name}`; if the "
                "same model works for other inputs, these inputs are the cause"
            )
        if self.tally.failed > self.most_failures:
            raise UserError(
                f"{self.model}{where}: {self.tally.failed} of {amount(self.tally.done, 'record')} failed, at most "
                f"{self.most_failures} of {self.tally.total:,} may fail: {self.in_words(self.first)}. What was "
                f"answered is kept: fix the cause and run `dvc repro` again, or `gamut retry {self.tally.name}` to ask "
                "again where replies could not be parsed"
            )

    def estimate(self, requests: Iterable[Request], share: float) -> str:
        """Estimate what a run will ask from the first requests about its first records (`share` of all records)."""
        bill = [(input_tokens(request), self.least_cost(request)) for request in requests]
        count = round(len(bill) / share) if share else 0
        tokens = round(sum(tokens for tokens, _ in bill) / share) if share else 0
        cost = sum(cost for _, cost in bill) / share if share else 0.0
        if not count:
            return "the first of them are answered already" if share else "nothing to ask"
        words = f"about {amount(count, 'request')} or more, {tokens:,} input tokens"
        return words + (f", cost {cost:,.2f} and what the replies add" if cost else "")


def has_failed(row: Row) -> bool:
    """Return whether the request about a row failed. Rows with a broken input of their own were never asked."""
    return row["status"] in FAILURES and bool(row["replies"] or row["status"] != "invalid_input")


def failures_in(rows: Iterable[Row]) -> list[Failure]:
    return [
        Failure(
            id=row["id"],
            status=row["status"],
            reason=row["reason"],
            fingerprints=[reply["fingerprint"] for reply in row["replies"]],
        )
        for row in rows
        if has_failed(row)
    ]


def reply_beginning(row: Row) -> str:
    """Return the start of a row's last reply, in one line; "" when no reply came or it is no text."""
    last = row["replies"][-1] if row["replies"] else {"finish": None}
    return shorten_to_line(last["content"] or "", QUOTED_LENGTH) if last["finish"] in ("stop", "length") else ""


def reply_cost(request: Request, reply: Reply, endpoint: Endpoint) -> float:
    tokens = reply.input_tokens * endpoint.input_price + reply.output_tokens * endpoint.output_price
    return tokens / 1e6 + pictures_made(request, reply) * endpoint.image_price


def wants_text(request: Request) -> bool:
    return isinstance(request, Chat) or (isinstance(request, Create) and "text" in request.modalities)


def pictures_made(request: Request, reply: Reply) -> int:
    if not wants_picture(request) or reply.finish not in ("stop", "length"):
        return 0
    try:
        return len(unbundle(reply.content).pictures) if isinstance(request, Create) else 1
    except ValueError:
        return 1


def input_tokens(request: Request) -> int:
    """Estimate a request's input tokens: four bytes of text a token, 1,000 tokens a picture."""
    length = sum(len(part.encode(errors="replace")) for part in parts_of(request) if isinstance(part, str))
    return length // CHARACTERS_PER_TOKEN + picture_count(request) * TOKENS_PER_IMAGE


def picture_count(request: Request) -> int:
    return len(pictures_of(request))
