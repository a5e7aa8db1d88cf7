"""Errors of the connection to the Hub: temporary ones are retried, others become one line, without a token.

The client retries reads of files and uploads by itself. Other requests (refs, tags, commits) are retried here, or by
the protocol, which first looks at what the Hub has accepted.
"""

from __future__ import annotations

import json
import re
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, TypeVar

from pydantic import Field, StringConstraints

from gamut.asking.progress import duration
from gamut.project.errors import UserError, system_refusal
from gamut.project.plain_text import harmless_text

WAITS = (1.0, 2.0, 4.0, 8.0, 16.0)
"""Seconds before each further attempt; a `Retry-After` of the Hub replaces them."""
LONGEST_WAIT = 120.0
BUSY = (408, 429, 500, 502, 503, 504)
"""Temporary statuses."""
STALE = 412
"""The status if somebody has committed in the meantime."""
NO_DATASET = "it does not exist on the Hub or is private: fix its name, or run `hf auth login`"
UNKNOWN_TOKEN = "Invalid credentials in Authorization header"
NO_XET = re.compile(r"404 Not Found.*/xet-(read|write)-token/")
"""The error of hf_xet if a Hub has no Xet storage."""
Result = TypeVar("Result")


def with_retries(ask: Callable[[], Result]) -> Result:
    """Ask, and retry for a while if the Hub is too busy or the connection breaks; print this once."""
    for number, wait in enumerate(WAITS):
        try:
            return ask()
        except Exception as error:
            if not is_passing(error):
                raise
            if number == 0:
                print_waiting(error)
            time.sleep(seconds_to_wait(error, wait))
    return ask()


def print_waiting(error: BaseException) -> None:
    print(f"{busy_words(cause_of(error))}: trying again for {duration(sum(WAITS))}", file=sys.stderr, flush=True)


def is_trouble(error: BaseException) -> bool:
    from huggingface_hub import errors

    kinds = errors.HTTPError, errors.XetDownloadError, errors.HFValidationError, OSError  # type: ignore[attr-defined]
    of_text = json.JSONDecodeError, UnicodeDecodeError
    # hf_xet raises RuntimeErrors; so do uploads, with the cause.
    found = isinstance(error, (*kinds, *of_text)) or type(error) is RuntimeError or is_of_client(error)
    return found and not isinstance(error, BrokenPipeError)  # nobody reads what we print


def is_of_client(error: BaseException) -> bool:
    """Return whether the client fails on an answer that is not a Hub's, or on an impossible token."""
    if not isinstance(error, AttributeError | KeyError | TypeError):
        return isinstance(error, UnicodeEncodeError)
    frames = [frame.f_globals.get("__name__", "") for frame, _ in traceback.walk_tb(error.__traceback__)]
    return "".join(frames[-1:]).partition(".")[0] == "huggingface_hub"


def is_passing(error: BaseException) -> bool:
    """Return whether an error is temporary; errors of hf_xet are not, it has retried already."""
    from huggingface_hub import errors

    if isinstance(error, errors.HfHubHTTPError):
        return error.response.status_code in BUSY
    if isinstance(error, errors.HTTPError):  # type: ignore[attr-defined]  # of httpx or httpx2, whichever it has
        return True
    return type(error) is RuntimeError and error.__cause__ is not None and is_passing(error.__cause__)


def is_stale(error: BaseException) -> bool:
    from huggingface_hub.errors import HfHubHTTPError

    return isinstance(error, HfHubHTTPError) and error.response.status_code == STALE


def seconds_to_wait(error: BaseException, wait: float) -> float:
    """Return the wait that the Hub asks for, at most LONGEST_WAIT; otherwise `wait`."""
    response = getattr(error, "response", None)
    asked = response.headers.get("Retry-After", "") if response is not None else ""
    return min(float(asked), LONGEST_WAIT) if re.fullmatch(r"\d+(\.\d+)?", asked) else wait


@contextmanager
def explained_errors(repo: str) -> Iterator[None]:
    """Turn errors of the client into a UserError that names the repository; our own errors pass through."""
    try:
        yield
    except Exception as error:
        if not is_trouble(error):
            raise
        raise UserError(f"{repo}: {error_meaning(cause_of(error))}") from None


def cause_of(error: BaseException) -> BaseException:
    """Return the cause of an error that only names the file that was not transferred."""
    from huggingface_hub.errors import LocalEntryNotFoundError

    beneath = error.__cause__
    if isinstance(error, LocalEntryNotFoundError):
        beneath = beneath or error.__context__
    elif type(error) is not RuntimeError:
        beneath = None
    return error if beneath is None else cause_of(beneath)


def error_meaning(error: Any) -> str:
    from huggingface_hub import errors

    if isinstance(error, errors.OfflineModeIsEnabled):
        return "offline mode does not reach the Hub: unset HF_HUB_OFFLINE"
    if isinstance(error, errors.HfHubHTTPError):
        return refusal_words(error)
    if isinstance(error, OSError) and (line := system_refusal(error)) is not None:
        return f"{line} and run it again; what was transferred is kept"
    if isinstance(error, ConnectionError) and NO_XET.search(str(error)):
        return f"{hub_host()} answers, but has no Xet storage: set HF_HUB_DISABLE_XET=1 and run it again"
    if isinstance(error, errors.HTTPError | ConnectionError | errors.LocalEntryNotFoundError):  # type: ignore[attr-defined]
        return f"{busy_words(error)}: check the network, and run it again"
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError | errors.FileMetadataError):
        return f"the server at {hub_host()} is not the Hub: fix HF_ENDPOINT, or look for a proxy in between"
    if isinstance(error, UnicodeEncodeError):
        return "HF_TOKEN or HF_ENDPOINT has characters that are not allowed in it: fix it"
    if isinstance(error, AttributeError | KeyError | TypeError):
        what = f"{type(error).__name__}: {short_message(error)}"
        return f"the client cannot read what {hub_host()} answers ({what}): fix HF_ENDPOINT, or upgrade huggingface_hub"
    if isinstance(error, errors.HFValidationError):
        return short_message(error)
    return f"{short_message(error)}: run it again"


def busy_words(error: Any) -> str:
    from huggingface_hub.errors import HfHubHTTPError

    if isinstance(error, HfHubHTTPError):
        return f"the Hub is busy or broken ({error.response.status_code})"
    return f"the Hub cannot be reached ({short_message(error)})"


def refusal_words(error: Any) -> str:
    from huggingface_hub import errors

    status = error.response.status_code
    if isinstance(error, errors.GatedRepoError):
        return "access is restricted: ask for it on its page, then run `hf auth login`"
    if status in BUSY:
        return f"{busy_words(error)}: run it again later; it continues where it stopped"
    if status == 401 and error.response.headers.get("X-Error-Message") == UNKNOWN_TOKEN:
        return "the Hub does not know the token: run `hf auth login`, or fix HF_TOKEN"
    if isinstance(error, errors.RepositoryNotFoundError):
        return NO_DATASET
    if isinstance(error, errors.RevisionNotFoundError):
        return "the Hub has no such version"
    if status in (401, 403):
        why = short_message(error.server_message or "not allowed")
        return f"the Hub refuses this token ({why}): it needs write access there"
    if status == STALE:
        return "somebody else keeps committing to it: run it again"
    return f"the Hub refuses ({status}): {short_message(error.server_message or error)}"


def short_message(what: object, most: int = 300) -> str:
    """Return the first line of `what`, without secrets and control characters."""
    text = without_secrets(str(what)).strip() or type(what).__name__
    line = next(line for line in text.splitlines() if line.strip())
    clean = " ".join(harmless_text(line).split()).rstrip(".:")
    return clean if len(clean) <= most else f"{clean[:most]}…"


Commit = Annotated[str, StringConstraints(pattern="^[0-9a-f]{40}$")]
"""Git's id of a commit, or of the content of a file."""
Sha256 = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
Size = Annotated[int, Field(ge=0, le=2**53)]


HIDDEN = "…"
TOKEN = re.compile(r"hf(_|%5f)[\w.~%+-]{6,}", re.IGNORECASE)
"""Tokens of any kind, such as hf_oauth_… with dots and dashes, also as written in an address."""
CREDENTIALS = re.compile(r"(?<=://)([^/?#\s:]*)(:[^/?#\s]*)?@")
"""A user, and perhaps a password, before the host."""


def without_secrets(text: str) -> str:
    """Hide what looks like a token, and user and password in an address (HF_ENDPOINT may have them)."""
    from huggingface_hub import get_token

    if token := get_token():
        text = text.replace(token, HIDDEN)
    return CREDENTIALS.sub(f"{HIDDEN}@", TOKEN.sub(HIDDEN, text))


def hub_host() -> str:
    """Return the host of HF_ENDPOINT, without user and password."""
    from huggingface_hub import constants

    return without_secrets(CREDENTIALS.sub("", constants.ENDPOINT)).partition("://")[2] or "HF_ENDPOINT"
