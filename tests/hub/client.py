"""How huggingface_hub is led to the test Hub: in a process of its own, or in this one."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING
from unittest.mock import patch

from tests.hub.server import WRITER, Hub

if TYPE_CHECKING:
    from huggingface_hub import HfApi


def environment(url: str, home: Path, token: str = "", xet: bool = False) -> dict[str, str]:
    """What a client's process needs to speak to this Hub alone, with its caches below `home`."""
    return {
        "HF_ENDPOINT": url,
        "HF_HOME": str(home),
        "HF_HUB_OFFLINE": "0",
        "HF_DATASETS_OFFLINE": "0",
        "HF_HUB_DISABLE_XET": "0" if xet else "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_UPDATE_DOWNLOAD_COUNTS": "0",
        "HF_TOKEN": token,
        "NO_PROXY": "*",
    }


@contextmanager
def client_here(hub: Hub, home: Path, token: str | None = WRITER, xet: bool = False) -> Iterator[HfApi]:
    """Have huggingface_hub speak to this Hub alone, in this process, without waiting before it tries again.

    It reads its surroundings when it is imported, but looks them up in `constants` when it is used (2.4.0).
    `datasets` copies them: use it in a process of its own.
    """
    from huggingface_hub import HfApi, close_session, constants, file_download, hf_api
    from huggingface_hub.utils import _http

    looked_up = {
        "ENDPOINT": hub.url,
        "HUGGINGFACE_CO_URL_TEMPLATE": hub.url + "/{repo_id}/resolve/{revision}/{filename}",
        "HF_HUB_OFFLINE": False,
        "HF_HUB_DISABLE_XET": not xet,
        "HF_HUB_DISABLE_TELEMETRY": True,
        "HF_HUB_DISABLE_IMPLICIT_TOKEN": False,
        "HF_HOME": str(home),
        "HF_HUB_CACHE": str(home / "hub"),
        "HF_XET_CACHE": str(home / "xet"),
        "HF_TOKEN_PATH": str(home / "token"),
        "HF_STORED_TOKENS_PATH": str(home / "stored_tokens"),
    }
    with ExitStack() as stack:
        for name, value in looked_up.items():
            stack.enter_context(patch.object(constants, name, value))
        stack.enter_context(patch.dict(os.environ, environment(hub.url, home, token or "", xet)))
        stack.enter_context(patch.object(hf_api.api, "endpoint", hub.url))  # whose methods are the package's functions
        for module in (_http, file_download):
            stack.enter_context(
                patch.object(module, "time", SimpleNamespace(sleep=lambda seconds: None, time=time.time))
            )
        close_session()  # it knows proxies of before
        stack.callback(close_session)
        yield HfApi(endpoint=hub.url, token=token)
