"""How long servers ask to be left alone: each way in which they say it, and which counts where there are several."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from stages.asking.models import pacing as delays

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
    assert delays.asked_to_wait(headers, body) == seconds


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
    assert delays.retry_after(value) == seconds


@pytest.mark.parametrize(
    ("now", "seconds"),
    [
        ("Sun, 06 Nov 1994 08:49:07 GMT", 30),
        ("Sun, 06 Nov 1994 08:49:38 GMT", 0),
        (None, 0),  # by this machine's clock that is past
    ],
)
def test_a_date_counts_from_the_server_s_own_clock(now: str | None, seconds: float):
    assert delays.retry_after("Sun, 06 Nov 1994 08:49:37 GMT", now) == seconds
