"""Who calls, and what they may: tokens that write or only read, and who has none.

The client takes a 401 for a repository over https for a missing repository. Ours speaks http: there the code says so.
"""

from __future__ import annotations

from email.message import Message
from typing import TYPE_CHECKING

from tests.hub.answers import Call, Refused, Response

if TYPE_CHECKING:
    from tests.hub.server import Hub
    from tests.hub.state import Repository


def token_of(hub: Hub, headers: Message) -> str | None:
    """The token that a call brings."""
    token = (headers.get("Authorization") or "").removeprefix("Bearer ").strip() or None
    if token is not None and token not in hub.tokens:
        raise Refused(401, "Invalid credentials in Authorization header")
    return token


def visible(hub: Hub, token: str | None, repository: Repository | None) -> Repository:
    """A repository, if the caller may know of it."""
    if repository is not None and (token or not repository.private):
        return repository
    if token is None:
        raise Refused(401, "Invalid username or password.", "RepoNotFound")
    raise Refused(404, "Repository not found", "RepoNotFound")


def check(hub: Hub, token: str | None, needs: str, repository: Repository | None) -> None:
    """Refuse what a token does not allow."""
    if needs != "writing":
        return
    if token is None:
        raise Refused(401, "Invalid username or password.", "RepoNotFound" if repository else "")
    if hub.tokens[token] == "read":
        what = "create a repository under this namespace" if repository is None else "write to this repository"
        raise Refused(403, f"You don't have the rights to {what}")


def whoami(call: Call) -> Response:
    if call.token is None:
        raise Refused(401, "Invalid username or password.")
    access = {"displayName": "a test", "role": call.hub.tokens[call.token]}
    auth = {"type": "access_token", "accessToken": access}
    return Response(body={"type": "user", "name": call.hub.user, "fullname": call.hub.user, "auth": auth, "orgs": []})
