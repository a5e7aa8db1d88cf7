"""What can go wrong between the Hub and a client, on demand: a test appends a Fault to `hub.script`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tests.hub.answers import Refused, Response

if TYPE_CHECKING:
    from tests.hub.server import Hub

INVERTED = bytes(255 - value for value in range(256))


class Dropped(Exception):
    """The connection ends here, without an answer."""


@dataclass
class Fault:
    """What goes wrong with the next `times` calls whose method and address (a regex, searched in path and query) match.

    `what` is an error's status, sent instead of an answer (with Retry-After: 0 seconds), or one of
    drop_before, drop_after   no answer: the call was not handled, or it was
    stale_parent              as if somebody had committed meanwhile
    wrong_checksum            every file of a listing has another hash
    other_bytes               a download of the same length with other bytes
    `then` is run with the Hub when such a call was handled, before it is answered: here a client can be killed.
    The first `skip` matching calls are left alone.
    """

    method: str
    path: str
    what: int | Literal["", "drop_before", "drop_after", "stale_parent", "wrong_checksum", "other_bytes"] = ""
    times: int = 1
    skip: int = 0
    retry_after: int = 0
    then: Callable[[Hub], None] | None = None

    def takes(self, method: str, target: str) -> bool:
        if method != self.method or not re.search(self.path, target) or self.times == 0:
            return False
        if self.skip:
            self.skip -= 1
            return False
        self.times -= 1
        return True

    def before(self) -> None:
        if isinstance(self.what, int):
            raise Refused(self.what, f"scripted {self.what}", headers={"Retry-After": str(self.retry_after)})
        if self.what == "stale_parent":
            raise Refused(412, "A commit has happened since. Please refresh and try again.")
        if self.what == "drop_before":
            raise Dropped

    def after(self, hub: Hub, response: Response) -> Response:
        if self.then is not None:
            self.then(hub)
        if self.what == "drop_after":
            raise Dropped
        if self.what == "wrong_checksum":
            return response._replace(body=[altered(entry) for entry in response.body])
        if self.what == "other_bytes":
            return response._replace(body=response.body.translate(INVERTED))
        return response


def altered(entry: dict[str, Any]) -> dict[str, Any]:
    if entry["type"] != "file":
        return entry
    large = {"lfs": entry["lfs"] | {"oid": entry["lfs"]["oid"][::-1]}} if "lfs" in entry else {}
    return entry | {"oid": entry["oid"][::-1]} | large
