"""How huggingface_hub speaks with the Hub for us: it waits for nothing for ever, and does not all that an answer wants.

The client makes paths of headers, sends the token where answers lead it, waits as long as they say, and turns pages as
long as there are any. What would do harm is taken out of an answer before the client sees it.
"""

from __future__ import annotations

import os
import re
from typing import Any
from urllib.parse import urlsplit

from stages.project.errors import UserError
from stages.publish.secrets import host

SILENT_SECONDS = 60.0
"""How long the Hub may say nothing: large commits take it a while."""
MOST_PAGES = 1_000
"""Of one list."""
PLAIN = {
    "X-Repo-Commit": r"[0-9a-f]{40}",
    "ETag": r'(W/)?"?[\w.:+=-]{1,128}"?',
    "X-Linked-ETag": r'(W/)?"?[\w.:+=-]{1,128}"?',
    "X-Xet-Hash": r"[0-9a-f]{64}",
    "X-Xet-Cas-Url": r"https?://.*",  # hf_xet also takes folders of this machine
    "Retry-After": r"\d{1,3}",
    "RateLimit": r"(?!.*\d{4}).*",
}
"""Headers that the client follows, and what it may follow; else they are taken out, and it does without or refuses."""
REFRESH = "X-Xet-Refresh-Route"


def use() -> None:
    """Have huggingface_hub use this client from here on; and Xet with the Hub of Hugging Face alone.

    A Hub tells hf_xet where chunks lie and go, which may be a folder of this machine: HF_HUB_DISABLE_XET=0 says that
    another one is trusted with that.
    """
    from huggingface_hub import constants, set_client_factory

    if origin(constants.ENDPOINT) not in own_origins() and os.environ.get("HF_HUB_DISABLE_XET") != "0":
        constants.HF_HUB_DISABLE_XET = True
    set_client_factory(bounded_client)


def bounded_client() -> Any:
    """Return a client as huggingface_hub makes it, but bounded."""
    from huggingface_hub.utils._http import default_client_factory

    client = default_client_factory()
    client.timeout = SILENT_SECONDS
    client.event_hooks = {
        "request": [*client.event_hooks["request"], keep_token, counting_pages()],
        "response": [*client.event_hooks["response"], keep_plain],
    }
    return client


def keep_token(request: Any) -> None:
    """Take the token out of what goes to others than the Hub."""
    if not is_hub(str(request.url)):
        request.headers.pop("Authorization", None)


def keep_plain(response: Any) -> None:
    """Take headers out that the client must not follow."""
    for name, pattern in PLAIN.items():
        if name in response.headers and not re.fullmatch(pattern, response.headers[name], re.ASCII):
            del response.headers[name]
    routes = (response.headers.get(REFRESH), response.links.get("xet-auth", {}).get("url"))
    if "X-Xet-Hash" in response.headers and not all(is_hub(route) for route in routes if route):
        del response.headers["X-Xet-Hash"]


def counting_pages() -> Any:
    """Return a hook that ends lists without end: so many calls in a row to one address, with other queries."""
    last, calls = "", 0

    def count(request: Any) -> None:
        nonlocal last, calls
        address = f"{request.url}".partition("?")[0]
        last, calls = address, calls + 1 if address == last and request.method == "GET" else 1
        if calls > MOST_PAGES:
            raise UserError(f"{host()}: a list has more than {MOST_PAGES:,} pages: it may have no end")

    return count


def is_hub(url: str) -> bool:
    """Return whether an address is one of the Hub's: of HF_ENDPOINT, or Hugging Face's own."""
    from huggingface_hub import constants

    return origin(url) in {origin(constants.ENDPOINT), *own_origins()}


def own_origins() -> set[Any]:
    """Return where Hugging Face's own Hub answers."""
    return {origin("https://huggingface.co"), origin("https://hf.co")}


def origin(url: str) -> Any:
    """Return scheme, host and port of an address; None for what is none."""
    try:
        found = urlsplit(url)
        return found.scheme, found.hostname, found.port or {"http": 80, "https": 443}.get(found.scheme)
    except ValueError:
        return None
