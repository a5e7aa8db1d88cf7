"""A version as a pull request: for who may not write to the branch, or wants others to look first."""

from __future__ import annotations

from stages.publish import troubles
from stages.publish.hub import Remote
from stages.publish.secrets import without_secrets


def opened(there: Remote, author: str, title: str, description: str, head: str) -> int:
    """The number of the author's open pull request of this title; a new one when there is none.

    One that does not begin at the branch's `head` could not be merged any more: it is closed.
    """
    with troubles.told(there.repo):
        known = troubles.patiently(
            lambda: list(
                there.api.get_repo_discussions(there.repo, repo_type="dataset", discussion_type="pull_request")
            )
        )
        for request in known:
            if (request.title, request.author) != (title, author) or request.status not in ("open", "draft"):
                continue
            if begins_at(there, request.num, head):
                return request.num
            there.api.change_discussion_status(there.repo, request.num, "closed", repo_type="dataset")
        return there.api.create_pull_request(there.repo, title, repo_type="dataset", description=description).num


def begins_at(there: Remote, number: int, head: str) -> bool:
    """Whether a commit is among those that a pull request stands on."""
    branch = revision_of(number)
    commits = troubles.patiently(lambda: there.api.list_repo_commits(there.repo, repo_type="dataset", revision=branch))
    return head in {commit.commit_id for commit in commits}


def revision_of(number: int) -> str:
    """The branch to which a pull request's commits go."""
    return f"refs/pr/{number}"


def show(there: Remote, number: int) -> str:
    """Tell the Hub that a pull request is ready to be looked at; return its address."""
    with troubles.told(there.repo):
        found = troubles.patiently(lambda: there.api.get_discussion_details(there.repo, number, repo_type="dataset"))
        if found.status == "draft":
            there.api.change_discussion_status(there.repo, number, "open", repo_type="dataset")
    return without_secrets(found.url)
