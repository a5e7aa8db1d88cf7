"""Text that others wrote, such as an address or a refusal of the Hub, without tokens and passwords."""

from __future__ import annotations

import re
from urllib.parse import unquote

HIDDEN = "…"
"""Stands in the place of a secret, and in none, so that what is left of two of them cannot make up a third."""
TOKEN = re.compile(r"hf(_|%5f)[\w.~%+-]{6,}", re.IGNORECASE)
"""Of any kind, such as hf_oauth_… with its dots and dashes, also as it stands in an address."""
CREDENTIALS = re.compile(r"(?<=://)([^/?#\s:]*)(:[^/?#\s]*)?@")
"""User and perhaps a password before the host."""


def without_secrets(text: str) -> str:
    """Hide this machine's token, the password of HF_ENDPOINT, and what looks like any token or password."""
    from huggingface_hub import constants, get_token

    credentials = CREDENTIALS.search(constants.ENDPOINT)
    password = unquote((credentials and credentials[2]) or "").removeprefix(":")
    for secret in filter(None, (get_token(), password)):
        text = spelled(secret).sub(HIDDEN, text)
    return CREDENTIALS.sub(f"{HIDDEN}@", TOKEN.sub(HIDDEN, text))


def spelled(secret: str) -> re.Pattern[str]:
    """Return matches a secret, each sign of it as it is or as it is quoted in an address."""
    signs = [(re.escape(sign), "".join(f"%{byte:02x}" for byte in sign.encode())) for sign in secret]
    return re.compile("".join(f"(?:{plain}|(?i:{quoted}))" for plain, quoted in signs))


def host() -> str:
    """Return who is asked, by HF_ENDPOINT, without user and password."""
    from huggingface_hub import constants

    return without_secrets(CREDENTIALS.sub("", constants.ENDPOINT)).partition("://")[2] or "HF_ENDPOINT"
