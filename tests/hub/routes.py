"""Which call is answered by what, and who may make it: tokens that write or only read, and who has none.

The client takes a 401 for a repository over https for a missing repository. Ours speaks http: there the code says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from email.message import Message
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from tests.hub import reading, writing, xet
from tests.hub.answers import Call, Refused, Response

if TYPE_CHECKING:
    from tests.hub.server import Hub
    from tests.hub.state import Repository


class Route(NamedTuple):
    """An address, as a regex over the path; `needs` is what the token must allow."""

    methods: str
    path: str
    respond: Callable[..., Response]
    needs: Literal["nothing", "reading", "writing"] = "reading"


API = r"/api/(?P<kind>datasets|models|spaces)/(?P<repo>[^/]+/[^/]+)"
PAGE = r"(/(?P<kind>datasets|spaces))?/(?P<repo>[^/]+/[^/]+)"
AT = r"(?P<revision>[^/]+)"


def token_of(hub: Hub, headers: Message) -> str | None:
    token = (headers.get("Authorization") or "").removeprefix("Bearer ").strip() or None
    if token is not None and token not in hub.tokens:
        raise Refused(401, "Invalid credentials in Authorization header")
    return token


def visible(hub: Hub, token: str | None, repository: Repository | None) -> Repository:
    if repository is not None and (token or not repository.private):
        return repository
    if token is None:
        raise Refused(401, "Invalid username or password.", "RepoNotFound")
    raise Refused(404, "Repository not found", "RepoNotFound")


def check(hub: Hub, token: str | None, needs: str, repository: Repository | None) -> None:
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


ROUTES = [
    Route("GET", "/api/whoami-v2", whoami, "nothing"),
    Route("POST", "/api/validate-yaml", writing.validate, "nothing"),
    Route("POST", "/api/repos/create", writing.create, "writing"),
    Route("GET", rf"{API}(/revision/{AT})?", reading.info),
    Route("GET", rf"{API}/refs", reading.refs),
    Route("GET", rf"{API}/commits/{AT}", reading.commits),
    Route("GET", rf"{API}/tree/{AT}(/(?P<path>.+))?", reading.tree),
    Route("POST", rf"{API}/paths-info/{AT}", reading.paths_info),
    Route("GET HEAD", rf"{PAGE}/resolve/{AT}/(?P<path>.+)", reading.content),
    Route("POST", rf"{API}/preupload/{AT}", writing.preupload, "writing"),
    Route("POST", rf"{PAGE}\.git/info/lfs/objects/batch", writing.batch, "writing"),
    Route("PUT", r"/lfs/(?P<oid>[0-9a-f]{64})", writing.upload, "nothing"),  # the address is the permission
    Route("POST", rf"{PAGE}\.git/info/lfs/objects/verify", writing.verify, "writing"),
    Route("GET", rf"{API}/xet-write-token/{AT}", xet.token, "writing"),
    Route("GET", rf"{API}/xet-read-token/{AT}", xet.token),
    Route("POST", rf"{API}/commit/{AT}", writing.commit, "writing"),
    Route("POST", rf"{API}/tag/{AT}", writing.tag, "writing"),
]


def answer(hub: Hub, method: str, target: str, body: bytes, headers: Message) -> Response:
    url = urlsplit(target)
    for route in ROUTES:
        if method not in route.methods.split() or not (found := re.fullmatch(route.path, url.path)):
            continue
        names = {name: unquote(value) for name, value in found.groupdict().items() if value is not None}
        token = token_of(hub, headers)
        repository = None
        if "repo" in found.groupdict():
            key = names.pop("kind", "models"), names.pop("repo")
            repository = visible(hub, token, hub.state.repos.get(key))
        check(hub, token, route.needs, repository)
        call = Call(hub, method, url.path, parse_qs(url.query), body, headers, token, repository)
        return route.respond(call, **names)
    raise Refused(404, f"the test Hub does not know {method} {url.path}")
