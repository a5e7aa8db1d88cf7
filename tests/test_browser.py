"""What the tests of pages rely on: that a fault of a page is caught, and a page without one is not blamed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser import serious, served, sideways, visited

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CLEAN = """<!DOCTYPE html>
<html lang="en">
<head><title>Clean</title><link rel="icon" href="data:,"></head>
<body><main><h1>Clean</h1><p>Text.</p></main></body>
</html>
"""


def written(folder: Path, body: str = "") -> Path:
    """A clean page with more in its body."""
    page = folder / "a page.html"
    page.write_text(CLEAN.replace("</main>", f"{body}</main>"))
    return page


def test_a_clean_page_passes(browser: Browser, tmp_path: Path) -> None:
    with visited(browser, written(tmp_path), width=390, scheme="dark") as page:
        assert page.title() == "Clean"
        assert page.evaluate("innerWidth") == 390
        assert page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
        assert serious(page) == []
        assert sideways(page) == 0


FAULTS = {
    "<script>alert('boo')</script>": "dialog: boo",
    "<script>throw new Error('out of ink')</script>": "uncaught error: out of ink",
    "<img alt='' src='https://example.com/dot.png'>": "request to https://example.com/dot.png",
    "<script>new WebSocket('wss://example.com/socket')</script>": "console error: .*wss://example.com/socket",
    "<script>open('https://example.com/opened')</script>": "request to https://example.com/opened",
    "<img alt='' src='../beside.svg'>": "request to file://.*/beside.svg",
    "<script src='lost.js'></script>": "console error: .*ERR_FILE_NOT_FOUND.*lost.js",
}
"""What a page may do wrong, and how that is told."""


def test_every_fault_is_told(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "beside.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    (tmp_path / "site").mkdir()
    faulty = written(tmp_path / "site", "".join(FAULTS))
    with pytest.raises(AssertionError) as caught, visited(browser, faulty) as page:
        page.wait_for_timeout(200)  # the socket takes a moment to fail
    told = str(caught.value).splitlines()[1:]
    for fault, line in FAULTS.items():
        assert any(re.match(line, one) for one in told), f"{fault}: {told}"


def test_a_page_may_use_its_site(browser: Browser, tmp_path: Path) -> None:
    """Also a folder above its own, when that is the site's; a file may not be fetched, and served it may."""
    (tmp_path / "shared.js").write_text("document.title = 'Shared'")
    (tmp_path / "deep").mkdir()
    page_file = written(tmp_path / "deep", "<script src='../shared.js'></script>")
    with visited(browser, page_file, home=tmp_path) as page:
        assert page.title() == "Shared"
    with served(tmp_path) as url, visited(browser, f"{url}deep/a%20page.html") as page:
        assert page.title() == "Shared"
        assert page.evaluate("fetch('../shared.js').then(reply => reply.text())") == "document.title = 'Shared'"
