"""Pages as people see them: Chromium opens them, from disk or served, and tells what went wrong.

    with visited(browser, folder / "index.html", width=390, scheme="dark") as page:
        page.click("text=Dataset")
        assert serious(page) == [] and sideways(page) == 0

Leaving the block asserts that no page in it reported an error or asked for anything outside its own folder or server.
`page` is Playwright's (https://playwright.dev/python/docs/api/class-page), the fixture `browser` stands in conftest.py.
Beside it nothing can call `asyncio.run`: Playwright leaves its loop marked as running, to the end of the test file.
A click returns before the page behind a link is read: follow one within `page.expect_navigation()`.
Wait by selectors (`page.wait_for_selector`): `page.wait_for_function` evals, which a page's own policy may forbid.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal
from urllib.parse import unquote, urljoin

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",  # as root there is none
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-proxy-server",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # what asks elsewhere fails here as it does offline
)
INSIDE = ("data:", "blob:", "about:")
"""Addresses that lie in the page itself."""


@contextmanager
def launched() -> Iterator[Browser]:
    """Start the Chromium of this machine, or skip the test where there is none."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip(f"pages are looked at in Chromium, and none of {', '.join(NAMES)} is installed here")
    from playwright.sync_api import sync_playwright

    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("TMPDIR", raising=False)  # Chromium dies where the path of its socket is longer than 107 bytes
        driver = sync_playwright().start()
    try:
        with driver.chromium.launch(executable_path=path, args=FLAGS) as browser:
            yield browser
    finally:
        driver.stop()


@contextmanager
def visited(
    browser: Browser,
    address: Path | str,
    *,
    home: Path | None = None,
    width: int = 1280,
    height: int = 900,
    scheme: Literal["light", "dark"] = "light",
) -> Iterator[Page]:
    """Open a file or URL as somebody who was never here; at the end assert that nothing went wrong and nothing left.

    `home` is the folder of pages that a file belongs to, when that is not the folder it lies in.
    """
    url = address.as_uri() if isinstance(address, Path) else address
    inside = f"{home.as_uri()}/" if home else urljoin(url, "." if url.startswith("file:") else "/")
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    try:
        wrong = complaints(context, inside)
        page = context.new_page()
        page.goto(url)
        yield page
        page.evaluate("() => new Promise(done => setTimeout(done))")  # what was said before has arrived by then
        assert not wrong, "\n".join([f"{url}:", *wrong])
    finally:
        context.close()


def complaints(context: BrowserContext, inside: str) -> list[str]:
    """Return a list that grows by a line for every error and every request that does not begin with `inside`."""
    wrong: list[str] = []

    def said(message: ConsoleMessage) -> None:
        if message.type == "error":
            wrong.append(f"console error: {message.text} ({message.location['url']})")

    def asked(request: Request) -> None:
        if not request.url.startswith(INSIDE) and not unquote(request.url).startswith(unquote(inside)):
            wrong.append(f"request to {request.url}")

    context.on("console", said)
    context.on("dialog", lambda dialog: (wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    context.on("request", asked)
    context.on("weberror", lambda error: wrong.append(f"uncaught error: {error.error}"))
    return wrong


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder as any web server would; gives the URL of its root, which ends in a slash."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


class Quiet(SimpleHTTPRequestHandler):
    def copyfile(self, source: IO[bytes], outputfile: IO[bytes]) -> None:  # type: ignore[override]
        """Send a file to whoever still waits for it: a page that is left does not."""
        with suppress(BrokenPipeError, ConnectionResetError):
            super().copyfile(source, outputfile)

    def log_message(self, format: str, *args: object) -> None:
        pass


def serious(page: Page) -> list[str]:
    """Return what axe-core finds serious or critical, a line for each element."""
    return [line for line in violations(page) if "(serious)" in line or "(critical)" in line]


def violations(page: Page) -> list[str]:
    """Return all that axe-core finds, a line for each element."""
    from axe_playwright_python.sync_playwright import Axe

    return [
        f"{found['id']} ({found['impact']}): {found['help']}: {element['html'][:200]}"
        for found in Axe().run(page, options={"preload": False}).response["violations"]
        for element in found["nodes"]
    ]


def sideways(page: Page) -> int:
    """Return how many pixels the page is wider than its window: 0 when it does not scroll sideways."""
    return page.evaluate("document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth")
