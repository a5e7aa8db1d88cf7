"""A version as a pull request: for who may not write to the branch, or wants others to look first."""

from __future__ import annotations

from typing import Any

from stages.publish import troubles
from stages.publish.answers import Number, checked
from stages.publish.hub import Remote
from stages.publish.secrets import without_secrets


def opened(there: Remote, author: str, title: str, description: str, head: str) -> int:
    """Return the number of the author's open pull request of this title; a new one when there is none.

    One that does not begin at the branch's `head` could not be merged any more: it is closed.
    """
    with troubles.explained(there.repo):
        known = troubles.with_retries(
            lambda: list(
                there.api.get_repo_discussions(there.repo, repo_type="dataset", discussion_type="pull_request")
            )
        )
        for request in known:
            if (request.title, request.author) != (title, author) or request.status not in ("open", "draft"):
                continue
            if begins_at(there, number := numbered(there, request), head):
                return number
            there.api.change_discussion_status(there.repo, number, "closed", repo_type="dataset")
        made = there.api.create_pull_request(there.repo, title, repo_type="dataset", description=description)
        return numbered(there, made)


def numbered(there: Remote, request: Any) -> int:
    """Return the number of a pull request."""
    number: int = checked(Number, request.num, there.repo, "a pull request's number")
    return number


def begins_at(there: Remote, number: int, head: str) -> bool:
    """Return whether a commit is among those that a pull request stands on."""
    branch = revision_of(number)
    commits = troubles.with_retries(
        lambda: there.api.list_repo_commits(there.repo, repo_type="dataset", revision=branch)
    )
    return any(commit.commit_id == head for commit in commits)


def revision_of(number: int) -> str:
    """Return the branch to which a pull request's commits go."""
    return f"refs/pr/{number}"


def show(there: Remote, number: int) -> str:
    """Tell the Hub that a pull request is ready to be looked at; return its address."""
    with troubles.explained(there.repo):
        found = troubles.with_retries(lambda: there.api.get_discussion_details(there.repo, number, repo_type="dataset"))
        if found.status == "draft":
            there.api.change_discussion_status(there.repo, number, "open", repo_type="dataset")
    return without_secrets(f"{there.api.endpoint}/datasets/{there.repo}/discussions/{number}")
