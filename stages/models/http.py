"""A model behind OpenAI-compatible servers, reached over HTTP: attempts, and which failure concerns whom.

What concerns one request is its reply. What a person has to mend (an address, a key, a certificate, a field that the
server does not know) is a UserError that says how; so is a server that is gone for too long.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import re
import resource
import socket
from asyncio import sleep
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import aiohttp
from pydantic import SecretStr

from stages.errors import UserError
from stages.images import scaled_down
from stages.kinds import OpenAIModel, identity
from stages.models import protocol
from stages.models.pacing import LONGEST_PAUSE, Pool, Server
from stages.models.protocol import JSON, MEGABYTE, Post
from stages.requests import Chat, Message, Paint, Picture, Reply, Request
from stages.settings import Endpoint

CONCURRENCY = 64
BACKOFF = 0.5  # seconds before the second attempt, about; doubles with every further one
FILES_BESIDES = 512  # that are open besides connections: journals, tables, libraries
CAUSE_LENGTH = 300  # characters
TRANSIENT = (408, 409, 425, 429)  # besides 5xx
REFUSED = {"content_policy_violation", "moderation_blocked", "content_filter"}
SCALED_KEPT = 64  # pictures; several questions about one come one after the other


class Tried(NamedTuple):
    """How one attempt ended.

    `again`: another may end better. `good`: what it says about the server's load, if anything, and `after` the seconds
    that the server asks to wait. `down`: the server itself is at fault. `mending`: what a person can do where a server
    has never answered; `final`: and where waiting for more attempts would not.
    """

    reply: Reply
    again: bool = False
    good: bool | None = True
    after: float = 0.0
    down: bool = False
    mending: str = ""
    final: bool = False


class HttpModel:
    """Asks OpenAI-compatible servers, one POST a request. UserError when an address or a key is missing."""

    by_record = False

    def __init__(self, name: str, slug: str, model: OpenAIModel, endpoint: Endpoint) -> None:
        self._name, self._slug, self._model, self._endpoint = name, slug, model, endpoint
        if not endpoint.url:
            raise UserError(f'{name}: no address: run.toml needs `[models.{slug}] url = "…"`')
        urls = [endpoint.url] if isinstance(endpoint.url, str) else endpoint.url
        most = endpoint.concurrency or CONCURRENCY
        self._key = self._secret()
        self._chance = random.Random(slug)
        self._pool = Pool([url.rstrip("/") for url in urls], most, self._chance)
        self._numbers = itertools.count()
        self._scaled: dict[str, asyncio.Task[bytes]] = {}
        self._session: aiohttp.ClientSession | None = None
        self.concurrency = most * len(urls)
        self.identity: Mapping[str, Any] = identity(model)

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
        try:
            post = protocol.posted(await self._within_cap(request), self._model)
        except ValueError as error:
            return Reply(self._short(f"a picture {error}"), "invalid")
        asker, liked = next(self._numbers), first_picture(request)
        server: Server | None = None
        for attempt in range(1, self._endpoint.attempts + 1):
            server, tried = await self._attempt(request, post, asker, liked, server)
            if not tried.again:
                return tried.reply
            if attempt < self._endpoint.attempts:
                await sleep(pause(attempt, self._chance))
        if server and tried.mending and not self._pool.answered:
            raise self._error(server.url, tried.reply.content.decode(), tried.mending)
        return tried.reply

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()

    async def _within_cap(self, request: Request) -> Request:
        """Scale pictures down to the model's cap; ValueError when one cannot be read."""
        if self._model.largest_picture is None:
            return request
        if isinstance(request, Paint):
            return replace(request, pictures=tuple([await self._smaller(picture) for picture in request.pictures]))
        if not isinstance(request, Chat):
            return request
        messages = []
        for message in request.messages:
            parts = [await self._smaller(part) if isinstance(part, Picture) else part for part in message.parts]
            messages.append(Message(message.role, tuple(parts)))
        return replace(request, messages=tuple(messages))

    async def _smaller(self, picture: Picture) -> Picture:
        """Scale a picture down in a thread, once for all who ask about it one after the other."""
        assert self._model.largest_picture is not None
        if (scaling := self._scaled.get(picture.digest)) is None:
            work = asyncio.to_thread(scaled_down, picture.data, self._model.largest_picture)
            scaling = self._scaled[picture.digest] = asyncio.create_task(work)
            if len(self._scaled) > SCALED_KEPT:
                self._scaled.pop(next(iter(self._scaled)))
        data = await asyncio.shield(scaling)  # whoever gives up waiting leaves the others theirs
        return picture if data is picture.data or data == picture.data else Picture(data, "image/jpeg")

    def _open(self) -> aiohttp.ClientSession:
        """Return the one session; it belongs to the running loop, so it is made here."""
        if self._session is None:
            allowed = {"Authorization": f"Bearer {self._key.get_secret_value()}"} if self._key else {}
            headers = {"Content-Type": JSON} | allowed
            limits = aiohttp.ClientTimeout(self._endpoint.answer_seconds, sock_connect=self._endpoint.connect_seconds)
            allow_open_files(self.concurrency)
            # Many servers drop a connection after 5 s idle; one about to be dropped must not be used again.
            connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=4)
            self._session = aiohttp.ClientSession(connector=connector, headers=headers, timeout=limits)
        return self._session

    async def _attempt(
        self, request: Request, post: Post, asker: int, liked: int | None, avoided: Server | None
    ) -> tuple[Server, Tried]:
        """Ask whichever server has room; UserError when none is left that may answer."""
        server, era = await self._pool.enter(liked, avoided)
        good, after = None, 0.0
        try:
            tried = await self._exchange(server, request, post)
            good, after = tried.good, tried.after
            now = asyncio.get_running_loop().time()
            server.down(asker, now) if tried.down else server.up()
            server.silent |= tried.final
            servers, cause = self._pool.servers, tried.reply.content.decode(errors="replace")
            if tried.final and not self._pool.answered and all(server.silent for server in servers):
                raise self._error(server.url, cause, tried.mending)
            if tried.down and all(server.gone(now, self._endpoint.outage_seconds) for server in servers):
                gone = now - min(server.down_since or now for server in servers)
                urls = ", ".join(server.url for server in servers)
                kept = "what was answered is kept: start it and run `dvc repro` again"
                raise self._error(urls, f"gone since {gone:.0f} s: {cause}", kept)
            return server, tried
        finally:
            self._pool.leave(server, era, good, after)

    async def _exchange(self, server: Server, request: Request, post: Post) -> Tried:
        """Send a request once and sort what comes back."""
        url, headers = (
            server.url + post.path,
            {"Content-Type": post.content_type} if post.content_type != JSON else None,
        )
        try:
            # Redirects are not followed: they would carry the records to a host that nobody named.
            async with self._open().post(url, data=post.body, headers=headers, allow_redirects=False) as response:
                status, asked = response.status, response.headers.get("Retry-After")
                data = await read_up_to(response, post.largest * MEGABYTE)
        except (aiohttp.ClientError, OSError) as error:  # a TimeoutError is an OSError, and has no words
            return self._unreached(error)
        if data is None:
            cause = f"the reply is larger than {post.largest} MB: it was not read to the end".encode()
            return Tried(Reply(cause, "transport_error" if isinstance(request, Paint) else "length"))
        if status >= 300:
            return self._rejected(server, post, status, data, protocol.retry_after(asked))
        try:
            reply = protocol.read(request, self._model, data)
        except ValueError as error:
            mending = "is the url right? It usually ends in /v1"
            if isinstance(request, Paint):
                mending += f"; if the model paints in chat replies: `pictures_from: chat`{self._place}"
            return Tried(Reply(self._short(str(error)), "transport_error"), True, None, mending=mending)
        server.answered = True
        if reply.finish not in ("stop", "length"):
            reply = replace(reply, content=self._short(reply.content.decode()))
        return Tried(reply)

    def _unreached(self, error: Exception) -> Tried:
        """Why no answer came. Replies stand in tables, and tables are the same wherever a server stands."""
        cause, mending = f"{type(error).__name__}: connection lost", "what does the server's log say?"
        final = False
        system = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
        limits = f"in run.toml, [models.{self._slug}]"
        if isinstance(error, aiohttp.ClientConnectorCertificateError):
            words = getattr(error.certificate_error, "verify_message", str(error.certificate_error))
            cause, final = f"its certificate is not good: {words}", True
            mending = "renew it, or, if it is your own, put its file's path into the environment variable SSL_CERT_FILE"
        elif isinstance(error, aiohttp.ClientSSLError):
            cause, mending = f"{type(error).__name__}: no TLS", "does it speak http:// instead of https://?"
        elif isinstance(error, aiohttp.ConnectionTimeoutError):
            cause = f"no connection within {self._endpoint.connect_seconds:g} s"
            mending = f"are host and port right? (url and connect_seconds {limits})"
        elif isinstance(error, TimeoutError):
            cause, final = f"no answer within {self._endpoint.answer_seconds:g} s", True
            mending = f"is it still starting, or is this too short? (answer_seconds {limits})"
        elif isinstance(error, aiohttp.ClientResponseError):
            cause, mending = f"{type(error).__name__}: this is not HTTP", "are port and http:// or https:// right?"
        elif isinstance(system, socket.gaierror):
            cause, mending = f"{type(error).__name__}: {system.strerror}", f"is the host's name right? (url {limits})"
        elif isinstance(system, OSError) and system.errno:
            cause = f"{type(error).__name__}: {os.strerror(system.errno)}"
            if isinstance(error, aiohttp.ClientConnectorError):
                mending = f"is the server running there? (url {limits})"
        reply = Reply(self._short(cause), "transport_error")
        return Tried(reply, again=True, good=False, down=True, mending=mending, final=final)

    def _rejected(self, server: Server, post: Post, status: int, data: bytes, after: float) -> Tried:
        """Sort an error status: about this request, about every request (UserError), or worth another attempt."""
        message, names = protocol.complaint(data)
        if names & REFUSED:
            return Tried(Reply(self._short(message), "refused"))
        if "unsupported" in names:
            return Tried(Reply(self._short(message), "unsupported"))
        cause = f"HTTP {status}: {message}"
        if mending := self._mending(status, names):
            raise self._error(server.url + post.path, cause, mending)
        if status in TRANSIENT or status >= 500:
            return Tried(Reply(self._short(cause), "transport_error"), True, False, after, down=status >= 500)
        if not server.answered and (mending := protocol.unknown_field(message, names, post, self._model)):
            raise self._error(server.url + post.path, cause, mending + self._place)
        return Tried(Reply(self._short(cause), "invalid"))

    def _mending(self, status: int, names: set[str]) -> str:
        """How a person mends what concerns every request; empty when only this request is concerned."""
        variable, table = self._endpoint.key_variable, f"[models.{self._slug}]"
        if status in (401, 403) and variable:
            return f"put a key that may use {self._model.id} into the environment variable {variable}"
        if status in (401, 403):
            return f'a key is wanted: name its environment variable in run.toml, `{table} key_variable = "…"`'
        if status == 402 or "insufficient_quota" in names:
            return "top up the account, then run it again"
        if status < 400 or status in (404, 405) or "model_not_found" in names:
            return f"model {self._model.id!r} (params.yaml) or this path (run.toml, `{table} url`) is not served"
        return ""

    @property
    def _place(self) -> str:
        return f" under models.{self._slug} in params.yaml"

    def _error(self, url: str, cause: str, mending: str) -> UserError:
        return UserError(f"{self._name}: {self._short(f'{url}: {cause}').decode()}: {mending}")

    def _short(self, text: str) -> bytes:
        """Return one line of at most 300 characters; a key that the server repeats is taken out before the cut."""
        if self._key is not None:
            text = text.replace(self._key.get_secret_value(), "[key]")
        text = " ".join(text.split())
        return (text if len(text) <= CAUSE_LENGTH else text[: CAUSE_LENGTH - 1] + "…").encode()


def allow_open_files(count: int) -> None:
    """Raise this process's limit on open files where so many connections need it and the system lets us."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + FILES_BESIDES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


async def read_up_to(response: aiohttp.ClientResponse, most: int) -> bytes | None:
    """Read a body of at most `most` bytes; None when there is more, which is not read."""
    chunks, size = [], 0
    async for chunk in response.content.iter_any():
        chunks.append(chunk)
        size += len(chunk)
        if size > most:
            response.close()
            return None
    return b"".join(chunks)


def first_picture(request: Request) -> int | None:
    """A number for the first picture that a request is about: what shares it may share a server's prefix cache."""
    pictures: tuple[str | Picture, ...] = ()
    if isinstance(request, Chat):
        pictures = request.messages[0].parts
    elif isinstance(request, Paint):
        pictures = request.pictures
    return next((int(part.digest[:8], 16) for part in pictures if isinstance(part, Picture)), None)


def pause(attempt: int, chance: random.Random) -> float:
    """Seconds before a further attempt; spread, as many fail at the same moment."""
    return min(BACKOFF * 2.0 ** (attempt - 1), LONGEST_PAUSE) * chance.uniform(0.5, 1)
