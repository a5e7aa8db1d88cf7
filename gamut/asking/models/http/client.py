"""A model behind OpenAI-compatible servers: attempts, and whether a failure concerns one request or all.

A failure of one request is its reply. A problem that a person has to fix (an address, a key, an unknown field) is a
UserError that says how; a server that is gone for too long is one too.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import re
from asyncio import sleep
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import aiohttp
from PIL import Image
from pydantic import SecretStr

from gamut.asking.models.http import failures, protocol
from gamut.asking.models.http.failures import Failure, proxy_for, without_password
from gamut.asking.models.http.host_words import Complaint, read_complaint
from gamut.asking.models.http.pacing import LONGEST_PAUSE, Pool, Server, wait_seconds
from gamut.asking.models.http.protocol import JSON, MEGABYTE, Post
from gamut.asking.models.http.rating import rating_chat
from gamut.asking.models.http.sending import Body, Room, allow_open_files, encoded_size, look_for_garbage_less_often
from gamut.asking.progress import duration
from gamut.asking.requests import (
    Chat,
    Create,
    Embed,
    Finish,
    Message,
    Paint,
    Part,
    Picture,
    Rate,
    Reply,
    Request,
    parts_of,
    wants_picture,
)
from gamut.project.errors import UserError
from gamut.project.model_kinds import OpenAIModel, identity
from gamut.project.plain_text import shorten_to_line
from gamut.project.settings import Endpoint, lacking_key
from gamut.tables.images import as_jpeg, scale_down

CONCURRENCY = 64
PAINTER_CONCURRENCY = 8  # pictures at once: a painter makes one after the other, and requests that wait too long fail
MOST_BUSY = 100  # times that one request gets "too many requests" while others are answered, for at least as long
ALIKE_REJECTIONS = 5
"""So many requests in a row with the same rejection mean that all may be rejected; next time twice as many."""
BACKOFF = 0.5  # seconds before the second attempt, about; doubles with every further one
CAUSE_LENGTH, LONGEST_SIGN = 300, 6  # characters; of a sign that JSON has escaped
ANNOUNCED_PAUSE = 10.0  # seconds; a server that asks for a longer pause is reported
MOST_SCALED_KEPT = 64  # pictures; several questions about one come one after the other


class HttpModel:
    """Asks OpenAI-compatible servers, `concurrency` requests at each by default. UserError without address or key."""

    by_record = False

    def __init__(
        self, name: str, slug: str, model: OpenAIModel, endpoint: Endpoint, concurrency: int = CONCURRENCY
    ) -> None:
        self._name, self._slug, self._model, self._endpoint = name, slug, model, endpoint
        if not endpoint.url:
            raise UserError(f'{name} has no server address: run.toml needs `[models.{slug}] url = "…"`')
        most = endpoint.concurrency or concurrency
        self._key = self._secret()
        self._chance = random.Random(slug)
        self._pool = Pool(endpoint.urls, most, self._chance)
        self._numbers = itertools.count()
        self._room = Room()
        self._scaled: dict[str, asyncio.Task[bytes]] = {}
        self._trial: asyncio.Task[list[Reply | Failure]] | None = None
        self._alike, self._rejected = ALIKE_REJECTIONS, Counter[str]()
        self._session: aiohttp.ClientSession | None = None
        self.concurrency = most * len(endpoint.urls)
        self.identity: Mapping[str, Any] = identity(model)

    @cached_property
    def _proxies(self) -> dict[Server, str | None]:
        """Return the proxy of each server; the environment is read once."""
        return {server: proxy_for(server.url) for server in self._pool.servers}

    def _secret(self) -> SecretStr | None:
        if missing := lacking_key(self._slug, self._endpoint):
            raise UserError(f"{self._name}: {missing}")
        variable = self._endpoint.key_variable
        return None if variable is None else SecretStr(os.environ[variable].strip())

    async def answer(self, request: Request) -> Reply:
        """Ask until there is an answer or no attempt is left. Raise UserError for a problem of all requests."""
        request = rating_chat(request) if isinstance(request, Rate) else request
        if cause := protocol.unsupported_reason(request, self._model):
            return Reply(cause.encode(), "unsupported")
        try:
            request = await self._within_cap(request)
        except ValueError as error:
            return Reply(self._cause_line(f"a picture {error}"), "invalid")
        asker, preferred = next(self._numbers), first_picture(request)
        rejected_by: set[Server] = set()
        avoided: set[Server] = set()
        busy: list[float] = []  # times at which it got "too many requests"
        attempt, ended = 0, set[Finish]()
        while True:
            server, url, result = await self._attempt(request, asker, preferred, avoided)
            if isinstance(result, Reply):
                return result
            mendable = result.for_all or (result.hint != "" and not result.again)
            if mendable:
                rejected_by.add(server)
            avoided = rejected_by | {server}
            others = mendable and len(rejected_by) < len(self._pool.servers)
            waits = result.absent and self._pool.waits  # for a server that is gone, up to `outage_seconds`
            if result.busy:
                busy.append(asyncio.get_running_loop().time())
                waits = len(busy) < MOST_BUSY or busy[-1] - busy[0] < self._endpoint.busy_seconds
            if not (others or waits):
                attempt += 1
                ended.add(result.finish)
            if not (result.again or others) or attempt >= self._endpoint.attempts or (result.busy and not waits):
                break
            await sleep(backoff_pause(attempt, self._chance))
        await self._require_own_failure(url, result, request)
        # A request with several attempts is refused only if all of them were.
        finish = "transport_error" if result.again and len(ended) > 1 else result.finish
        return Reply(self._cause_line(result.cause), finish)

    async def _require_own_failure(self, url: str, failure: Failure, request: Request) -> None:
        """Raise UserError if a failure is one of all requests: a person can fix it and nothing was answered in this
        run, or several requests in a row failed so. In doubt a harmless request is asked too, and decides.
        """
        common = failure.finish in ("invalid", "refused") and not failure.again and self._is_common(failure.cause)
        unanswered = not self._pool.answered
        doubtful = common or (unanswered and failure.hint)
        if (unanswered and failure.for_all) or (doubtful and await self._is_for_all(failure, request)):
            raise self._error(url, failure.cause, failure.hint or EVERY_REQUEST.format(slug=self._slug))

    def _is_common(self, cause: str) -> bool:
        """Count a rejection. Return whether all since the last answer are alike, and there are enough of them."""
        self._rejected[VARYING_WORDS.sub("", cause)] += 1
        return len(self._rejected) == 1 and self._rejected.total() >= self._alike

    async def _is_for_all(self, failure: Failure, request: Request) -> bool:
        """Return whether a harmless request also fails on every server. It is asked once for all that wait."""
        if self._trial is None or self._trial.done():
            self._trial = asyncio.create_task(self._ask_everywhere(harmless_request(request)))
        ends = await asyncio.shield(self._trial)
        worse = failure.again or not all(isinstance(end, Failure) and end.again for end in ends)
        return worse and not any(isinstance(end, Reply) for end in ends)

    async def _ask_everywhere(self, request: Request) -> list[Reply | Failure]:
        servers = self._pool.servers
        ends = [end for _, end in await asyncio.gather(*(self._exchange(server, request) for server in servers))]
        if lively := [server for server, end in zip(servers, ends, strict=True) if isinstance(end, Reply)]:
            self._alike *= 2
        for server in lively:
            self._note_answer(server)
        return ends

    def _note_answer(self, server: Server) -> None:
        server.note_up()
        server.answered = True
        self._rejected.clear()

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def _within_cap(self, request: Request) -> Request:
        if self._model.largest_picture is None:
            return request
        if isinstance(request, Create):
            return replace(request, parts=await self._with_smaller(request.parts))
        if not isinstance(request, Chat):
            return request
        messages = [Message(message.role, await self._with_smaller(message.parts)) for message in request.messages]
        return replace(request, messages=tuple(messages))

    async def _with_smaller(self, parts: Sequence[Part]) -> tuple[Part, ...]:
        return tuple([await self._scaled_down(part) if isinstance(part, Picture) else part for part in parts])

    async def _scaled_down(self, picture: Picture) -> Picture:
        """Scale a picture down in a thread, once for all requests about it in a row."""
        assert self._model.largest_picture is not None
        if (scaling := self._scaled.get(picture.digest)) is None:
            work = asyncio.to_thread(scale_down, picture.data, self._model.largest_picture)
            scaling = self._scaled[picture.digest] = asyncio.create_task(work)
            if len(self._scaled) > MOST_SCALED_KEPT:
                self._scaled.pop(next(iter(self._scaled)))
        data = await asyncio.shield(scaling)  # if one caller stops waiting, the others still get it
        return picture if data is picture.data or data == picture.data else Picture(data, "image/jpeg")

    def _open(self) -> aiohttp.ClientSession:
        """Return the only session. It is made here because it belongs to the running loop."""
        if self._session is None:
            allowed = {"Authorization": f"Bearer {self._key.get_secret_value()}"} if self._key else {}
            headers = {"Content-Type": JSON} | allowed
            limits = aiohttp.ClientTimeout(self._endpoint.answer_seconds, sock_connect=self._endpoint.connect_seconds)
            allow_open_files(self.concurrency)
            look_for_garbage_less_often()
            # Many servers drop a connection after 5 s idle; one about to be dropped must not be used again.
            connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=4)
            self._session = aiohttp.ClientSession(connector=connector, headers=headers, timeout=limits)
        return self._session

    async def _attempt(
        self, request: Request, asker: int, preferred: int | None, avoided: Collection[Server]
    ) -> tuple[Server, str, Reply | Failure]:
        """Ask a server that has room; return its address too. Raise UserError when no server is left to answer."""
        server, era = await self._pool.enter(preferred, avoided)
        good, wait = None, 0.0
        try:
            url, result = await self._exchange(server, request)
            if isinstance(result, Reply):
                self._note_answer(server)
                good = True
            else:
                good, wait = result.good, min(result.after, self._endpoint.busy_seconds)
                await self._note_failure(server, result, asker, era, url, request)
            return server, url, result
        finally:
            if wait >= ANNOUNCED_PAUSE and server.opening is None:
                print(f"{self._name}: {server.url} asks to wait {duration(min(wait, LONGEST_PAUSE))}", flush=True)
            self._pool.leave(server, era, good, wait)

    async def _note_failure(
        self, server: Server, failure: Failure, asker: int, era: int, url: str, request: Request
    ) -> None:
        """Note what a failure means for its server. Raise UserError when every further request would fail in the same
        way; another request is asked first to find out.
        """
        servers, now = self._pool.servers, asyncio.get_running_loop().time()
        if failure.down:
            server.note_down(asker, now)
        else:
            server.note_busy(now) if failure.busy else server.note_up()
        server.silent |= failure.final
        if failure.for_all:
            server.note_rejection(era)
        error = self._outage_error(failure, url, now)
        if error and not (failure.for_all or failure.absent) and not await self._is_for_all(failure, request):
            error = None
        if error:
            self._pool.give_up(error)  # wake all that wait for room: each of them would get this error
            raise error
        answered = any(other.answered and other.down_since is None for other in servers if other is not server)
        if failure.for_all and not server.named and answered:
            server.named = True
            print(self._error(url, failure.cause, f"{failure.hint}; other servers answer such requests"), flush=True)

    def _outage_error(self, failure: Failure, url: str, now: float) -> UserError | None:
        servers, answered, patience = self._pool.servers, self._pool.answered, self._endpoint.outage_seconds
        if not answered:
            if failure.absent:
                patience = min(patience, self._endpoint.connect_seconds)
            hopeless = failure.final and all(server.silent for server in servers)
            if hopeless or (failure.for_all and all(server.down_since is not None for server in servers)):
                return self._error(url, failure.cause, failure.hint)
        not_rejecting = [server for server in servers if not server.rejects]
        longest = self._endpoint.busy_seconds
        gone_or_busy = all(server.is_gone(now, patience) or server.is_busy(now, longest) for server in not_rejecting)
        if not ((failure.down or failure.busy) and gone_or_busy):
            return None
        if not not_rejecting:
            return self._error(url, failure.cause, failure.hint)
        urls = ", ".join(server.url for server in not_rejecting)
        if failure.busy:
            cause = f"every request is now answered so: {failure.cause}"
            return self._error(urls, cause, "what was answered is kept: run again when the server's limits allow it")
        if not answered:
            return self._error(urls, failure.cause, failure.hint)
        gone = duration(now - min(server.down_since or now for server in not_rejecting))
        cause = f"gone for {gone}" + ("" if failure.for_all else f": {failure.cause}")  # of another server
        return self._error(urls, cause, "what was answered is kept: start the server and run `dvc repro` again")

    async def _exchange(self, server: Server, request: Request) -> tuple[str, Reply | Failure]:
        async with self._room.for_body(encoded_size(request)) as sent:
            post = protocol.build_post(request, self._model)
            body, post = Body(post.body, sent), post._replace(body=b"")
            url = server.url + post.path
            return url, await self._ask_server(url, self._proxies[server], request, post, body)

    async def _ask_server(
        self, url: str, proxy: str | None, request: Request, post: Post, body: Body
    ) -> Reply | Failure:
        headers = {"Content-Type": post.content_type} if post.content_type != JSON else None
        try:
            # Redirects are not followed: they would send the records to a host that run.toml does not name.
            async with self._open().post(
                url, data=body, headers=headers, allow_redirects=False, proxy=proxy
            ) as response:
                status, response_headers = response.status, response.headers
                data, whole = await read_up_to(response, post.largest * MEGABYTE)
        except (aiohttp.ClientError, OSError, UnicodeError) as error:  # a TimeoutError is an OSError, and has no words
            return failures.unreached_failure(error, self._slug, self._endpoint)
        if status >= 300:
            complaint = read_complaint(data)
            cause = failures.cause_of(status, complaint, response_headers.get("Location"))
            return self._rejection(status, complaint, cause, request, post, response_headers, data)
        if not whole:
            cause = f"the reply is larger than {post.largest} MB: it was not read to the end"
            return Failure(cause, "transport_error" if wants_picture(request) else "length")
        try:
            reply = protocol.read_reply(request, self._model, data)
        except protocol.ErrorInside as inside:
            status = failures.status_inside(inside.complaint)
            return self._rejection(status, inside.complaint, str(inside), request, post, response_headers, data)
        except ValueError as error:
            return failures.unread_failure(error, request, self._slug, self._model)
        if reply.finish in ("stop", "length"):
            return reply
        return replace(reply, content=self._cause_line(reply.content.decode()))

    def _rejection(
        self,
        status: int,
        complaint: Complaint,
        cause: str,
        request: Request,
        post: Post,
        headers: Mapping[str, str],
        data: bytes,
    ) -> Failure:
        if isinstance(request, Create) and (words := failures.modality_complaint(complaint, post)):
            return Failure(words, "unsupported")
        failure = failures.rejection(status, complaint, cause, post, self._slug, self._model, self._endpoint)
        return failure._replace(after=wait_seconds(headers, data)) if failure.again else failure

    def _error(self, url: str, cause: str, hint: str) -> UserError:
        proxies = sorted({without_password(proxy) for proxy in self._proxies.values() if proxy})
        through = f" through the proxy {' or '.join(proxies)}" if proxies else ""
        line = self._cause_line(f"{url}{through}: {cause}").decode()
        return UserError(f"{self._name}: {line}" + (f": {hint}" if hint else ""))

    def _cause_line(self, text: str) -> bytes:
        """Return one harmless line of at most 300 characters; a key that it repeats is taken out before the cut."""
        start = text[: 100 * CAUSE_LENGTH]  # a page of many megabytes is not searched to its end
        if self._key is not None:
            key = self._key.get_secret_value()
            end = None if start == text else -LONGEST_SIGN * len(key)  # the last may begin one
            start = mask_key(start, key)[:end]
        return shorten_to_line(start, CAUSE_LENGTH).encode()


EVERY_REQUEST = "several requests in a row end so, even a plain one: fix models.{slug} in params.yaml, or the account"
VARYING_WORDS = re.compile(r"""\S*\d\S*|"[^"]*"|'[^']*'|`[^`]*`""")
"""The parts in which the same message about several requests differs."""


def harmless_request(request: Request) -> Request:
    """Return a small request of the same kind, form and fields, with a picture if this one has any."""
    words = "Say yes, or draw a red square on white."
    parts = (words,) if first_picture(request) is None else (Picture(as_jpeg(Image.new("RGB", (64, 64)))), words)
    match request:
        case Chat():
            return replace(request, messages=(Message("user", parts),))
        case Create():
            return replace(request, parts=parts)
        case Paint():
            return replace(request, prompt=words)
    return Embed(words)


def mask_key(text: str, key: str) -> str:
    """Remove a key from a text, also if JSON has escaped some of its characters."""
    signs = (rf"(?:\\?{re.escape(sign)}|\\u(?i:{ord(sign):04x}))" for sign in key)
    return re.sub("".join(signs), "[key]", text)


async def read_up_to(response: aiohttp.ClientResponse, most: int) -> tuple[bytes, bool]:
    chunks, size = [], 0
    async for chunk in response.content.iter_any():
        chunks.append(chunk)
        size += len(chunk)
        if size > most:
            response.close()
            return b"".join(chunks), False
    return b"".join(chunks), True


def first_picture(request: Request) -> int | None:
    """Return a number for the first picture: requests that share it may share a server's prefix cache."""
    parts = parts_of(request) if isinstance(request, Chat | Create) else ()
    return next((int(part.digest[:8], 16) for part in parts if isinstance(part, Picture)), None)


def backoff_pause(attempt: int, chance: random.Random) -> float:
    """Return seconds before a further attempt; spread, as many fail at the same moment."""
    return min(BACKOFF * 2.0 ** (attempt - 1), LONGEST_PAUSE) * chance.uniform(0.5, 1)
