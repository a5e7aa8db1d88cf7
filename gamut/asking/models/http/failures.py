"""What a failed request to an OpenAI-compatible server means: for which requests, and how a person fixes it."""

from __future__ import annotations

import os
import re
import socket
from http import HTTPStatus
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from gamut.asking.models.http.host_words import CENSORED, Complaint, is_limit, is_refusal
from gamut.asking.models.http.protocol import CHAT_SAMPLING, PAINT_SAMPLING, Post
from gamut.asking.models.http.wire_replies import BrokenOff, Empty, Misplaced
from gamut.asking.requests import Finish, Request, wants_picture
from gamut.project.errors import UserError
from gamut.project.model_kinds import OpenAIModel
from gamut.project.settings import Endpoint

TRANSIENT_STATUSES = (408, 409, 425)  # besides 5xx
TOO_MANY = 429
PHRASES = {int(known): known.phrase for known in HTTPStatus}


class Failure(NamedTuple):
    """Why one attempt gave no answer.

    With `again`, another attempt may succeed. The server bears its load if `good` (None: unknown), and asks to wait
    `after` seconds. It gets too many requests if `busy`, is at fault if `down`, and cannot be reached if `absent`. A
    `hint` tells a person what to do if no server has answered. If `final`, waiting would not help either. If `for_all`,
    this server would reject every request in this way.
    """

    cause: str
    finish: Finish = "transport_error"
    again: bool = False
    good: bool | None = True
    after: float = 0.0
    busy: bool = False
    down: bool = False
    absent: bool = False
    hint: str = ""
    final: bool = False
    for_all: bool = False


def unreached_failure(error: Exception, slug: str, endpoint: Endpoint) -> Failure:
    """Return why no answer came. Tables hold causes, so these do not depend on where a server runs."""
    name, limits = type(error).__name__, f"in run.toml, [models.{slug}]"
    failure = Failure(f"{name}: connection lost", again=True, good=False, down=True)
    system = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    number = system.errno if isinstance(system, OSError) else None
    where = f"(url {limits})"
    match error:
        case aiohttp.InvalidURL() | UnicodeError():
            return failure._replace(cause="this is not an address", hint=f"is the url right? {where}", final=True)
        case aiohttp.ClientProxyConnectionError():
            cause = f"the proxy is not there: {os.strerror(number) if number else name}"
            return failure._replace(cause=cause, absent=True, hint=PROXY_MEND)
        case aiohttp.ClientHttpProxyError():
            return failure._replace(cause=f"the proxy says HTTP {error.status}", hint=PROXY_MEND)
        case aiohttp.ClientConnectorCertificateError():
            words = getattr(error.certificate_error, "verify_message", str(error.certificate_error))
            hint = "renew it, or, if it is your own, put its file's path into the environment variable SSL_CERT_FILE"
            return failure._replace(cause=f"its certificate is not valid: {words}", hint=hint, final=True)
        case aiohttp.ClientSSLError():
            return failure._replace(cause=f"{name}: no TLS", hint="does it speak http:// instead of https://?")
        case aiohttp.ConnectionTimeoutError():
            cause = f"no connection within {endpoint.connect_seconds:g} s"
            hint = f"are host and port right? (url and connect_seconds {limits})"
            return failure._replace(cause=cause, absent=True, hint=hint)
        case TimeoutError():
            hint = f"is it still starting, or is this too short? (answer_seconds {limits})"
            return failure._replace(cause=f"no answer within {endpoint.answer_seconds:g} s", hint=hint, final=True)
        case aiohttp.ClientPayloadError():
            return failure._replace(cause=f"{name}: the answer broke off", hint="what does the server's log say?")
        case aiohttp.ClientResponseError():
            hint = "are port and http:// or https:// right?"
            return failure._replace(cause=f"{name}: this is not HTTP", hint=hint)
        case aiohttp.ClientConnectorError() if isinstance(system, socket.gaierror):
            hint = f"is the host's name right? {where}"
            return failure._replace(cause=f"{name}: {system.strerror}", absent=True, hint=hint)
        case aiohttp.ClientConnectorError():
            cause = f"{name}: {os.strerror(number) if number else 'no connection'}"
            return failure._replace(cause=cause, absent=True, hint=f"is the server running there? {where}")
    if number:
        failure = failure._replace(cause=f"{name}: {os.strerror(number)}")
    return failure._replace(hint="what does the server's log say, or does it speak https://?")


def unread_failure(error: ValueError, request: Request, slug: str, model: OpenAIModel) -> Failure:
    match error:
        case BrokenOff():
            return Failure(str(error), again=True, good=False, down=True)
        case Empty():
            return Failure(str(error), "refused", again=True)
        case Misplaced():
            return Failure(str(error), hint=NO_PARSER.format(slug=slug))
    hint = "is the url right? It usually ends in /v1"
    if wants_picture(request):
        hint += f"; if the model paints in chat replies: `pictures_from: chat` under models.{slug} in params.yaml"
    return Failure(str(error), again=True, good=None, hint=hint)


NO_PARSER = (
    "the server's reasoning parser takes an answer without thinking for thinking: start the server without it (vLLM, "
    "SGLang: --reasoning-parser), or ask the model not to think: `extra_body: {{chat_template_kwargs: "
    "{{enable_thinking: false}}}}` under models.{slug} in params.yaml; if it has to think, allow more `max_tokens`"
)


def rejection(
    status: int, complaint: Complaint, cause: str, post: Post, slug: str, model: OpenAIModel, endpoint: Endpoint
) -> Failure:
    of_server = (401, 402, TOO_MANY, *TRANSIENT_STATUSES)
    of_request = 400 <= status < 500 and status not in of_server
    if hint := hint_for(status, complaint, slug, model, endpoint):
        return Failure(cause, again=True, good=False, down=True, hint=hint, for_all=True)
    if status == CENSORED or (of_request and is_refusal(complaint)):
        return Failure(complaint.message, "refused")
    if of_request and "unsupported" in complaint.names | complaint.parameters:
        return Failure(complaint.message, "unsupported")
    if "request too large" in complaint.words.lower():
        return Failure(cause, "invalid")  # OpenAI, Groq: one that alone exceeds the tokens of a minute
    if status == TOO_MANY or ((of_request or status >= 500) and is_limit(complaint)):
        return Failure(cause, again=True, good=False, busy=True)
    if status >= 500 and is_refusal(complaint):  # gateways say so for what a host refuses, or they have trouble
        return Failure(complaint.message, "refused", again=True, good=None)
    if status in TRANSIENT_STATUSES or status >= 500:
        return Failure(cause, again=True, good=False, down=status >= 500)
    if status == HTTPStatus.FORBIDDEN:  # of a firewall that reads requests, or of a key
        return Failure(cause, "invalid", hint=key_hint(slug, model, endpoint))
    if hint := unknown_field(complaint, post, model):
        return Failure(cause, "invalid", hint=f"{hint} under models.{slug} in params.yaml")
    return Failure(cause, "invalid")


def cause_of(status: int, complaint: Complaint, location: str | None = None) -> str:
    cause = f"HTTP {status}: {complaint.message or PHRASES.get(status, 'no words')}"
    if location and status < 400:
        cause += f", to {re.split('[?#]', location)[0].rpartition('@')[2]}"  # what is left out may be secret
    return cause


def status_inside(complaint: Complaint) -> int:
    if complaint.status:
        return complaint.status
    if is_refusal(complaint):
        return HTTPStatus.BAD_REQUEST
    return TOO_MANY if is_limit(complaint) else HTTPStatus.BAD_GATEWAY


def modality_complaint(complaint: Complaint, post: Post) -> str:
    """Return the message of vLLM-Omni or OpenRouter that a model lacks the requested modality; "" for others."""
    return complaint.message if "modalities" in post.fields and "output modalities" in complaint.message.lower() else ""


def hint_for(status: int, complaint: Complaint, slug: str, model: OpenAIModel, endpoint: Endpoint) -> str:
    table, words, names = f"[models.{slug}]", complaint.words, complaint.names
    no_key = names & {"API_KEY_INVALID", "no_db_connection"} or NO_KEY.search(words)
    if status == 401 or (status in (400, 403) and no_key):
        return key_hint(slug, model, endpoint)
    if status == HTTPStatus.PROXY_AUTHENTICATION_REQUIRED:
        return PROXY_MEND
    if status == 402 or "insufficient_quota" in names or (status == TOO_MANY and NOTHING_ALLOWED.search(words)):
        return "top up the account, then run it again"
    if status < 400:
        return f"redirects are not followed: put the final address into run.toml, `{table} url`"
    if status in (404, 405) or "model_not_found" in names or (status == 400 and NO_MODEL.search(words)):
        return (
            f"model {model.id!r} (params.yaml) or this path (run.toml, `{table} url`, mostly up to /v1) is not served"
        )
    return ""


def key_hint(slug: str, model: OpenAIModel, endpoint: Endpoint) -> str:
    if endpoint.key_variable:
        return f"put a key that may use {model.id} into the environment variable {endpoint.key_variable}"
    return f'a key is expected: name its environment variable in run.toml, `[models.{slug}] key_variable = "…"`'


NO_KEY = re.compile(
    r"\bAPI key (not valid|expired|not found)|\b(incorrect|invalid|missing) (API key|authorization header)|"
    r"missing or invalid authorization header",
    re.IGNORECASE,
)
"""Words of Google, xAI and gateways for a key that is wrong, too old or missing, with status 400 or 403.
`no_db_connection` is LiteLLM's without a database."""
NO_MODEL = re.compile(
    r"\bmodel mismatch\b|\bthe model .{1,200} does not exist\b|\binvalid model( name| id)?\b|"
    r"\bnot a valid model\b|\bmodel not exist\b|\bno such model\b|\bunknown model\b",
    re.IGNORECASE,
)
"""Words of vLLM-Omni, OpenAI (images), LiteLLM, OpenRouter and DeepSeek for a model that is not served; status 400."""
NOTHING_ALLOWED = re.compile(r"\blimit: 0\b")  # Google's, where an account's plan does not have the model at all


REJECTING = re.compile(
    r"unknown|unrecogni[sz]ed|unsupported|(not|n.t) support|unexpected|permitted|allowed|invalid|extra"
)
ABOUT_FIELDS = re.compile(r"\b(param(eter)?s?|fields?|arguments?|keys?|inputs?|properties|property|extra|values?)\b")
FORM_OF_REPLY = re.compile(r"response_format|json_schema|json_object|structured.output|guided|grammar")
STREAMS = re.compile(r"\bonly supports? stream|\bstream(ing)?( mode)? only\b|\bstream must be (set to )?true\b")


def unknown_field(complaint: Complaint, post: Post, model: OpenAIModel) -> str:
    """Return how to fix params.yaml when a server rejects a field that every request has; otherwise ""."""
    text, names = complaint.message.lower(), complaint.names | complaint.parameters
    if "context length" in text:
        return ""  # this one request is too long
    if STREAMS.search(text):
        return "it answers only as a stream: add `extra_body: {stream: true}`"
    if post.path == "/chat/completions" and "response_format" in post.fields and FORM_OF_REPLY.search(text):
        other = "`instruction`" if model.structured_output == "json_object" else "`json_object` or `instruction`"
        return f"set `structured_output` to {other}"
    if not REJECTING.search(text):
        return ""
    about_fields = ABOUT_FIELDS.search(text) is not None

    def is_rejected(name: str) -> bool:
        quoted = re.search(rf"['\"`]{name}['\"`]", text)
        bare = (about_fields or "_" in name or name == "logprobs") and len(name) > 1 and re.search(rf"\b{name}\b", text)
        return name in names or bool(quoted or bare)

    for name in ("seed", "response_format", "encoding_format", "modalities", "logprobs", "size", "n"):
        if name in post.fields and is_rejected(name):
            return f"add `omit: [{name}]`" if name != "size" else "ask for a size that it knows, or add `omit: [size]`"
    for name, omitted in (("width", "size"), ("height", "size"), ("top_logprobs", "logprobs")):
        if name in post.fields and is_rejected(name):
            return f"add `omit: [{omitted}]`"
    if "max_tokens" in post.fields and is_rejected("max_tokens"):
        return "leave `max_tokens` out of `sampling` (`extra_body: {max_completion_tokens: …}` has another name for it)"
    for name in (*CHAT_SAMPLING, *PAINT_SAMPLING):
        if name in post.fields and is_rejected(name):
            return f"leave `{name}` out of `sampling`"
    for name in model.extra_body:
        if is_rejected(name.lower()):
            return f"leave `{name}` out of `extra_body`"
    return ""


PROXY_MEND = "fix HTTP_PROXY, HTTPS_PROXY or NO_PROXY in the environment"


def proxy_for(url: str) -> str | None:
    """Return the environment's proxy for an address; None for this machine and for hosts in NO_PROXY.

    Raise UserError if it is not an HTTP proxy.
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    proxy = getproxies().get(parts.scheme)
    if not proxy or is_loopback(host) or proxy_bypass(host if parts.port is None else f"{host}:{parts.port}"):
        return None
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    if not proxy.startswith(("http://", "https://")):
        raise UserError(f"{url}: the proxy {without_password(proxy)} in the environment is not an HTTP proxy: fix it")
    return proxy


def without_password(proxy: str) -> str:
    return re.sub(r"(?<=://).*@", "", proxy)


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine, in any form: `127.1`, or `0.0.0.0`, which servers print as theirs."""
    try:
        address = ip_address(host if ":" in host else socket.inet_aton(host))
    except (OSError, ValueError):
        return host == "localhost" or host.endswith(".localhost")
    return address.is_loopback or address.is_unspecified
