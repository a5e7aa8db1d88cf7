"""Which proxy stands between this machine and a server, as the environment says."""

from __future__ import annotations

import re
import socket
from ipaddress import ip_address
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from stages.project.errors import UserError

MEND = "mend HTTP_PROXY, HTTPS_PROXY or NO_PROXY in the environment"


def proxy_for(url: str) -> str | None:
    """Return the proxy that the environment names for an address (HTTP_PROXY, HTTPS_PROXY), if any; none for this
    machine itself, nor for what NO_PROXY names. UserError where it speaks no HTTP.
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    proxy = getproxies().get(parts.scheme)
    if not proxy or is_loopback(host) or proxy_bypass(host if parts.port is None else f"{host}:{parts.port}"):
        return None
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    if not proxy.startswith(("http://", "https://")):
        raise UserError(f"{url}: the proxy {without_password(proxy)} of the environment is none for HTTP: name another")
    return proxy


def without_password(proxy: str) -> str:
    return re.sub(r"(?<=://).*@", "", proxy)


def is_loopback(host: str) -> bool:
    try:
        address = ip_address(host if ":" in host else socket.inet_aton(host))
    except (OSError, ValueError):
        return host == "localhost" or host.endswith(".localhost")
    return address.is_loopback or address.is_unspecified
