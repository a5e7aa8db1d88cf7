"""What goes wrong between here and the Hub: what passes is asked again, the rest is told in one line, without a token.

The client asks again by itself when it reads files and uploads; what it does not ask again (refs, tags, commits) is
asked again here, or by the protocol, which looks first at what the Hub has taken.
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
"""Seconds before each further attempt; a `Retry-After` of the Hub takes their place."""
LONGEST_WAIT = 120.0
BUSY = (408, 429, 500, 502, 503, 504)
"""Statuses that pass."""
STALE = 412
"""Somebody has committed meanwhile."""
NO_DATASET = "no such dataset on the Hub, or a private one: fix its name, or `hf auth login`"
UNKNOWN_TOKEN = "Invalid credentials in Authorization header"
NO_XET = re.compile(r"404 Not Found.*/xet-(read|write)-token/")
"""What hf_xet says of a Hub that answers and knows nothing of Xet."""
Result = TypeVar("Result")


def with_retries(ask: Callable[[], Result]) -> Result:
    """Ask, and ask again a while where the Hub is too busy or the connection breaks; say so once."""
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
    # Of hf_xet, and of uploads, whose cause is told, RuntimeErrors come.
    found = isinstance(error, (*kinds, *of_text)) or type(error) is RuntimeError or is_of_client(error)
    return found and not isinstance(error, BrokenPipeError)  # nobody reads what we print


def is_of_client(error: BaseException) -> bool:
    """Whether the client stumbles over an answer that is no Hub's, or a token that is none."""
    if not isinstance(error, AttributeError | KeyError | TypeError):
        return isinstance(error, UnicodeEncodeError)
    frames = [frame.f_globals.get("__name__", "") for frame, _ in traceback.walk_tb(error.__traceback__)]
    return "".join(frames[-1:]).partition(".")[0] == "huggingface_hub"


def is_passing(error: BaseException) -> bool:
    """What hf_xet raises has passed through many attempts already."""
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
    """What the Hub asks for, but not beyond LONGEST_WAIT; else `wait`."""
    response = getattr(error, "response", None)
    asked = response.headers.get("Retry-After", "") if response is not None else ""
    return min(float(asked), LONGEST_WAIT) if re.fullmatch(r"\d+(\.\d+)?", asked) else wait


@contextmanager
def explained_errors(repo: str) -> Iterator[None]:
    """Turn what the client raises into a UserError that names the repository; mistakes of ours stay what they are."""
    try:
        yield
    except Exception as error:
        if not is_trouble(error):
            raise
        raise UserError(f"{repo}: {error_meaning(cause_of(error))}") from None


def cause_of(error: BaseException) -> BaseException:
    """What lies beneath an error that only says which file did not go up, or come."""
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
        return "the Hub is not asked in offline mode: unset HF_HUB_OFFLINE"
    if isinstance(error, errors.HfHubHTTPError):
        return refusal_words(error)
    if isinstance(error, OSError) and (line := system_refusal(error)) is not None:
        return f"{line} and run it again, what came is kept"
    if isinstance(error, ConnectionError) and NO_XET.search(str(error)):
        return f"{hub_host()} answers, and has no Xet: set HF_HUB_DISABLE_XET=1 and run it again"
    if isinstance(error, errors.HTTPError | ConnectionError | errors.LocalEntryNotFoundError):  # type: ignore[attr-defined]
        return f"{busy_words(error)}: check the network, and run it again"
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError | errors.FileMetadataError):
        return f"what answers at {hub_host()} is not the Hub: fix HF_ENDPOINT, or a proxy stands between"
    if isinstance(error, UnicodeEncodeError):
        return "HF_TOKEN, or HF_ENDPOINT, has signs that stand in no token and no address: fix it"
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
        return "its owner lets in only some: ask on its page, then `hf auth login`"
    if status in BUSY:
        return f"{busy_words(error)}: run it again later, it goes on where it was"
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
    """The first line of `what`, without secrets and control characters."""
    text = without_secrets(str(what)).strip() or type(what).__name__
    line = next(line for line in text.splitlines() if line.strip())
    clean = " ".join(harmless_text(line).split()).rstrip(".:")
    return clean if len(clean) <= most else f"{clean[:most]}…"


Commit = Annotated[str, StringConstraints(pattern="^[0-9a-f]{40}$")]
"""What git calls a commit, or the content of a file."""
Sha256 = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
Size = Annotated[int, Field(ge=0, le=2**53)]


HIDDEN = "…"
TOKEN = re.compile(r"hf(_|%5f)[\w.~%+-]{6,}", re.IGNORECASE)
"""Of any kind, such as hf_oauth_… with its dots and dashes, also as it stands in an address."""
CREDENTIALS = re.compile(r"(?<=://)([^/?#\s:]*)(:[^/?#\s]*)?@")
"""User and perhaps a password before the host."""


def without_secrets(text: str) -> str:
    """Hide what looks like a token, or stands as user and password in an address, as HF_ENDPOINT may have them."""
    from huggingface_hub import get_token

    if token := get_token():
        text = text.replace(token, HIDDEN)
    return CREDENTIALS.sub(f"{HIDDEN}@", TOKEN.sub(HIDDEN, text))


def hub_host() -> str:
    """Who is asked, by HF_ENDPOINT, without user and password."""
    from huggingface_hub import constants

    return without_secrets(CREDENTIALS.sub("", constants.ENDPOINT)).partition("://")[2] or "HF_ENDPOINT"
