"""Who may come in: whoever has the token, once; then whoever has the cookie that it was exchanged for."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Sequence

HERE = "127.0.0.1"
"""The one address on which a page is served."""


class Gate:
    """The token and the cookie of a page on one port of this machine.

    Other pages that a browser has open can make it ask here, but for a name that is not this machine's (`Host`), or
    with an `Origin` of their own, nothing is answered.
    """

    def __init__(self, port: int) -> None:
        names = (HERE, "localhost")
        self.hosts = {f"{name}:{port}" for name in names}
        self.cookie = f"gamut-{port}"  # cookies know no ports: two pages on this machine would have one
        self.token, self.session = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        self.address = f"http://{HERE}:{port}/?token={self.token}"
        self.lock = threading.Lock()
        self.used = False

    def exchange(self, token: str) -> str | None:
        """Return the header that sets the cookie for the token, which is worth nothing from then on; else None."""
        with self.lock:
            if self.used or not secrets.compare_digest(token.encode(), self.token.encode()):
                return None
            self.used = True
        return f"{self.cookie}={self.session}; Path=/; HttpOnly; SameSite=Strict"

    def knows(self, cookies: Sequence[str]) -> bool:
        """Return whether the session's cookie is among those of a request (its headers `Cookie`)."""
        pairs = [pair.strip().partition("=") for header in cookies for pair in header.split(";")]
        return any(
            name == self.cookie and secrets.compare_digest(value.encode(), self.session.encode())
            for name, _, value in pairs
        )

    def is_ours(self, hosts: Sequence[str], origins: Sequence[str], writes: bool) -> bool:
        """Return whether a request is to this page, and from it where that is said; it has to be said to write."""
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return False
        wanted = [f"http://{hosts[0].lower()}"]
        return list(origins) == wanted or (not origins and not writes)
