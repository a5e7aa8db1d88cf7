"""Pull requests: made, listed, shown and merged."""

from __future__ import annotations

import json
from typing import Any

from tests.hub.answers import Call, Refused, Response
from tests.hub.state import DATE, Commit, Pull, Repository


def open_pull(repo: Repository, branch: str, base: Commit, head: Commit) -> Pull:
    """A new pull request, from one commit to another."""
    num = len(repo.pulls) + 1
    repo.pulls[num] = Pull(num, head.title, branch, base.oid, head.oid)
    return repo.pulls[num]


def create(call: Call) -> Response:
    """A pull request without changes yet: a draft."""
    asked = json.loads(call.body)
    if not asked.get("pullRequest"):
        raise Refused(400, "the test Hub has pull requests alone")
    head = call.repo.at("main")
    pull = open_pull(call.repo, "main", head, head)
    pull.title, pull.status, pull.author = asked["title"], "draft", call.hub.user
    call.hub.state.save(call.repo)
    return Response(body={"num": pull.num})


def listed(call: Call) -> Response:
    status = call.query.get("status", ["all"])[0]
    kind = call.query.get("type", ["all"])[0]
    found = [pull for pull in call.repo.pulls.values() if kind != "discussion" and matches(pull, status)]
    start = int(call.query.get("p", ["0"])[0]) * call.hub.page
    shown = [described(call, pull) for pull in reversed(found)]
    return Response(body={"discussions": shown[start : start + call.hub.page], "count": len(found), "start": start})


def matches(pull: Pull, status: str) -> bool:
    return status == "all" or (status == "open") == (pull.status in ("open", "draft"))


def details(call: Call, num: str) -> Response:
    pull = pull_of(call, num)
    changes = {"base": pull.branch, "mergeCommitId": pull.merged}
    more = {"changes": changes, "filesWithConflicts": conflicts(call.repo, pull), "events": [], "diff": ""}
    return Response(body=described(call, pull) | more)


def described(call: Call, pull: Pull) -> dict[str, Any]:
    """A pull request as lists show it."""
    return {
        "num": pull.num,
        "title": pull.title,
        "author": {"name": pull.author},
        "createdAt": DATE,
        "status": pull.status,
        "repo": {"name": call.repo.name, "type": call.repo.kind[:-1]},
        "isPullRequest": True,
    }


def merge(call: Call, num: str) -> Response:
    repo, pull = call.repo, pull_of(call, num)
    if pull.status != "open":
        raise Refused(400, f"This pull request is {pull.status}")
    if found := conflicts(repo, pull):
        raise Refused(409, f"This pull request has conflicts: {', '.join(found)}")
    target, files = repo.at(pull.branch), dict(repo.at(pull.branch).files)
    for path in touched(repo, pull.base, pull.head):
        if path in (wanted := repo.commits[pull.head].files):
            files[path] = wanted[path]
        else:
            files.pop(path, None)
    new = call.hub.state.add(repo, target.oid, f"{pull.title} (#{pull.num})", "", files)
    repo.branches[pull.branch] = pull.merged = new.oid
    pull.status = "merged"
    call.hub.state.save(repo)
    return Response(body={"mergeCommitId": new.oid})


def status(call: Call, num: str) -> Response:
    pull, asked = pull_of(call, num), json.loads(call.body)["status"]
    pull.status = asked
    call.hub.state.save(call.repo)
    event = {"id": f"{num}-{asked}", "type": "status-change", "createdAt": DATE, "data": {"status": asked}}
    return Response(body={"newStatus": event | {"author": {"name": call.hub.user}}})


def pull_of(call: Call, num: str) -> Pull:
    """A pull request that is there."""
    if int(num) not in call.repo.pulls:
        raise Refused(404, f"There is no discussion {num}")
    return call.repo.pulls[int(num)]


def conflicts(repo: Repository, pull: Pull) -> list[str]:
    """The files that both the pull request and its branch have changed since it was opened."""
    if pull.status != "open":
        return []
    return sorted(touched(repo, pull.base, pull.head) & touched(repo, pull.base, repo.at(pull.branch).oid))


def touched(repo: Repository, one: str, other: str) -> set[str]:
    """The paths at which two commits differ."""
    a, b = repo.commits[one].files, repo.commits[other].files
    return {path for path in {*a, *b} if a.get(path) != b.get(path)}
