"""What can be asked of a repository: what it is, its names, commits, trees and files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import parse_qs, urlencode

from tests.hub.answers import Call, Refused, Response
from tests.hub.state import DATE, Commit, File, git_oid, pointer


def info(call: Call, revision: str = "main") -> Response:
    repo, commit = call.repo, call.repo.at(revision)
    siblings: list[dict[str, Any]] = [{"rfilename": path} for path in sorted(commit.files)]
    if call.asks("blobs"):
        for sibling in siblings:
            file = commit.files[sibling["rfilename"]]
            sibling |= {"size": file.size, "blobId": file.oid}
            if file.large:
                sibling["lfs"] = {"sha256": file.sha256, "size": file.size, "pointerSize": pointer_size(file)}
    about = {"author": repo.name.split("/")[0], "createdAt": DATE, "lastModified": DATE, "tags": [], "disabled": False}
    state = {"id": repo.name, "sha": commit.oid, "siblings": siblings, "private": repo.private, "gated": False}
    return Response(body=state | about)


def refs(call: Call) -> Response:
    def listed(kind: str, targets: Mapping[str, str]) -> list[dict[str, str]]:
        return [{"name": name, "ref": f"refs/{kind}/{name}", "targetCommit": oid} for name, oid in targets.items()]

    repo = call.repo
    found = {"branches": listed("heads", repo.branches), "tags": listed("tags", repo.tags), "converts": []}
    return Response(body=found)


def commits(call: Call, revision: str) -> Response:
    listed = [
        {"id": commit.oid, "title": commit.title, "message": commit.message, "authors": [], "date": DATE}
        for commit in call.repo.history(call.repo.at(revision))
    ]
    return page(call, listed)


def tree(call: Call, revision: str, path: str = "") -> Response:
    commit = call.repo.at(revision)
    below = {name for name in commit.files if not path or name.startswith(f"{path}/")}
    if path and not below:
        raise Refused(404, f"{path} does not exist on {revision!r}", "EntryNotFound")
    entries = {entry for name in below for entry in [name, *map(str, PurePosixPath(name).parents)]}
    inside = sorted(entry for entry in entries if entry not in (".", path) and entry.startswith(path))
    if not call.asks("recursive"):
        inside = [entry for entry in inside if "/" not in entry.removeprefix(path).strip("/")]
    return page(call, inside, lambda entry: described(commit, entry, call.asks("expand")))


def page(call: Call, entries: list[Any], show: Any = lambda entry: entry) -> Response:
    start = int(call.query.get("cursor", ["0"])[0])
    end = start + call.hub.page
    headers = {}
    if end < len(entries):
        query = {name: values[0] for name, values in call.query.items()} | {"cursor": str(end)}
        headers["Link"] = f'<{call.hub.url}{call.path}?{urlencode(query)}>; rel="next"'
    return Response(200, [show(entry) for entry in entries[start:end]], headers)


def paths_info(call: Call, revision: str) -> Response:
    commit, asked = call.repo.at(revision), parse_qs(call.body.decode())
    there = [path for path in asked.get("paths", []) if any(f"{name}/".startswith(f"{path}/") for name in commit.files)]
    expand = asked.get("expand", [""])[0].lower() == "true"
    return Response(body=[described(commit, path, expand) for path in there])


def content(call: Call, revision: str, path: str) -> Response:
    commit = call.repo.at(revision)
    headers = {"X-Repo-Commit": commit.oid, "Accept-Ranges": "bytes"}
    if path not in commit.files:
        raise Refused(404, "Entry not found", "EntryNotFound", headers)
    file = commit.files[path]
    headers["ETag"] = f'"{file.sha256 if file.large else file.oid}"'
    if not (asked := re.fullmatch(r"bytes=(\d+)-(\d*)", call.headers.get("Range") or "")):
        data = b"" if call.method == "HEAD" else call.hub.content(file)
        return Response(200, data, headers | {"Content-Length": str(file.size)})
    start, end = int(asked[1]), min(int(asked[2] or file.size), file.size - 1)
    if start >= file.size:
        return Response(416, b"", {"Content-Range": f"bytes */{file.size}"})
    part = call.hub.content(file)[start : end + 1]
    return Response(206, part, headers | {"Content-Range": f"bytes {start}-{end}/{file.size}"})


def described(commit: Commit, path: str, expand: bool) -> dict[str, Any]:
    last = {"lastCommit": {"id": commit.oid, "title": commit.title, "date": DATE}} if expand else {}
    if path not in commit.files:
        return {"type": "directory", "path": path, "size": 0, "oid": git_oid(path.encode())} | last
    file = commit.files[path]
    entry = {"type": "file", "path": path, "size": file.size, "oid": file.oid} | last
    if file.large:
        entry["lfs"] = {"oid": file.sha256, "size": file.size, "pointerSize": pointer_size(file)}
    return entry


def pointer_size(file: File) -> int:
    return len(pointer(file.sha256, file.size))
