"""Make the Hub hold exactly the files of a version, and then, only then, tag it.

Every step begins with a look at what the Hub holds, so that a run that was killed anywhere, or whose answer was lost,
goes on from there when it runs again: one set of commits, one tag. Who reads a tag sees the whole version or nothing.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stages.errors import UserError
from stages.publish import hub, troubles
from stages.publish.downloads import small_file
from stages.publish.files import MANIFEST, File
from stages.publish.hub import Remote, State
from stages.publish.meter import Meter, Say
from stages.publish.plan import Plan, commits, is_own, plan
from stages.publish.versions import parsed
from stages.tables import sha256_of

BRANCH = "main"
UPLOADED_AT_ONCE = 50


def tagged(there: Remote, tag: str, files: Sequence[File]) -> str | None:
    """The commit of a version that the Hub has already, None when it has none of this tag.

    UserError when the tag holds anything else than these files.
    """
    held = hub.state(there, tag) if tag in hub.tags(there) else None
    if held is None:
        return None
    if other := plan(files, held.files):
        paths = [file.path for file in other.add] + list(other.delete)
        raise UserError(
            f"{there.repo}: {tag} is taken by other content ({named(paths)}): bump `version` in params.yaml"
        )
    return held.commit


def head(there: Remote, revision: str = BRANCH) -> State:
    """What a branch holds."""
    held = hub.state(there, revision)
    if held is None:
        raise UserError(
            f"{there.repo}: it has no branch {revision}: make one on its page, or choose another repository"
        )
    return held


def create(there: Remote, private: bool) -> None:
    """Make the repository; one that is there by now is as good."""
    with troubles.told(there.repo):
        troubles.patiently(
            lambda: there.api.create_repo(there.repo, repo_type="dataset", private=private, exist_ok=True)
        )


def bring(there: Remote, files: Sequence[File], revision: str, title: str, description: str, say: Say) -> str:
    """Make a branch hold the files; return the commit that does, which has been read back."""
    for wait in (*troubles.WAITS, None):
        held = head(there, revision)
        todo = plan(files, held.files)
        if not todo:
            return held.commit
        try:
            commit = send(there, todo, held.commit, revision, title, description, say)
        except troubles.raised() as error:
            if wait is None or not (troubles.is_stale(error) or troubles.is_passing(error)):
                with troubles.told(there.repo):
                    raise
            time.sleep(troubles.wait_after(error, wait))
            continue
        demand_held(there, commit, files)
        return commit
    raise AssertionError("the last attempt returns or raises")


def send(there: Remote, todo: Plan, parent: str, revision: str, title: str, description: str, say: Say) -> str:
    """Upload and commit what is missing on a branch whose head is `parent`; return the last commit."""
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    meter = Meter(len(todo.add), todo.size, say)
    steps = list(commits(todo))
    for number, step in enumerate(steps, start=1):
        adds: list[Any] = []
        for start in range(0, len(step.add), UPLOADED_AT_ONCE):
            lot = step.add[start : start + UPLOADED_AT_ONCE]
            for file in lot:
                demand_unchanged(file)
            operations = [CommitOperationAdd(file.path, file.source) for file in lot]
            there.api.preupload_lfs_files(there.repo, operations, repo_type="dataset", revision=revision)
            adds += operations
            meter.moved(len(lot), sum(file.size for file in lot))
        part = f" ({number} of {len(steps)})" if len(steps) > 1 else ""
        done = there.api.create_commit(
            there.repo,
            [*adds, *(CommitOperationDelete(path, is_folder=False) for path in step.delete)],
            repo_type="dataset",
            revision=revision,
            parent_commit=parent,
            commit_message=title + part,
            commit_description=description,
        )
        parent = done.oid
    return parent


def demand_unchanged(file: File) -> None:
    """Raise UserError when a file here is not what the manifest of its table says."""
    if not isinstance(file.source, Path):
        return
    try:
        found = sha256_of(file.source)
    except FileNotFoundError:
        found = "no file"
    if found != file.sha256:
        raise UserError(
            f"{file.source} is not what its manifest says ({found[:8]}, not {file.sha256[:8]}): "
            f"`dvc checkout --force {file.source.parent}` brings it back"
        )


def demand_held(there: Remote, commit: str, files: Sequence[File]) -> None:
    """Read a commit back; UserError when it does not hold exactly these files."""
    held = hub.state(there, commit)
    other = plan(files, held.files if held else {})
    if other:
        paths = [file.path for file in other.add] + list(other.delete)
        raise UserError(
            f"{there.repo}: commit {commit[:8]} does not hold what was sent ({named(paths)}); nothing was tagged: "
            "run it again"
        )


def tag(there: Remote, name: str, commit: str) -> None:
    """Tag a commit, without a message, as git can then fetch it by its tag; UserError when the tag is elsewhere."""
    from huggingface_hub.errors import HfHubHTTPError

    def create() -> None:
        try:
            there.api.create_tag(there.repo, repo_type="dataset", tag=name, revision=commit)
        except HfHubHTTPError as error:
            if error.response.status_code != 409:  # it may be ours: the answer to an earlier attempt was lost
                raise

    with troubles.told(there.repo):
        troubles.patiently(create)
    found = hub.state(there, name)
    if found is None or found.commit != commit:
        at = found.commit[:8] if found else "no commit"
        raise UserError(f"{there.repo}: somebody else has put {name} at {at}, not {commit[:8]}: bump `version`")


def demand_own(there: Remote, held: State, name: str) -> None:
    """Raise UserError for a repository with data that gamut did not put there, or another product's.

    Shards without a manifest are those of a large first version that was interrupted: their paths name their bytes.
    """
    if MANIFEST not in held.files:
        own = [path for path in held.files if is_own(path) and path != "README.md"]
        if foreign := [path for path in own if not held.files[path].is_named_by(path)]:
            raise UserError(
                f"{there.repo} holds data that gamut did not publish ({named(foreign)}): choose another repository"
            )
        return
    content = small_file(there, MANIFEST, held.commit)
    other = parsed(content or b"", f"{there.repo}@{held.commit[:8]}").name
    if other != name:
        raise UserError(f"{there.repo} holds {other!r}: choose another repository for {name!r}")


def named(paths: Sequence[str]) -> str:
    """The first of some paths, and how many more there are."""
    return paths[0] + (f" and {len(paths) - 1:,} more" if len(paths) > 1 else "")
