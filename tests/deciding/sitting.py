"""A task served in this process, as a person in Chromium, or a stranger with a socket, finds it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any, NamedTuple

from gamut.deciding.cards import Task
from gamut.deciding.desk import Desk
from gamut.deciding.server import Server
from gamut.project.decisions import Decision, open_log, path_of, read_log
from tests.browser import visited

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


class Sitting(NamedTuple):
    """A page that is served; `address` opens it once."""

    server: Server
    task: Task

    @property
    def address(self) -> str:
        return self.server.gate.address

    def lines(self) -> list[Decision]:
        """The log as it is on the disk."""
        return read_log(path_of("ann", self.task.name))


def cookie_of(here: Sitting, connection: HTTPConnection) -> str:
    """The cookie that is given for the token."""
    connection.request("GET", here.address.partition(str(here.server.server_port))[2])
    reply = connection.getresponse()
    reply.read()
    return reply.headers["Set-Cookie"].partition(";")[0]


@contextmanager
def sitting(task: Task) -> Iterator[Sitting]:
    """Serve a task to ann."""
    with open_log("ann", task.name) as log, Server(Desk(task, log), "ann") as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield Sitting(server, task)
        finally:
            server.shutdown()
            thread.join()
            server.desk.close()


@contextmanager
def begun(browser: Browser, here: Sitting, **how: Any) -> Iterator[Page]:
    """Open the page and begin."""
    with visited(browser, here.address, **how) as page:
        page.keyboard.press("p")
        yield page


FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"
"""Two pictures of the page later what has come into view is known."""


def look_through(page: Page, number: int, key: str) -> None:
    """Press a key that comes too early until all of a card was in view: each leads on to what was not."""
    page.wait_for_selector("[data-part]:not([data-there])", state="detached")
    for _ in range(20):
        page.evaluate(FRAMES)
        if page.query_selector(f"[data-shown='{number}']"):
            return
        page.keyboard.press(key)
        assert "Not counted" in page.text_content("[data-told]")
    raise AssertionError("it never counts")
