"""How huggingface_hub speaks with the Hub for us: it waits for nothing for ever, and does not all that an answer wants.

The client makes paths of headers, sends the token where answers lead it, waits as long as they say, turns pages as
long as there are any, and reads as many bytes as come. What would do harm is taken out of an answer before the client
sees it, and an answer ends where it is longer than it may be.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from stages.project.errors import UserError
from stages.publish.troubles import host

SILENT_SECONDS = 60.0
"""How long the Hub may say nothing: large commits take it a while."""
MOST_PAGES = 1_000
"""Of one list."""
MOST_BYTES = 16 * 2**20
"""Of an answer that is no file, and of a file that is read whole."""
PLAIN = {
    "X-Repo-Commit": r"[0-9a-f]{40}",
    "ETag": r'(W/)?"?[\w.:+=-]{1,128}"?',
    "X-Linked-ETag": r'(W/)?"?[\w.:+=-]{1,128}"?',
    "X-Xet-Hash": r"[0-9a-f]{64}",
    "X-Xet-Cas-Url": r"https?://.*",  # hf_xet also takes folders of this machine
    "X-Linked-Size": r"\d{1,15}",
    "Retry-After": r"\d{1,3}",
    "RateLimit": r"(?!.*\d{4}).*",
}
"""Headers that the client follows, and what it may follow; else they are taken out, and it does without or refuses."""
REFRESH = "X-Xet-Refresh-Route"


class Bound(NamedTuple):
    """How many bytes may come, and what is said of more."""

    bytes: int
    words: str


OF_FILE: ContextVar[Bound | None] = ContextVar("OF_FILE", default=None)
"""The bound of the file that is being brought."""
BOUND = "gamut.bound"
"""Keeps the bound in a request, from which the client copies it to those to which an answer leads."""


def use() -> None:
    """Have huggingface_hub use this client; and Xet, whose server may name folders of this machine, with Hugging
    Face alone: HF_HUB_DISABLE_XET=0 says that another Hub is trusted.
    """
    from huggingface_hub import constants, set_client_factory

    if origin(constants.ENDPOINT) not in own_origins() and os.environ.get("HF_HUB_DISABLE_XET") != "0":
        constants.HF_HUB_DISABLE_XET = True
    client_as_made()  # before others are
    set_client_factory(bounded_client)


@cache
def client_as_made() -> tuple[Any, list[Any]]:
    """Return the class of huggingface_hub's clients, which is of httpx or httpx2, and the hooks of their requests."""
    from huggingface_hub import get_session

    return type(get_session()), get_session().event_hooks["request"]


def bounded_client() -> Any:
    kind, hooks = client_as_made()
    requests = [*hooks, keep_token, ask_plainly, counting_pages()]
    hooks_of_both = {"request": requests, "response": [keep_plain, keep_bound]}
    return kind(event_hooks=hooks_of_both, follow_redirects=True, timeout=SILENT_SECONDS)


@contextmanager
def at_most(size: int, what: str) -> Iterator[None]:
    """Let no file that is brought meanwhile be longer: a UserError that begins with `what` comes before more bytes."""
    before = OF_FILE.set(Bound(size, f"{what} is longer than the {size:,} bytes that it may have"))
    try:
        yield
    finally:
        OF_FILE.reset(before)


def ask_plainly(request: Any) -> None:
    """Want an answer as it is, not packed: little of what is packed becomes much. Note the bound of a file."""
    request.headers["Accept-Encoding"] = "identity"
    if "/resolve/" in request.url.path:
        request.extensions[BOUND] = OF_FILE.get()


def keep_bound(response: Any) -> None:
    """Have a file (not an error, or what leads elsewhere) end with a UserError where it is longer than its bound."""
    headers = response.headers
    if headers.get("Content-Encoding", "identity") != "identity":
        raise UserError(f"{host()} sends packed what is asked for as it is: a proxy may stand between")
    bound = no_file = Bound(MOST_BYTES, f"an answer of {host()} is longer than {MOST_BYTES:,} bytes")
    if (of_file := response.request.extensions.get(BOUND)) is not None:
        require_size(headers.get("X-Linked-Size", ""), of_file)
        bound = of_file if response.is_success else no_file
    asked = re.match(r"bytes=(\d+)-", response.request.headers.get("Range", ""))
    if asked and response.status_code == 206:  # so much has come already
        bound = bound._replace(bytes=bound.bytes - int(asked[1]))
    require_size(headers.get("Content-Length", ""), bound)
    response.iter_raw = bounded(response.iter_raw, bound)  # whatever reads an answer reads it by this


def require_size(size: str, bound: Bound) -> None:
    """Raise UserError when a header says that more comes than may come; what is no number says nothing."""
    if re.fullmatch(r"\d{1,15}", size, re.ASCII) and int(size) > bound.bytes:
        raise too_long(bound)


def bounded(parts: Callable[..., Iterator[bytes]], bound: Bound) -> Callable[..., Iterator[bytes]]:
    def iterate(*arguments: Any, **options: Any) -> Iterator[bytes]:
        left = bound.bytes
        for part in parts(*arguments, **options):
            left -= len(part)
            if left < 0:
                raise too_long(bound)
            yield part

    return iterate


def too_long(bound: Bound) -> UserError:
    return UserError(f"{bound.words}: it was altered on the Hub, or a proxy stands between")


def keep_token(request: Any) -> None:
    """Take the token out of what goes to others than the Hub."""
    if not is_hub(str(request.url)):
        request.headers.pop("Authorization", None)


def keep_plain(response: Any) -> None:
    """Take headers out that the client must not follow."""
    for name, pattern in PLAIN.items():
        if name in response.headers and not re.fullmatch(pattern, response.headers[name], re.ASCII):
            del response.headers[name]
    if "X-Linked-Size" not in response.headers:  # hf_xet would write as much as its chunks have
        response.headers.pop("X-Xet-Hash", None)
    routes = (response.headers.get(REFRESH), response.links.get("xet-auth", {}).get("url"))
    if "X-Xet-Hash" in response.headers and not all(is_hub(route) for route in routes if route):
        del response.headers["X-Xet-Hash"]


def counting_pages() -> Any:
    """A hook that ends lists without end: so many calls in a row to one address, with other queries."""
    last, calls = "", 0

    def count(request: Any) -> None:
        nonlocal last, calls
        address = f"{request.url}".partition("?")[0]
        last, calls = address, calls + 1 if address == last and request.method == "GET" else 1
        if calls > MOST_PAGES:
            raise UserError(f"{host()}: a list has more than {MOST_PAGES:,} pages: it may have no end")

    return count


def is_hub(url: str) -> bool:
    from huggingface_hub import constants

    return origin(url) in {origin(constants.ENDPOINT), *own_origins()}


def own_origins() -> set[Any]:
    return {origin("https://huggingface.co"), origin("https://hf.co")}


def origin(url: str) -> Any:
    try:
        found = urlsplit(url)
        return found.scheme, found.hostname, found.port or {"http": 80, "https": 443}.get(found.scheme)
    except ValueError:
        return None
