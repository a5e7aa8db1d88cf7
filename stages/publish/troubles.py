"""What goes wrong between here and the Hub: what passes is asked again, the rest is told in one line, without a token.

The client asks again by itself when it reads files and uploads; what it does not ask again (refs, tags, commits) is
asked again here, or by the protocol, which looks first at what the Hub has taken.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from stages.errors import UserError
from stages.stage import DISK_FULL

WAITS = (1.0, 2.0, 4.0, 8.0, 16.0)
"""Seconds before each further attempt; a `Retry-After` of the Hub takes their place."""
LONGEST_WAIT = 120.0
BUSY = (408, 429, 500, 502, 503, 504)
"""Statuses that pass."""
STALE = 412
"""Somebody has committed meanwhile."""
UNKNOWN_TOKEN = "Invalid credentials in Authorization header"
TOKEN = re.compile(r"hf_[A-Za-z0-9]{6,}")
Answer = TypeVar("Answer")


def patiently(ask: Callable[[], Answer]) -> Answer:
    """Ask, and ask again a while where the Hub is too busy or the connection breaks."""
    for wait in WAITS:
        try:
            return ask()
        except raised() as error:
            if not is_passing(error):
                raise
            time.sleep(wait_after(error, wait))
    return ask()


def raised() -> tuple[type[Exception], ...]:
    """What the client raises when something fails: its own errors, those of uploads (RuntimeError) and of hf_xet."""
    from huggingface_hub import errors

    return (errors.HTTPError, errors.XetDownloadError, RuntimeError, ValueError, OSError)  # type: ignore[attr-defined]


def is_passing(error: BaseException) -> bool:
    """Whether the same request may well succeed a little later: a busy Hub, or a connection that broke.

    What hf_xet raises has passed through many attempts of its own.
    """
    from huggingface_hub import errors

    if isinstance(error, errors.HfHubHTTPError):
        return error.response.status_code in BUSY
    if isinstance(error, errors.HTTPError):  # type: ignore[attr-defined]  # of httpx or httpx2, whichever it has
        return True
    return type(error) is RuntimeError and error.__cause__ is not None and is_passing(error.__cause__)


def is_stale(error: BaseException) -> bool:
    """Whether a commit was refused because there is another since."""
    from huggingface_hub.errors import HfHubHTTPError

    return isinstance(error, HfHubHTTPError) and error.response.status_code == STALE


def wait_after(error: BaseException, wait: float) -> float:
    """Seconds to wait: what the Hub asks for, but not beyond LONGEST_WAIT; else `wait`."""
    response = getattr(error, "response", None)
    asked = response.headers.get("Retry-After", "") if response is not None else ""
    return min(float(asked), LONGEST_WAIT) if re.fullmatch(r"\d+(\.\d+)?", asked) else wait


@contextmanager
def told(repo: str) -> Iterator[None]:
    """Turn whatever the client raises into a UserError that names the repository."""
    try:
        yield
    except raised() as error:
        cause = error.__cause__ if type(error) is RuntimeError and error.__cause__ is not None else error
        raise UserError(f"{repo}: {meaning(cause)}") from None


def meaning(error: Any) -> str:
    """What an error of the client means to a person."""
    from huggingface_hub import errors

    if isinstance(error, errors.OfflineModeIsEnabled):
        return "the Hub is not asked in offline mode: unset HF_HUB_OFFLINE"
    if isinstance(error, errors.HfHubHTTPError):
        return refusal(error)
    if isinstance(error, OSError) and error.errno in DISK_FULL:
        where = f" while writing {error.filename}" if error.filename else ""
        return f"the disk is full{where}: make room and run it again, what came is kept"
    if isinstance(error, errors.HTTPError | ConnectionError | errors.LocalEntryNotFoundError):  # type: ignore[attr-defined]
        return f"the Hub cannot be reached ({said(error)}): check the network, and run it again"
    return f"{said(error)}: run it again"


def refusal(error: Any) -> str:
    """What the Hub's answer means to a person."""
    from huggingface_hub import errors

    status = error.response.status_code
    if isinstance(error, errors.GatedRepoError):
        return "its owner lets in only some: ask on its page, then `hf auth login`"
    if status in BUSY:
        return f"the Hub is busy or broken ({status}): run it again later, it goes on where it was"
    if status == 401 and error.response.headers.get("X-Error-Message") == UNKNOWN_TOKEN:
        return "the Hub does not know the token: run `hf auth login`, or mend HF_TOKEN"
    if isinstance(error, errors.RepositoryNotFoundError):
        return "no such dataset on the Hub, or a private one: mend its name, or `hf auth login`"
    if isinstance(error, errors.RevisionNotFoundError):
        return "the Hub has no such version"
    if status in (401, 403):
        why = said(error.server_message or "not allowed")
        return f"the Hub refuses this token ({why}): it needs write access there"
    if status == STALE:
        return "somebody else keeps committing to it: run it again"
    return f"the Hub refuses ({status}): {said(error.server_message or error)}"


def said(what: object, most: int = 300) -> str:
    """The first line of what was said, not too long, without anything that looks like the token."""
    from huggingface_hub import get_token

    text = str(what).strip() or type(what).__name__
    line = next(line for line in text.splitlines() if line.strip()).strip().rstrip(".:")
    token = get_token()
    clean = TOKEN.sub("hf_…", line.replace(token, "hf_…") if token else line)
    return clean if len(clean) <= most else f"{clean[:most]}…"
