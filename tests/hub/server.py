"""A Hub for tests, which huggingface_hub and datasets read and write over HTTP.

`with hub_server() as hub:` runs it in a thread. `hub.commit("org/name", {"a.parquet": data})` puts files there without
a client and returns the commit; `hub.log` has every call; `hub.script.append(Fault(...))` makes one go wrong. Clients
are led to it by tests/hub/client.py.
"""

from __future__ import annotations

import json
import re
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BufferedIOBase
from pathlib import Path
from urllib.parse import urlsplit

from tests.hub import xet as chunks
from tests.hub.answers import Refused, Response
from tests.hub.faults import Dropped, Fault
from tests.hub.routes import answer
from tests.hub.state import File, Repository, State, is_large, large_file, small_file

WRITER, READER = "hf_writes", "hf_reads"
TOKENS = {WRITER: "write", READER: "read"}


@dataclass
class Request:
    """A call: what was asked, the bytes of its body, and the status of the answer (0: none was given)."""

    method: str
    path: str
    query: str
    received: int
    status: int = 0


@dataclass
class Hub:
    """A running Hub. Calls with a key of `faults` in their path get its response instead, those of `script` misbehave.

    `tokens` says what each token may (write, read or fineGrained, which writes too), `user` is whose they are, `page`
    the number of entries after which lists go on elsewhere. With `xet` large files come by Xet.
    """

    folder: Path
    tokens: Mapping[str, str] = field(default_factory=lambda: TOKENS)
    xet: bool = False
    url: str = ""
    user: str = "somebody"
    page: int = 1000
    faults: dict[str, Response] = field(default_factory=dict)
    script: list[Fault] = field(default_factory=list)
    log: list[Request] = field(default_factory=list)
    server: ThreadingHTTPServer | None = None

    def __post_init__(self) -> None:
        self.state = State(self.folder)

    @property
    def xet_folder(self) -> Path:
        return self.folder / "xet"

    def commit(
        self,
        repo_id: str,
        files: Mapping[str, bytes],
        branch: str = "main",
        title: str = "a change",
        kind: str = "datasets",
    ) -> str:
        """Replace a repository's files on a branch (making both); return the commit's id, which has no time in it."""
        with self.state.lock:
            repo = self.state.repos.setdefault((kind, repo_id), Repository(kind, repo_id))
            kept = {}
            for path, data in files.items():
                sha256 = self.state.keep(data)
                large = is_large(path, len(data), data[:512])
                kept[path] = large_file(sha256, len(data)) if large else small_file(sha256, data)
            repo.branches[branch] = self.state.add(repo, repo.branches.get(branch), title, "", kept).oid
            return repo.branches[branch]

    def repo(self, repo_id: str, kind: str = "datasets") -> Repository:
        return self.state.repos[kind, repo_id]

    def files(self, repo_id: str, revision: str = "main", kind: str = "datasets") -> dict[str, bytes]:
        files = self.repo(repo_id, kind).at(revision).files
        return {path: self.content(file) for path, file in sorted(files.items())}

    def content(self, file: File) -> bytes:
        stored = self.state.content(file.sha256)
        data = stored.read_bytes() if stored.exists() else chunks.read(self.xet_folder, file.sha256, file.size)
        if data is None:
            raise Refused(404, f"the test Hub has no bytes of {file.sha256}", "EntryNotFound")
        return data

    def asked(self, method: str, path: str) -> list[Request]:
        return [call for call in self.log if call.method == method and re.search(path, f"{call.path}?{call.query}")]

    def answer(self, method: str, target: str, body: bytes, headers: Message) -> Response:
        url = urlsplit(target)
        with self.state.lock:
            self.log.append(request := Request(method, url.path, url.query, len(body)))
            fault = next((fault for fault in self.script if fault.takes(method, target)), None)
        try:
            response = self._answer(fault, method, target, body, headers)
        except Refused as refused:
            response = refused.response
        request.status = response.status
        return response

    def _answer(self, fault: Fault | None, method: str, target: str, body: bytes, headers: Message) -> Response:
        for part, response in self.faults.items():
            if part in urlsplit(target).path:
                return response
        if fault is not None:
            fault.before()
        with self.state.lock:
            response = answer(self, method, target, body, headers)
        return response if fault is None else fault.after(self, response)

    def start(self, port: int = 0) -> None:
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def respond(self) -> None:
                try:
                    response = hub.answer(self.command, self.path, body_of(self.headers, self.rfile), self.headers)
                    self.send(response)
                except (Dropped, ConnectionError):  # dropped by us, or by a client that was killed
                    self.close_connection = True

            def send(self, response: Response) -> None:
                content = in_bytes(response.body)
                self.send_response(response.status)
                for name, value in {"Content-Length": str(len(content)), **response.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)

            do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = respond

            def log_message(self, format: str, *arguments: object) -> None:
                """Not to the terminal: calls stand in the Hub's log."""

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        assert self.server is not None
        self.server.shutdown()
        self.server.server_close()

    @contextmanager
    def unreachable(self) -> Iterator[None]:
        assert self.server is not None
        port = self.server.server_port
        self.stop()
        try:
            yield
        finally:
            self.start(port)

    @contextmanager
    def failing(self, part: str, status: int, code: str = "") -> Iterator[None]:
        """Calls with `part` in their path are answered by a status, and perhaps one of the Hub's codes, meanwhile."""
        self.faults[part] = Response(status, {"error": f"scripted {status}"}, {"X-Error-Code": code} if code else {})
        try:
            yield
        finally:
            del self.faults[part]


def in_bytes(body: object) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body).encode()


def body_of(headers: Message, stream: BufferedIOBase) -> bytes:
    """A call's body, of known length or in chunks. One that ends early is no call: its client was killed."""
    if "chunked" not in (headers.get("Transfer-Encoding") or ""):
        data = stream.read(size := int(headers.get("Content-Length") or 0))
        if len(data) < size:
            raise Dropped
        return data
    parts = []
    while size := int(stream.readline().split(b";")[0], 16):
        parts.append(stream.read(size))
        stream.readline()
    stream.readline()
    return b"".join(parts)


@contextmanager
def hub_server(folder: Path | None = None, tokens: Mapping[str, str] | None = None, xet: bool = False) -> Iterator[Hub]:
    """Run a Hub in a thread, with what is in `folder`: nothing at first. Without one it keeps nothing."""
    with tempfile.TemporaryDirectory() as temporary:
        hub = Hub(folder or Path(temporary), TOKENS if tokens is None else tokens, xet)
        hub.start()
        try:
            yield hub
        finally:
            hub.stop()
