"""A model behind an OpenAI-compatible server, reached over HTTP.

The seed sent is the request's seed plus its sample number, so that repeats of one question differ.
"""

from __future__ import annotations

import base64
import os
import random
import re
import time
from asyncio import sleep
from collections.abc import Mapping
from dataclasses import replace
from email.utils import mktime_tz, parsedate_tz
from typing import Any

import aiohttp
import orjson
from pydantic import SecretStr

from stages.errors import UserError
from stages.kinds import OpenAIModel, identity
from stages.requests import Paint, Picture, Reply, Request
from stages.settings import Endpoint

BACKOFF = 1.0  # seconds before the second attempt, about; doubles with every further one
LONGEST_WAIT = 600.0  # seconds; a server that asks for a longer pause gets this one
CAUSE_LENGTH = 300  # characters
CHAT_SAMPLING = ("temperature", "top_p", "max_tokens")
PAINT_SAMPLING = ("guidance_scale", "num_inference_steps", "quality")
TRANSIENT = (408, 409, 425, 429)  # besides 5xx
REFUSED = {"content_policy_violation", "moderation_blocked", "content_filter"}
Attempt = tuple[Reply, float | None]  # with the seconds that the server asks to wait, when another may end better


class HttpModel:
    """Asks an OpenAI-compatible server, one POST a request. UserError when its address or key is missing."""

    by_record = False

    def __init__(self, name: str, slug: str, model: OpenAIModel, endpoint: Endpoint) -> None:
        self._name, self._table = name, f"[models.{slug}]"
        self._model, self._endpoint = model, endpoint
        self._url, self._key = self._address(), self._secret()
        self._random = random.Random(slug)
        self._session: aiohttp.ClientSession | None = None
        self.concurrency = endpoint.concurrency or 16
        self.identity: Mapping[str, Any] = identity(model)

    def _address(self) -> str:
        if not self._endpoint.url:
            raise UserError(f'{self._name}: no address: run.toml needs `{self._table} url = "…"`')
        return self._endpoint.url.rstrip("/")

    def _secret(self) -> SecretStr | None:
        """Return the key in a wrapper that does not print it."""
        if (variable := self._endpoint.key_variable) is None:
            return None
        key = SecretStr(os.environ.get(variable, "").strip())
        if not re.fullmatch("[!-~]+", key.get_secret_value()):
            raise UserError(f"{self._name}: the environment variable {variable} is not set, or holds no key")
        return key

    async def answer(self, request: Request) -> Reply:
        """Ask until there is an answer or the attempts are used up; UserError for what concerns every request."""
        body, paint = orjson.dumps(self._body(request)), isinstance(request, Paint)
        for attempt in range(1, self._endpoint.attempts):
            reply, after = await self._attempt(body, paint)
            if after is None:
                return reply
            await sleep(pause(attempt, after, self._random))
        return (await self._attempt(body, paint))[0]

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()

    def _body(self, request: Request) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self._model.id, "seed": request.seed + request.sample}
        if isinstance(request, Paint):
            body |= {"prompt": request.prompt, "n": 1, "size": f"{request.width}x{request.height}"}
            body["response_format"] = "b64_json"
        else:
            schema = {"name": request.name, "schema": request.schema, "strict": True}
            body["messages"] = [{"role": m.role, "content": [laid_out(p) for p in m.parts]} for m in request.messages]
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        # One model may fill both kinds of role, and servers reject the fields of the other kind.
        known = PAINT_SAMPLING if isinstance(request, Paint) else CHAT_SAMPLING
        return body | {k: v for k, v in self.identity["sampling"].items() if k in known}

    def _open(self) -> aiohttp.ClientSession:
        """Return the one session; it belongs to the running loop, so it is made here."""
        if self._session is None:
            allowed = {"Authorization": f"Bearer {self._key.get_secret_value()}"} if self._key else {}
            headers = {"Content-Type": "application/json"} | allowed
            limits = aiohttp.ClientTimeout(self._endpoint.answer_seconds, sock_connect=self._endpoint.connect_seconds)
            # Many servers drop a connection after 5 s idle; one about to be dropped must not be used again.
            connector = aiohttp.TCPConnector(limit=self.concurrency, keepalive_timeout=4)
            self._session = aiohttp.ClientSession(connector=connector, headers=headers, timeout=limits)
        return self._session

    async def _attempt(self, body: bytes, paint: bool) -> Attempt:
        url = f"{self._url}/images/generations" if paint else f"{self._url}/chat/completions"
        try:
            # Redirects are not followed: they would carry the records to a host that nobody named.
            async with self._open().post(url, data=body, allow_redirects=False) as response:
                status, asked, data = response.status, response.headers.get("Retry-After"), await response.read()
        except (aiohttp.ClientError, OSError) as error:  # a TimeoutError is an OSError, and has no words
            return Reply(self._short(self._unreached(error)), "transport_error"), 0
        if status >= 300:
            return self._rejected(url, status, data, retry_after(asked))
        try:
            reply = (read_painting if paint else read_chat)(orjson.loads(data))
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            return Reply(self._short(f"unreadable: {error!r}: {complaint(data)[0]}"), "transport_error"), 0
        if reply.finish not in ("stop", "length"):
            reply = replace(reply, content=self._short(reply.content.decode()))
        return reply, None

    def _unreached(self, error: Exception) -> str:
        """Why no answer came. Replies stand in tables, and tables are the same wherever a server stands."""
        if isinstance(error, TimeoutError):
            return f"no answer within {self._endpoint.answer_seconds:g} s"
        system = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
        words = os.strerror(system.errno) if isinstance(system, OSError) and system.errno else "connection lost"
        return f"{type(error).__name__}: {words}"

    def _rejected(self, url: str, status: int, data: bytes, after: float) -> Attempt:
        """Sort an error status: about this request, about every request (UserError), or worth another attempt."""
        message, codes = complaint(data)
        if codes & REFUSED:
            return Reply(self._short(message), "refused"), None
        if "unsupported" in codes:
            return Reply(self._short(message), "unsupported"), None
        cause = f"HTTP {status}: {message}"
        if mending := self._mending(status, codes):
            raise UserError(f"{self._name}: {self._short(f'{url}: {cause}').decode()}: {mending}")
        if status in TRANSIENT or status >= 500:
            return Reply(self._short(cause), "transport_error"), after
        return Reply(self._short(cause), "invalid"), None

    def _mending(self, status: int, codes: set[str]) -> str:
        """How a person mends what concerns every request; empty when only this request is concerned."""
        variable = self._endpoint.key_variable
        if status in (401, 403) and variable:
            return f"put a key that may use {self._model.id} into the environment variable {variable}"
        if status in (401, 403):
            return f'a key is wanted: name its environment variable in run.toml, `{self._table} key_variable = "…"`'
        if status == 402 or "insufficient_quota" in codes:
            return "top up the account, then run it again"
        if status < 400 or status in (404, 405) or "model_not_found" in codes:
            return f"model {self._model.id!r} (params.yaml) or this path (run.toml, `{self._table} url`) is not served"
        return ""

    def _short(self, text: str) -> bytes:
        """Return one line of at most 300 characters; a key that the server repeats is taken out before the cut."""
        if self._key is not None:
            text = text.replace(self._key.get_secret_value(), "[key]")
        text = " ".join(text.split())
        return (text if len(text) <= CAUSE_LENGTH else text[: CAUSE_LENGTH - 1] + "…").encode()


def laid_out(part: str | Picture) -> dict[str, Any]:
    """Return a part of a message in the protocol's form; an image travels inside, as a data URL."""
    if isinstance(part, str):
        return {"type": "text", "text": part}
    data = base64.b64encode(part.data).decode()
    return {"type": "image_url", "image_url": {"url": f"data:{part.media_type};base64,{data}"}}


def pause(attempt: int, after: float, jitter: random.Random) -> float:
    """Seconds before a further attempt: never less than asked for, and spread, as many are told the same moment."""
    return min(after, LONGEST_WAIT) + min(BACKOFF * 2.0 ** (attempt - 1), LONGEST_WAIT) * jitter.uniform(0.5, 1)


def retry_after(value: str | None) -> float:
    """Seconds that a Retry-After header (a number or an HTTP date) asks for; 0 when absent or unreadable."""
    try:
        return max(0.0, float(value or 0))
    except ValueError:
        date = parsedate_tz(value)
        return max(0.0, mktime_tz(date) - time.time()) if date else 0.0


def read_chat(body: Any) -> Reply:
    """Read a chat completion. AttributeError, LookupError or TypeError when it is not one."""
    choice = body["choices"][0]
    text, refusal = choice["message"].get("content") or "", choice["message"].get("refusal")
    ended = choice.get("finish_reason")
    if refusal or ended == "content_filter":
        return Reply(str(refusal or text or ended).encode(), "refused", *tokens(body))
    return Reply(text.encode(), "length" if ended == "length" else "stop", *tokens(body))


def read_painting(body: Any) -> Reply:
    """Read an image generation. AttributeError, LookupError, TypeError or ValueError when it is not one."""
    image = body["data"][0] if body["data"] else {}
    if image.get("url") and not image.get("b64_json"):
        return Reply(
            b"the server gives the address of an image instead of b64_json; it is not followed", "transport_error"
        )
    return Reply(base64.b64decode(image.get("b64_json") or "", validate=True), "stop", *tokens(body))


def tokens(body: Mapping[str, Any]) -> tuple[int, int]:
    """Tokens read and written, by either of the protocol's names; 0 where the server does not say."""
    usage = body.get("usage") or {}
    read = usage.get("prompt_tokens") or usage.get("input_tokens") or 0
    return int(read), int(usage.get("completion_tokens") or usage.get("output_tokens") or 0)


def complaint(body: bytes) -> tuple[str, set[str]]:
    """Return what a server says went wrong, and the names (code and type) that it gives to it."""
    text = body.decode(errors="replace")
    try:
        error = orjson.loads(body)
        error = error.get("error", error)
        return str(error.get("message") or text), {str(error.get("code")), str(error.get("type"))}
    except (AttributeError, orjson.JSONDecodeError):
        return text, set()
