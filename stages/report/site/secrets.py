"""Parameters without what may be a secret: pages are made to be published, and params.yaml is perhaps not."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

HIDDEN = "(not shown: it may be a secret)"
NAMES = re.compile(r"key(?!word)|token|secret|passw|auth(?!or)|credential|cookie", re.IGNORECASE)
"""In the name of a value that is a secret, where the value is words: `max_tokens` is a number."""
WORDS = re.compile(r"://[^/?#\s]*@|\bbearer\s|\b(sk-|hf_|gh[opsu]_|github_pat_|xox[abp]-)[\w-]{16}", re.IGNORECASE)
"""What secrets look like: an address with a user or password, or a key of a usual form."""


def may_be_secret(names: Iterable[str], words: str) -> bool:
    """Return whether words may be a secret, by what they look like or by the names under which they stand."""
    return bool(WORDS.search(words)) or any(map(NAMES.search, names))


def without_secrets(value: Any, *names: str) -> Any:
    """Return plain values with `HIDDEN` in the place of words that may be secrets; `names`: where the value stands."""
    if isinstance(value, dict):
        return {name: without_secrets(one, *names, str(name)) for name, one in value.items()}
    if isinstance(value, list):
        return [without_secrets(one, *names) for one in value]
    return HIDDEN if isinstance(value, str) and may_be_secret(names, value) else value
