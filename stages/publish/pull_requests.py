"""A version as a pull request: for who may not write to the branch, or wants others to look first."""

from __future__ import annotations

from stages.publish import troubles
from stages.publish.hub import Remote


def opened(there: Remote, title: str, description: str) -> int:
    """The number of the open pull request of this title; a new one when there is none."""
    with troubles.told(there.repo):
        known = troubles.patiently(
            lambda: list(
                there.api.get_repo_discussions(there.repo, repo_type="dataset", discussion_type="pull_request")
            )
        )
        for request in known:
            if request.title == title and request.status in ("open", "draft"):
                return request.num
        made = there.api.create_pull_request(there.repo, title, repo_type="dataset", description=description)
        return made.num


def revision_of(number: int) -> str:
    """The branch to which a pull request's commits go."""
    return f"refs/pr/{number}"


def show(there: Remote, number: int) -> str:
    """Tell the Hub that a pull request is ready to be looked at; return its address."""
    with troubles.told(there.repo):
        found = troubles.patiently(lambda: there.api.get_discussion_details(there.repo, number, repo_type="dataset"))
        if found.status == "draft":
            there.api.change_discussion_status(there.repo, number, "open", repo_type="dataset")
    return found.url
