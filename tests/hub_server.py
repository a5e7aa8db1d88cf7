"""A Hub of datasets for tests: what huggingface_hub and datasets read over HTTP, from commits kept in memory.

`with hub_server() as hub:` runs it in a thread; `hub.commit("org/name", {"a.parquet": data})` returns the commit.
huggingface_hub reads its surroundings once, when it is imported: clients run in a process of their own, started with
`environment(hub.url, home)`.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

LFS_SUFFIXES = (".parquet", ".arrow", ".gz", ".zip", ".tar", ".jpg", ".png", ".webp")
"""What the Hub's .gitattributes keep in large file storage."""


def environment(url: str, home: Path) -> dict[str, str]:
    """What a client's process needs to speak to this Hub alone, with its caches below `home`."""
    return {
        "HF_ENDPOINT": url,
        "HF_HOME": str(home),
        "HF_HUB_OFFLINE": "0",
        "HF_DATASETS_OFFLINE": "0",
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_UPDATE_DOWNLOAD_COUNTS": "0",
        "HF_TOKEN": "",
        "NO_PROXY": "*",
    }


class Response(NamedTuple):
    """What is sent back; a body other than bytes is sent as JSON."""

    status: int = 200
    body: Any = b""
    headers: Mapping[str, str] = {}


class Missing(Exception):
    """Something that is not there, by the code that the Hub's clients understand."""


@dataclass(frozen=True)
class Commit:
    """All files of a repository at one commit."""

    oid: str
    parent: str | None
    title: str
    files: Mapping[str, bytes]


@dataclass
class Repo:
    """A dataset's commits by id, and what its branches and tags point to."""

    name: str
    commits: dict[str, Commit] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)

    def at(self, revision: str) -> Commit:
        """The commit that a branch, a tag or a commit's id stands for."""
        oid = self.branches.get(revision) or self.tags.get(revision) or revision
        if oid not in self.commits:
            raise Missing("RevisionNotFound")
        return self.commits[oid]

    def history(self, commit: Commit) -> Iterator[Commit]:
        """A commit and those before it."""
        yield commit
        while commit.parent:
            commit = self.commits[commit.parent]
            yield commit


@dataclass
class Hub:
    """A running Hub. Calls with a key of `faults` in their path get its response instead; every call is logged."""

    url: str = ""
    repos: dict[str, Repo] = field(default_factory=dict)
    faults: dict[str, Response] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)
    server: ThreadingHTTPServer | None = None

    def commit(self, repo_id: str, files: Mapping[str, bytes], branch: str = "main", title: str = "a change") -> str:
        """Replace a repository's files on a branch (making both); return the commit's id, which has no time in it."""
        repo = self.repos.setdefault(repo_id, Repo(repo_id))
        parent = repo.branches.get(branch)
        content = sorted((path, git_oid(data)) for path, data in files.items())
        oid = hashlib.sha1(repr((parent, title, content)).encode()).hexdigest()
        repo.commits[oid] = Commit(oid, parent, title, dict(files))
        repo.branches[branch] = oid
        return oid

    def repo(self, repo_id: str) -> Repo:
        """A repository that is there."""
        if repo_id not in self.repos:
            raise Missing("RepoNotFound")
        return self.repos[repo_id]

    def answer(self, method: str, target: str, body: bytes, headers: Mapping[str, str]) -> Response:
        """Answer one call."""
        url = urlsplit(target)
        self.log.append(f"{method} {url.path}")
        for part, response in self.faults.items():
            if part in url.path:
                return response
        for methods, pattern, respond in ROUTES:
            if method in methods and (found := re.fullmatch(pattern, url.path)):
                names = {name: unquote(value) for name, value in found.groupdict().items() if value is not None}
                call = Call(self.repo(names.pop("repo")), parse_qs(url.query), body, headers)
                return respond(call, **names)
        raise Missing("EntryNotFound")

    def start(self, port: int = 0) -> None:
        """Listen on 127.0.0.1, at a free port or at this one."""
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def respond(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                try:
                    response = hub.answer(self.command, self.path, body, self.headers)
                except Missing as missing:
                    response = Response(404, {"error": str(missing)}, {"X-Error-Code": str(missing)})
                content = response.body if isinstance(response.body, bytes) else json.dumps(response.body).encode()
                self.send_response(response.status)
                for name, value in {"Content-Length": str(len(content)), **response.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)

            do_GET = do_HEAD = do_POST = respond

            def log_message(self, format: str, *arguments: object) -> None:
                """Not to the terminal: calls stand in the Hub's log."""

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        """Listen no more."""
        assert self.server is not None
        self.server.shutdown()
        self.server.server_close()

    @contextmanager
    def unreachable(self) -> Iterator[None]:
        """Nobody listens at the Hub's address meanwhile."""
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


@contextmanager
def hub_server() -> Iterator[Hub]:
    """Run a Hub without repositories in a thread."""
    hub = Hub()
    hub.start()
    try:
        yield hub
    finally:
        hub.stop()


class Call(NamedTuple):
    """What an answer may depend on besides the names in its address."""

    repo: Repo
    query: Mapping[str, list[str]]
    body: bytes
    headers: Mapping[str, str]


def info(call: Call, revision: str = "main") -> Response:
    commit = call.repo.at(revision)
    siblings = [{"rfilename": path} for path in sorted(commit.files)]
    return Response(
        body={"id": call.repo.name, "sha": commit.oid, "siblings": siblings, "private": False, "gated": False}
    )


def refs(call: Call) -> Response:
    def listed(kind: str, targets: Mapping[str, str]) -> list[dict[str, str]]:
        return [{"name": name, "ref": f"refs/{kind}/{name}", "targetCommit": oid} for name, oid in targets.items()]

    repo = call.repo
    return Response(
        body={"branches": listed("heads", repo.branches), "tags": listed("tags", repo.tags), "converts": []}
    )


def commits(call: Call, revision: str) -> Response:
    listed = [
        {"id": commit.oid, "title": commit.title, "message": "", "authors": [], "date": "2025-01-01T00:00:00.000Z"}
        for commit in call.repo.history(call.repo.at(revision))
    ]
    return Response(body=listed)


def tree(call: Call, revision: str, path: str = "") -> Response:
    files = call.repo.at(revision).files
    below = {name for name in files if not path or name.startswith(f"{path}/")}
    if path and not below:
        raise Missing("EntryNotFound")
    entries = [entry for name in below for entry in [name, *map(str, PurePosixPath(name).parents)]]
    inside = sorted({entry for entry in entries if entry != "." and entry != path and is_below(entry, path)})
    if call.query.get("recursive", ["false"])[0].lower() not in ("true", "1"):
        inside = [entry for entry in inside if "/" not in entry.removeprefix(path).strip("/")]
    return Response(body=[described(files, entry) for entry in inside])


def paths_info(call: Call, revision: str) -> Response:
    files = call.repo.at(revision).files
    wanted = parse_qs(call.body.decode()).get("paths", [])
    there = [path for path in wanted if path in files or any(is_below(name, path) for name in files)]
    return Response(body=[described(files, path) for path in there])


def content(call: Call, revision: str, path: str) -> Response:
    commit = call.repo.at(revision)
    if path not in commit.files:
        raise Missing("EntryNotFound")
    data = commit.files[path]
    tag = hashlib.sha256(data).hexdigest() if is_large(path) else git_oid(data)
    headers = {"X-Repo-Commit": commit.oid, "ETag": f'"{tag}"', "Accept-Ranges": "bytes"}
    if not (asked := re.fullmatch(r"bytes=(\d+)-(\d*)", call.headers.get("Range", ""))):
        return Response(200, data, headers)
    start, end = int(asked[1]), min(int(asked[2] or len(data)), len(data) - 1)
    if start >= len(data):
        return Response(416, b"", {"Content-Range": f"bytes */{len(data)}"})
    return Response(206, data[start : end + 1], headers | {"Content-Range": f"bytes {start}-{end}/{len(data)}"})


def described(files: Mapping[str, bytes], path: str) -> dict[str, Any]:
    """A file or folder as trees list it."""
    if path not in files:
        return {"type": "directory", "path": path, "size": 0, "oid": git_oid(path.encode())}
    data = files[path]
    if not is_large(path):
        return {"type": "file", "path": path, "size": len(data), "oid": git_oid(data)}
    digest = hashlib.sha256(data).hexdigest()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {len(data)}\n".encode()
    large = {"oid": digest, "size": len(data), "pointerSize": len(pointer)}
    return {"type": "file", "path": path, "size": len(data), "oid": git_oid(pointer), "lfs": large}


def is_below(path: str, folder: str) -> bool:
    return not folder or path.startswith(f"{folder}/")


def is_large(path: str) -> bool:
    return path.endswith(LFS_SUFFIXES)


def git_oid(data: bytes) -> str:
    """The id that git gives a file's content."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


API = r"/api/datasets/(?P<repo>[^/]+/[^/]+)"
AT = r"(?P<revision>[^/]+)"
ROUTES: list[tuple[tuple[str, ...], str, Callable[..., Response]]] = [
    (("GET",), rf"{API}(/revision/{AT})?", info),
    (("GET",), rf"{API}/refs", refs),
    (("GET",), rf"{API}/commits/{AT}", commits),
    (("GET",), rf"{API}/tree/{AT}(/(?P<path>.+))?", tree),
    (("POST",), rf"{API}/paths-info/{AT}", paths_info),
    (("GET", "HEAD"), rf"/datasets/(?P<repo>[^/]+/[^/]+)/resolve/{AT}/(?P<path>.+)", content),
]
"""Methods, address and answer of each call; what is not here is a 404."""
