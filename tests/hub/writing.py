"""What changes the Hub: new repositories, uploads, commits and tags; and what it says of a card's metadata."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import Any

from tests.hub.answers import Call, Refused, Response
from tests.hub.state import Commit, File, is_large, large_file, small_file


def create(call: Call) -> Response:
    asked = json.loads(call.body)
    kind = f"{asked.get('type', 'model')}s"
    name = f"{asked.get('organization') or call.hub.user}/{asked['name']}"
    if not re.fullmatch(r"[\w.-]+/[\w-][\w.-]{0,95}", name):
        raise Refused(400, f"Invalid repo name: {name}")
    if kind == "spaces" and asked.get("sdk") not in ("static", "docker", "gradio"):
        raise Refused(400, '"sdk" is required')
    known = call.hub.state.repos.get((kind, name))
    repo = known or call.hub.state.create(kind, name, asked.get("visibility") == "private")
    found = {"url": f"{call.hub.url}/{repo.path}", "name": name, "id": name}
    # The client takes the address of a repository that is there already out of the refusal.
    return (
        Response(409, found | {"error": f"You already created this {kind[:-1]} repo"})
        if known
        else Response(200, found)
    )


def preupload(call: Call, revision: str) -> Response:
    there = call.repo.at(revision).files
    answers = []
    for asked in json.loads(call.body)["files"]:
        path, sample = asked["path"], base64.b64decode(asked["sample"])
        mode = "lfs" if is_large(path, asked["size"], sample) else "regular"
        answer = {"path": path, "uploadMode": mode, "shouldIgnore": False}
        if path in there:  # the client leaves out what has not changed
            answer["oid"] = there[path].sha256 if there[path].large else there[path].oid
        answers.append(answer)
    return Response(body={"files": answers})


def batch(call: Call) -> Response:
    address = f"{call.hub.url}/{call.repo.path}.git/info/lfs/objects/verify"
    objects = []
    for asked in json.loads(call.body)["objects"]:
        wanted: dict[str, Any] = {"oid": asked["oid"], "size": asked["size"]}
        if not call.hub.state.content(asked["oid"]).exists():
            upload = {"href": f"{call.hub.url}/lfs/{asked['oid']}", "header": {}}
            wanted["actions"] = {"upload": upload, "verify": {"href": address, "header": {}}}
        objects.append(wanted)
    return Response(body={"transfer": "basic", "objects": objects})


def upload(call: Call, oid: str) -> Response:
    if hashlib.sha256(call.body).hexdigest() != oid:
        raise Refused(400, f"the bytes are not those of {oid}")
    call.hub.state.keep(call.body)
    return Response()


def verify(call: Call) -> Response:
    asked = json.loads(call.body)
    stored = call.hub.state.content(asked["oid"])
    if not stored.exists() or stored.stat().st_size != asked["size"]:
        raise Refused(404, "Object not found")
    return Response()


def commit(call: Call, revision: str) -> Response:
    header, *operations = [json.loads(line) for line in call.body.splitlines() if line.strip()]
    repo, said = call.repo, header["value"]
    parent, head = said.get("parentCommit", ""), repo.at(revision)
    if not head.oid.startswith(parent):
        raise Refused(412, "A commit has happened since. Please refresh and try again.")
    if revision not in repo.branches:
        raise Refused(400, f"{revision} is no branch")
    files = changed(call, head, operations)
    new = call.hub.state.add(repo, head.oid, said["summary"], said.get("description", ""), files)
    done = {"success": True, "commitOid": new.oid, "commitUrl": f"{call.hub.url}/{repo.path}/commit/{new.oid}"}
    repo.branches[revision] = new.oid
    return Response(body=done)


def changed(call: Call, head: Commit, operations: list[dict[str, Any]]) -> dict[str, File]:
    """A commit's files after these operations: all of them, or none where one is refused."""
    files = dict(head.files)
    for operation in operations:
        key, value = operation["key"], operation["value"]
        path = value["path"]
        if key == "file":
            data = base64.b64decode(value["content"]) if value["encoding"] == "base64" else value["content"].encode()
            if path == "README.md" and (errors := errors_of(data.decode(), call.repo.kind)):
                raise Refused(400, "Invalid metadata in README.md: " + "; ".join(errors))
            files[path] = small_file(call.hub.state.keep(data), data)
        elif key == "lfsFile":
            files[path] = uploaded(call, path, value["oid"], value.get("size"))
        elif key == "deletedFile":
            if path not in files:
                raise Refused(404, "A file with this name doesn't exist", "EntryNotFound")
            del files[path]
        else:
            raise Refused(400, f"unknown operation {key}")
    return files


def uploaded(call: Call, path: str, oid: str, size: int | None) -> File:
    """A large file whose bytes came earlier; with Xet they went past the Hub, which takes the client's word."""
    stored = call.hub.state.content(oid)
    if stored.exists():
        return large_file(oid, stored.stat().st_size)
    if call.hub.xet and size is not None:
        return large_file(oid, size)
    words = "Your push was rejected because an LFS pointer pointed to a file that does not exist."
    raise Refused(400, f"{words} Offending file: - {path}")


def tag(call: Call, revision: str) -> Response:
    name, target = json.loads(call.body)["tag"], call.repo.at(revision).oid
    named(call, call.repo.tags, name, target, "Tag")
    return Response()


def named(call: Call, names: dict[str, str], name: str, target: str, what: str) -> None:
    if not re.fullmatch(r"(?!.*(\.\.|//|@\{))[^\s~^:?*\[\\/.-][^\s~^:?*\[\\]*(?<![./])", name):
        raise Refused(400, f"Invalid name: {name}")
    if name in names:
        raise Refused(409, f"{what} {name} already exists")
    names[name] = target


LICENSES = ["apache-2.0", "mit", "cc0-1.0", "cc-by-4.0", "cc-by-sa-4.0", "cc-by-nc-4.0", "odc-by", "other"]
"""Some of the identifiers that the Hub takes."""


def validate(call: Call) -> Response:
    asked = json.loads(call.body)
    content, kind = asked["content"], f"{asked['repoType']}s"
    if front_matter(content) is None:
        return Response(body={"errors": [], "warnings": [{"message": "empty or missing yaml metadata in repo card"}]})
    errors = [{"message": error} for error in errors_of(content, kind)]
    said = {"errors": errors, "warnings": []}
    return Response(400, said | {"error": errors[0]["message"]}) if errors else Response(body=said)


def errors_of(content: str, kind: str) -> list[str]:
    """What is wrong with a card's licence, or a Space's `sdk`. A card without a licence is refused here, which the real
    Hub would let pass.
    """
    lines = front_matter(content)
    if lines is None:
        return []
    found = re.search(r"^license:[ \t]*(.*)((?:\n[ \t]*- .*)*)", lines, re.MULTILINE)
    named = re.findall(r"[^\s\"'\[\],]+", found[1] + found[2].replace("- ", " ")) if found else []
    if kind == "spaces" and not re.search("^sdk: *(static|docker|gradio)$", lines, re.MULTILINE):
        return ['"sdk" is required']
    if not named:
        return ['"license" is required']
    return [f'"license" must be one of [{", ".join(LICENSES)}]' for name in named if name not in LICENSES]


def front_matter(content: str) -> str | None:
    found = re.match(r"\s*---[\n\r]+([\S\s]*?)[\n\r]+---([\n\r]|$)", content)
    return found[1] if found else None
