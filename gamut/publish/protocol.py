"""Make the Hub contain exactly the files of a version, and only then tag it.

Every attempt first reads what the Hub contains, and commits only on top of that. So a run that was killed, or whose
answer was lost, continues when it runs again: one set of commits, one tag. Commits by others in the meantime are read,
not overwritten. A reader of a tag sees the whole version or nothing. A large version takes several commits: first
shards, under paths that no earlier version names, then everything that makes them a version.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from gamut.asking.progress import Pace
from gamut.project.errors import UserError
from gamut.project.plain_text import name_first
from gamut.publish import hub, troubles
from gamut.publish.files import BESIDE_FOLDERS, IMAGES, MANIFEST, PICTURES, REPORT_MARK, File, Say, size_words
from gamut.publish.hub import Kind, Remote, RemoteFile, State
from gamut.publish.parameters import precedence
from gamut.publish.products import DATA
from gamut.publish.versions import parse_manifest, read_file

BRANCH = "main"
UPLOADED_AT_ONCE = 50
MOST_FILES = 100
"""The most files that one commit adds (the Hub advises 50 to 100)."""
SHARDS = (DATA, IMAGES, *BESIDE_FOLDERS)
OWN_FOLDERS = (*SHARDS, PICTURES)
OWN_FILES = (MANIFEST, "README.md")
HARMLESS = (".gitattributes", "README.md", "LICENSE", "LICENSE.md", "LICENSE.txt")
"""Files that may be in a repository before its first version."""


@dataclass(frozen=True)
class Plan:
    """Files that differ from the Hub's or are missing there, and gamut's paths that this version does not have."""

    add: Sequence[File]
    delete: Sequence[str]

    @property
    def size(self) -> int:
        return sum(file.size for file in self.add)

    @property
    def paths(self) -> list[str]:
        return [*(file.path for file in self.add), *self.delete]

    def __bool__(self) -> bool:
        return bool(self.add or self.delete)


def plan_changes(files: Sequence[File], held: Mapping[str, RemoteFile], kind: Kind = "dataset") -> Plan:
    """Return what to add and delete. Files of others stay; next to pages only a licence and the like stay."""
    paths = {file.path for file in files}
    add = [file for file in files if file.path not in held or not held[file.path].is_like(file)]
    return Plan(add, [path for path in sorted(held) if is_own(path, kind) and path not in paths])


def is_own(path: str, kind: Kind) -> bool:
    return path not in HARMLESS if kind == "space" else path.startswith(OWN_FOLDERS) or path in OWN_FILES


def foreign_files(held: Mapping[str, RemoteFile]) -> list[str]:
    """Return the files of others. Shards whose paths name their bytes are gamut's own: they may be of a large first
    version that was interrupted.
    """
    return [path for path, file in sorted(held.items()) if path not in HARMLESS and not file.is_named_by(path)]


def split_commits(whole: Plan) -> Iterator[Plan]:
    """Yield one commit, or new shards, `MOST_FILES` at a time, and then the rest."""
    shards = [file for file in whole.add if file.path.startswith(SHARDS) and not file.path.endswith(".json")]
    if len(whole.add) <= MOST_FILES:
        shards = []
    for start in range(0, len(shards), MOST_FILES):
        yield Plan(shards[start : start + MOST_FILES], [])
    first = {file.path for file in shards}
    yield Plan([file for file in whole.add if file.path not in first], whole.delete)


@dataclass(frozen=True)
class Change:
    """A version to publish: its product, its number (pages have none), its files, and the text of its commits."""

    product: str
    version: str | None
    files: Sequence[File]
    title: str
    description: str

    @property
    def tag(self) -> str:
        return f"v{self.version}"


def tagged_commit(there: Remote, tag: str, files: Sequence[File]) -> str | None:
    """Return the commit of a version that the Hub has already, if any; UserError if the tag has other content."""
    commit = hub.repo_tags(there).get(tag)
    state = hub.repo_state(there, commit) if commit else None
    if state is None:
        return None
    if other := plan_changes(files, state.files):
        raise UserError(
            f"{there.repo}: {tag} exists with other content ({first_path(other.paths)}): bump `version` in params.yaml"
        )
    return state.commit


def missing_changes(there: Remote, commit: str, files: Sequence[File]) -> Plan:
    state = hub.repo_state(there, commit)
    return plan_changes(files, state.files if state else {}, there.kind)


def branch_head(there: Remote) -> State:
    state = hub.repo_state(there, BRANCH)
    if state is None:
        raise UserError(f"{there.repo} has no branch {BRANCH}: make one on its page, or choose another repository")
    return state


def create_repo(there: Remote, private: bool) -> None:
    make = partial(there.api.create_repo, there.repo, repo_type=there.kind, private=private, exist_ok=True)
    with troubles.explained_errors(there.repo):
        troubles.with_retries(partial(make, space_sdk="static") if there.kind == "space" else make)


def push_version(there: Remote, change: Change, say: Say) -> str:
    """Make the branch contain the files; return the commit, which was read back and checked."""
    for wait in (*troubles.WAITS, None):
        state = branch_head(there)
        todo = plan_changes(change.files, state.files, there.kind)
        if not todo:
            return state.commit
        require_own(there, state, change)
        if change.version is not None:
            tagged_commit(there, change.tag, change.files)
        try:
            commit = send_commits(there, change, todo, state.commit, say)
        except Exception as error:
            stale = troubles.is_stale(error)
            if wait is None or not (stale or troubles.is_passing(error)):
                with troubles.explained_errors(there.repo):
                    raise
            if not stale:
                troubles.print_waiting(error)
            time.sleep(troubles.seconds_to_wait(error, wait))
            continue
        require_held(there, commit, change.files)
        return commit
    raise AssertionError("the last attempt returns or raises")


def require_own(there: Remote, state: State, change: Change) -> None:
    """Raise UserError if the branch has data of others, of another product, or of a later version."""
    if (REPORT_MARK if there.kind == "space" else MANIFEST) not in state.files:
        if others := foreign_files(state.files):
            raise UserError(
                f"{there.repo} holds files that gamut did not publish ({first_path(others)}): choose another repository"
            )
        return
    if change.version is None:
        return
    manifest = parse_manifest(read_file(there, MANIFEST, state.commit) or b"", f"{there.repo}@{state.commit[:8]}")
    if manifest.name != change.product:
        raise UserError(f"{there.repo} holds {manifest.name!r}: choose another repository for {change.product!r}")
    if precedence(manifest.version) > precedence(change.version):
        raise UserError(
            f"{there.repo} already holds version {manifest.version}, later than {change.version}: bump `version`"
        )


def send_commits(there: Remote, change: Change, todo: Plan, parent: str, say: Say) -> str:
    """Upload and commit what the branch lacks, whose head is `parent`; return the last commit."""
    from huggingface_hub import CommitOperationDelete

    pace = Pace(change.title, todo.size, say=say, shown=size_words)
    steps = list(split_commits(todo))
    for number, step in enumerate(steps, start=1):
        operations: list[Any] = []
        for start in range(0, len(step.add), UPLOADED_AT_ONCE):
            lot = step.add[start : start + UPLOADED_AT_ONCE]
            operations += upload_files(there, lot)
            pace.moved(sum(file.size for file in lot))
        part = f" ({number} of {len(steps)})" if len(steps) > 1 else ""
        done = there.api.create_commit(
            there.repo,
            [*operations, *(CommitOperationDelete(path, is_folder=False) for path in step.delete)],
            repo_type=there.kind,
            revision=BRANCH,
            parent_commit=parent,
            commit_message=change.title + part,
            commit_description=change.description,
        )
        parent = done.oid
    return parent


def upload_files(there: Remote, lot: Sequence[File]) -> list[Any]:
    """Upload large files to the Hub's storage, still invisible; UserError for bytes that differ from the manifest."""
    from huggingface_hub import CommitOperationAdd

    for file in lot:
        if isinstance(file.source, Path) and not file.source.is_file():
            raise UserError(f"{file.source} is missing: `dvc checkout {file.source.parent}` brings it back")
    operations = [CommitOperationAdd(file.path, file.source) for file in lot]
    there.api.preupload_lfs_files(there.repo, operations, repo_type=there.kind, revision=BRANCH)
    for file, operation in zip(lot, operations, strict=True):
        info = operation.upload_info
        if info.is_hashed and info.sha256.hex() != file.sha256:
            raise UserError(
                f"{file.path} differs from its manifest (sha256 {info.sha256.hex()[:8]}, not {file.sha256[:8]}): "
                "`dvc checkout --force` brings back what was built"
            )
    return operations


def require_held(there: Remote, commit: str, files: Sequence[File]) -> None:
    if other := missing_changes(there, commit, files):
        raise UserError(
            f"{there.repo}: commit {commit[:8]} does not hold what was sent ({first_path(other.paths)}); nothing was "
            "tagged: run it again"
        )


def tag_commit(there: Remote, name: str, commit: str) -> None:
    """Tag a commit, without a message so that git can fetch it by its tag; UserError if the tag is elsewhere."""
    from huggingface_hub.errors import HfHubHTTPError

    def create() -> None:
        try:
            there.api.create_tag(there.repo, repo_type=there.kind, tag=name, revision=commit)
        except HfHubHTTPError as error:
            if error.response.status_code != 409:  # it may be ours: the answer to an earlier attempt was lost
                raise

    with troubles.explained_errors(there.repo):
        troubles.with_retries(create)
    found = hub.repo_tags(there).get(name)
    if found is None:
        raise UserError(f"{there.repo}: the tag {name} was made but is gone: run it again")
    if found != commit:
        raise UserError(f"{there.repo}: somebody else has set {name} to {found[:8]}, not {commit[:8]}: bump `version`")


def first_path(paths: Sequence[str]) -> str:
    return name_first([repr(path) for path in paths], 1)
