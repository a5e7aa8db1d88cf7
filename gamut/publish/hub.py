"""A repository on the Hugging Face Hub, a dataset or a Space: who may write to it, and what it contains now."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from gamut.project.errors import UserError, nearest_choice
from gamut.project.files import git_blob_id
from gamut.publish.files import File
from gamut.publish.troubles import explained_errors, short_message, with_retries, without_secrets

if TYPE_CHECKING:
    from huggingface_hub import HfApi


SILENT_SECONDS = 60.0
"""How long the Hub may stay silent: large commits take time."""
LICENCES = "https://huggingface.co/docs/hub/repositories-licenses"


Kind = Literal["dataset", "space"]


@dataclass(frozen=True)
class Remote:
    repo: str
    api: HfApi = field(repr=False)
    kind: Kind = "dataset"


@dataclass(frozen=True)
class RemoteFile:
    """A file on the Hub: its size in bytes, its sha256 if it is a large file, otherwise git's id of its content."""

    size: int
    sha256: str | None
    blob_id: str

    def is_like(self, file: File) -> bool:
        if self.sha256 is not None:
            return self.sha256 == file.sha256
        return self.size == file.size and self.blob_id == git_blob_id(file.read())

    def is_named_by(self, path: str) -> bool:
        """Return whether a path names the first digits of the sha256, as gamut's paths of row files do."""
        return self.sha256 is not None and path.partition(".")[0].endswith(f"-{self.sha256[:8]}")


@dataclass(frozen=True)
class State:
    commit: str
    files: Mapping[str, RemoteFile]


def open_remote(repo: str, kind: Kind = "dataset") -> Remote:
    from huggingface_hub import HfApi, constants, set_client_factory
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

    try:
        validate_repo_id(repo)
    except HFValidationError as error:
        raise UserError(f"{repo!r} cannot name a repository on the Hub: {error}") from None
    if not constants.ENDPOINT.startswith(("http://", "https://")):
        raise UserError(f"HF_ENDPOINT: http(s)://host is expected, not {without_secrets(constants.ENDPOINT)!r}")
    set_client_factory(patient_client)
    return Remote(repo, HfApi(library_name="gamut"), kind)


def is_offline() -> bool:
    """Return whether the environment says not to ask the Hub."""
    from huggingface_hub import constants

    return bool(constants.HF_HUB_OFFLINE)


def patient_client() -> Any:
    from huggingface_hub.utils._http import default_client_factory

    made = default_client_factory()
    made.timeout = SILENT_SECONDS
    return made


def repo_info(there: Remote, revision: str | None = None) -> Any:
    api, kind = there.api, there.kind
    return with_retries(lambda: api.repo_info(there.repo, revision=revision, repo_type=kind, timeout=SILENT_SECONDS))


def repo_exists(there: Remote) -> bool:
    from huggingface_hub.errors import RepositoryNotFoundError

    with explained_errors(there.repo):
        try:
            name = repo_info(there).id
        except RepositoryNotFoundError:
            return False
    if name != there.repo:
        raise UserError(
            f"{there.repo} was renamed to {short_message(name, 100)} on the Hub: fix its name in params.yaml"
        )
    return True


def repo_state(there: Remote, revision: str) -> State | None:
    """Return what a branch, tag or commit contains; None if it does not exist."""
    from huggingface_hub import RepoFile
    from huggingface_hub.errors import RevisionNotFoundError

    with explained_errors(there.repo):
        try:
            commit = repo_info(there, revision).sha
        except RevisionNotFoundError:
            return None
        tree = partial(there.api.list_repo_tree, there.repo, repo_type=there.kind, revision=commit, recursive=True)
        entries = with_retries(lambda: list(tree()))
    files = [entry for entry in entries if isinstance(entry, RepoFile)]
    return State(
        commit, {one.path: RemoteFile(one.size, one.lfs.sha256 if one.lfs else None, one.blob_id) for one in files}
    )


def repo_tags(there: Remote) -> dict[str, str]:
    with explained_errors(there.repo):
        refs = with_retries(lambda: there.api.list_repo_refs(there.repo, repo_type=there.kind))
    return {tag.name: tag.target_commit for tag in refs.tags}


def require_writer(there: Remote) -> None:
    """Raise UserError if there is no token, or if the token surely cannot write."""
    from huggingface_hub import get_token

    if get_token() is None:
        raise UserError("there is no token for the Hugging Face Hub: run `hf auth login`, or set HF_TOKEN")
    with explained_errors(there.repo):
        who = with_retries(there.api.whoami)
    match who:
        case {"name": str(name), "auth": {"accessToken": {"role": "read"}}}:
            raise UserError(
                f"the Hub's token of {short_message(name, 100)} can only read: make one that can write at "
                "https://huggingface.co/settings/tokens, then run `hf auth login`"
            )
        case {"name": str()}:
            return
    raise UserError(f"{there.repo}: the server does not say who you are, so it is not the Hub: fix HF_ENDPOINT")


def require_valid_card(there: Remote, card: str, licence: str, where: str) -> None:
    """Raise UserError if the Hub does not accept the card; `where` is the licence's key in params.yaml."""
    from huggingface_hub import DatasetCard, SpaceCard

    with explained_errors(there.repo):
        try:
            of = DatasetCard if there.kind == "dataset" else SpaceCard
            with_retries(lambda: of(card, ignore_metadata_errors=False).validate())
        except json.JSONDecodeError:
            raise
        except ValueError as error:
            mistakes = mistakes_in(str(error))
            if choices := re.search(r'"license" must be one of \[([^]]*)\]', mistakes):
                near = nearest_choice(licence, choices[1].split(", ")).partition("; known are")[0]
                raise UserError(
                    f"params.yaml: {where}: {licence!r} is not a licence of the Hub{near or f'; its list: {LICENCES}'}"
                ) from None
            raise UserError(f"{there.repo}: the Hub refuses the card: {short_message(mistakes)}") from None


def mistakes_in(answer: str) -> str:
    try:
        return "; ".join(str(mistake["message"]) for mistake in json.loads(answer)["errors"])
    except (ValueError, KeyError, TypeError):
        return answer
