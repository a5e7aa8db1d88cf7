"""A dataset repository on the Hugging Face Hub: what it holds now, and everything that goes wrong there in one line.

The client asks again by itself when it reads files and uploads; what it does not ask again (refs, tags, commits) is
asked again here, or by the protocol, which looks first at what the Hub has taken.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from stages.errors import UserError
from stages.publish.files import File
from stages.stage import DISK_FULL

if TYPE_CHECKING:
    from huggingface_hub import HfApi

WAITS = (1.0, 2.0, 4.0, 8.0, 16.0)
"""Seconds before each further attempt; a `Retry-After` of the Hub takes their place."""
LONGEST_WAIT = 120.0
BUSY = (408, 429, 500, 502, 503, 504)
"""Statuses that pass."""
STALE = 412
"""Somebody has committed meanwhile."""
TOKEN = re.compile(r"hf_[A-Za-z0-9]{6,}")
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Remote:
    """A dataset repository on the Hub, and how it is asked."""

    repo: str
    api: HfApi = field(repr=False)


@dataclass(frozen=True)
class Held:
    """A file that the Hub holds: size in bytes; sha256 if it is a large file, else the id git gives its content."""

    size: int
    sha256: str | None
    blob_id: str

    def is_like(self, file: File) -> bool:
        """Whether it has this file's bytes."""
        if self.sha256 is not None:
            return self.sha256 == file.sha256
        return self.size == file.size and self.blob_id == git_blob_id(file.read())

    def is_named_by(self, path: str) -> bool:
        """Whether its path names the first digits of its sha256, as those of gamut's files of rows do."""
        return self.sha256 is not None and path.partition(".")[0].endswith(f"-{self.sha256[:8]}")


@dataclass(frozen=True)
class State:
    """What a branch or tag holds: its commit, and every file by its path."""

    commit: str
    files: Mapping[str, Held]


def remote(repo: str) -> Remote:
    """A repository by its id, not asked yet; UserError for an id that cannot be one."""
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

    try:
        validate_repo_id(repo)
    except HFValidationError as error:
        raise UserError(f"{repo!r} cannot name a repository on the Hub: {error}") from None
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", repo):
        raise UserError(f"{repo!r} cannot name a repository on the Hub: owner/name is wanted")
    return Remote(repo, HfApi(library_name="gamut"))


def exists(there: Remote) -> bool:
    """Whether the dataset is there, and may be seen; a UserError when a model or space has its name instead."""
    from huggingface_hub.errors import RepositoryNotFoundError

    with told(there):
        try:
            patiently(lambda: there.api.dataset_info(there.repo))
            return True
        except RepositoryNotFoundError:
            for kind in ("model", "space"):
                if patiently(partial(there.api.repo_exists, there.repo, repo_type=kind)):
                    raise UserError(
                        f"{there.repo} is a {kind} on the Hub, not a dataset: choose another name"
                    ) from None
    return False


def state(there: Remote, revision: str) -> State | None:
    """What a branch, tag or commit holds; None where there is none of this name. The repository has to be there."""
    from huggingface_hub import RepoFile
    from huggingface_hub.errors import RevisionNotFoundError

    with told(there):
        try:
            commit = patiently(lambda: there.api.dataset_info(there.repo, revision=revision)).sha
        except RevisionNotFoundError:
            return None
        assert commit is not None
        entries = patiently(
            lambda: list(there.api.list_repo_tree(there.repo, repo_type="dataset", revision=commit, recursive=True))
        )
    return State(
        commit,
        {
            entry.path: Held(entry.size, entry.lfs.sha256 if entry.lfs else None, entry.blob_id)
            for entry in entries
            if isinstance(entry, RepoFile)
        },
    )


def tags(there: Remote) -> dict[str, str]:
    """The commit of every tag."""
    with told(there):
        refs = patiently(lambda: there.api.list_repo_refs(there.repo, repo_type="dataset"))
    return {tag.name: tag.target_commit for tag in refs.tags}


def demand_writer(there: Remote) -> None:
    """Raise UserError without a token, or when its right to write can be ruled out."""
    from huggingface_hub import get_token

    if get_token() is None:
        raise UserError("no token of the Hugging Face Hub is here: run `hf auth login`, or set HF_TOKEN")
    with told(there):
        who = patiently(there.api.whoami)
    access = who.get("auth", {}).get("accessToken", {})
    if access.get("role") == "read":
        raise UserError(
            f"the Hub's token of {who.get('name')} may only read: make one that may write at "
            "https://huggingface.co/settings/tokens, then `hf auth login`"
        )


def demand_valid_card(there: Remote, card: str) -> None:
    """Raise UserError when the Hub does not accept the card's front matter, such as its licence."""
    from huggingface_hub import DatasetCard

    with told(there):
        try:
            patiently(lambda: DatasetCard(card, ignore_metadata_errors=False).validate())
        except ValueError as error:
            raise UserError(f"{there.repo}: the Hub refuses the card: {refused_metadata(str(error))}") from None


def refused_metadata(answer: str) -> str:
    """The mistakes that the Hub names in its answer to a card."""
    try:
        mistakes = [str(mistake["message"]) for mistake in json.loads(answer)["errors"]]
    except (ValueError, KeyError, TypeError):
        mistakes = [answer]
    return shorten(said("; ".join(mistakes)))


def shorten(text: str, most: int = 300) -> str:
    """A text of at most so many characters."""
    return text if len(text) <= most else f"{text[:most]}…"


def patiently(ask: Callable[[], Answer]) -> Answer:
    """Ask, and ask again a while where the Hub is too busy or the connection breaks."""
    for wait in WAITS:
        try:
            return ask()
        except passing() as error:
            if not is_passing(error):
                raise
            time.sleep(wait_after(error, wait))
    return ask()


def passing() -> tuple[type[BaseException], ...]:
    """What the client raises when a request fails."""
    from huggingface_hub import errors

    return (errors.HTTPError, RuntimeError)  # type: ignore[attr-defined]  # of httpx or httpx2, whichever it has


def is_passing(error: BaseException) -> bool:
    """Whether the same request may well succeed a little later: a busy Hub, or a connection that broke."""
    from huggingface_hub import errors

    if isinstance(error, errors.HfHubHTTPError):
        return error.response.status_code in BUSY
    if type(error) is RuntimeError:  # an upload that failed, see its cause
        return error.__cause__ is not None and is_passing(error.__cause__)
    return isinstance(error, errors.HTTPError)  # type: ignore[attr-defined]


def wait_after(error: BaseException, wait: float) -> float:
    """Seconds to wait: what the Hub asks for, but not beyond LONGEST_WAIT; else `wait`."""
    response = getattr(error, "response", None)
    asked = response.headers.get("Retry-After", "") if response is not None else ""
    return min(float(asked), LONGEST_WAIT) if re.fullmatch(r"\d+(\.\d+)?", asked) else wait


@contextmanager
def told(there: Remote) -> Iterator[None]:
    """Turn whatever the client raises into a UserError of one line, without a token in it."""
    from huggingface_hub import errors

    try:
        yield
    except errors.OfflineModeIsEnabled:
        raise UserError(f"{there.repo}: the Hub is not asked in offline mode: unset HF_HUB_OFFLINE") from None
    except errors.LocalTokenNotFoundError:
        raise UserError("no token of the Hugging Face Hub is here: run `hf auth login`, or set HF_TOKEN") from None
    except errors.HfHubHTTPError as error:
        raise UserError(f"{there.repo}: {refusal(error)}") from None
    except (errors.HTTPError, RuntimeError, ConnectionError) as error:  # type: ignore[attr-defined]
        cause = error.__cause__ if type(error) is RuntimeError and error.__cause__ is not None else error
        if isinstance(cause, errors.HfHubHTTPError):
            raise UserError(f"{there.repo}: {refusal(cause)}") from None
        raise UserError(
            f"{there.repo}: the Hub cannot be reached ({said(cause)}): check the network, and run it again"
        ) from None
    except OSError as error:
        if error.errno not in DISK_FULL:
            raise
        where = f" while writing {error.filename}" if error.filename else ""
        raise UserError(
            f"{there.repo}: the disk is full{where}: make room and run it again, what came is kept"
        ) from None


def refusal(error: Any) -> str:
    """What the Hub's answer means to a person."""
    from huggingface_hub import errors

    status = error.response.status_code
    if isinstance(error, errors.GatedRepoError):
        return "its owner lets in only some: ask on its page, then `hf auth login`"
    if status in BUSY:
        return f"the Hub is busy or broken ({status}): run it again later, it goes on where it was"
    if status == 401 and error.response.headers.get("X-Error-Message") == "Invalid credentials in Authorization header":
        return "the Hub does not know the token: run `hf auth login`, or mend HF_TOKEN"
    if isinstance(error, errors.RepositoryNotFoundError):
        return "no such dataset on the Hub, or a private one: mend its name, or `hf auth login`"
    if isinstance(error, errors.RevisionNotFoundError):
        return "the Hub has no such version"
    if status in (401, 403):
        return (
            f"the Hub refuses this token ({said(error.server_message or 'not allowed')}): it needs write access there"
        )
    if status == STALE:
        return "somebody else keeps committing to it: run it again"
    return f"the Hub refuses ({status}): {said(error.server_message or error)}"


def said(what: object) -> str:
    """The first line of what was said, without anything that looks like the token."""
    from huggingface_hub import get_token

    text = str(what).strip() or type(what).__name__
    line = next(line for line in text.splitlines() if line.strip()).strip().rstrip(".:")
    token = get_token()
    return TOKEN.sub("hf_…", line.replace(token, "hf_…") if token else line)


def git_blob_id(content: bytes) -> str:
    """The id that git gives a file's content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
