"""Pictures and texts that were made elsewhere, found by the row's id in the layouts that benchmarks publish.

A picture is `<id>.png` (or jpg, jpeg, webp); one of several samples is `<id>_<sample>.png`. The text for a question is
`<question>/<id>.txt`, or a line `{"id": …, "text": …}` of `<question>.jsonl`; its samples are named the same way. Ids
may have slashes: `<track>/<i>.png`, `<task>/<id>.png`.
"""

from __future__ import annotations

import asyncio
import codecs
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from stages.asking.models.weights import digest, walk
from stages.asking.requests import Chat, Paint, Reply, Request
from stages.project.errors import UserError
from stages.project.inputs import repeated_keys
from stages.project.model_kinds import FolderModel as Parameters
from stages.project.model_kinds import identity
from stages.project.settings import on_disk

PICTURES = (".png", ".jpg", ".jpeg", ".webp")


class Found(NamedTuple):
    """One answer: its key is what it would be asked by, `text` what a line of a .jsonl holds."""

    kind: str
    key: str
    where: str
    text: str | None = None


class FolderModel:
    """Answers with what a folder holds for a row's id; `missing` where there is nothing, or an empty file."""

    by_record = True

    def __init__(self, name: str, model: Parameters) -> None:
        """Look through the folder; `name` is whose it is, "painter (flux)".

        UserError when it is not there, is empty, holds two answers to one request, or is not what `revision` says.
        """
        self.identity: Mapping[str, Any] = identity(model)
        self.concurrency = 16
        self.shown, self.folder = model.path, on_disk(model.path)
        if not self.folder.is_dir():
            raise UserError(f"{name}: there is no folder {self.folder}: mend this model's `path` in params.yaml")
        try:
            self.answers = by_key(name, self.folder)
            found = digest(self.folder)
        except OSError as error:
            raise UserError(f"{name}: {error.filename or self.folder} cannot be read ({error.strerror})") from None
        if found != model.revision:
            raise UserError(
                f"{name}: {self.folder} is not {model.revision}, as params.yaml wants it: put back what has changed, "
                f"or put this model's `revision` there to {found}"
            )

    async def answer(self, request: Request) -> Reply:
        """Look an answer up by the request's record, and a text by its question too."""
        assert isinstance(request, Chat | Paint)  # params.yaml gives it no other role
        kind, key = ("picture", "") if isinstance(request, Paint) else ("text", f"{request.name}/")
        names = [f"{key}{request.record}_{request.sample}"] + [f"{key}{request.record}"] * (request.sample == 0)
        for found in (self.answers[kind, name] for name in names if (kind, name) in self.answers):
            try:
                content = await asyncio.to_thread(self.read, found)
            except OSError as error:
                return Reply(f"{found.where}: {error.strerror}".encode(), "transport_error")
            if content:
                return Reply(content if isinstance(request, Paint) else in_form(content, request.schema))
            return Reply(f"{found.where} in {self.shown} is empty".encode(), "missing")
        return Reply(f"no file {expected(kind, names[-1])} in {self.shown}".encode(), "missing")

    def read(self, found: Found) -> bytes:
        """Return the answer's bytes."""
        return (self.folder / found.where).read_bytes() if found.text is None else found.text.encode()

    async def close(self) -> None:
        """Nothing is held."""


def in_form(text: bytes, schema: Mapping[str, Any]) -> bytes:
    """Return a text as the question wants it: plain text where the reply is an object of one string becomes that
    object.
    """
    properties = schema.get("properties", {})
    if text.lstrip().startswith(b"{") or [value.get("type") for value in properties.values()] != ["string"]:
        return text
    return orjson.dumps({next(iter(properties)): text.decode(errors="replace").strip()})


def unmatched(path: str, ids: Iterable[str]) -> list[str]:
    """Return what a folder holds that no row of these ids can ask for: files in order of their names, then lines of a
    .jsonl.

    A sample's number is no part of an id; a question's name is not checked.
    """
    asked, folder = set(ids), on_disk(path)
    left = {walked.relative_to(folder).as_posix() for walked in walk(folder)}
    lines = []
    for found in contents("the folder", folder):
        id = found.key.partition("/")[2] if found.kind == "text" else found.key
        known = id in asked or re.sub(r"_\d+$", "", id) in asked
        if found.text is not None:
            left.discard(found.where.partition(":")[0])
            lines += [] if known else [f"{found.where} ({id})"]
        elif known:
            left.discard(found.where)
    return sorted(left) + lines


def by_key(name: str, folder: Path) -> dict[tuple[str, str], Found]:
    """Return all answers of a folder; UserError when there are none, or two to one request."""
    answers: dict[tuple[str, str], Found] = {}
    for found in contents(name, folder):
        twin = answers.setdefault((found.kind, found.key), found)
        if twin is not found:
            raise UserError(f"{name}: {folder} answers one request twice, {twin.where} and {found.where}: keep one")
    for (kind, key), found in answers.items():
        if (first := answers.get((kind, f"{key}_0"))) is not None:
            raise UserError(f"{name}: {folder} answers one request twice, {found.where} and {first.where}: keep one")
    if not answers:
        raise UserError(f"{name}: {folder} holds no picture ({', '.join(PICTURES)}) and no text (.txt, .jsonl)")
    return answers


def contents(name: str, folder: Path) -> Iterator[Found]:
    """Yield all answers of a folder in order of their files."""
    for path in walk(folder):
        where = path.relative_to(folder)
        key = where.with_suffix("").as_posix()
        if path.suffix.lower() in PICTURES:
            yield Found("picture", key, where.as_posix())
        elif path.suffix == ".txt" and "/" in key:
            yield Found("text", key, where.as_posix())
        elif path.suffix == ".jsonl" and "/" not in key:
            yield from lines_of(name, path, key)


def lines_of(name: str, path: Path, question: str) -> Iterator[Found]:
    """Yield the texts of a .jsonl; UserError with file and line for one that is not an object of "id" and "text"."""
    for number, line in enumerate(path.read_bytes().removeprefix(codecs.BOM_UTF8).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            entry = orjson.loads(line)
            id, text = entry["id"], entry["text"]
        except (ValueError, LookupError, TypeError):
            id = text = None
        if not isinstance(id, str) or not isinstance(text, str):
            raise UserError(f'{name}: {path}:{number}: is not a line {{"id": "…", "text": "…"}}')
        if twice := {"id", "text"}.intersection(repeated_keys(line)):
            raise UserError(f"{name}: {path}:{number}: the key {min(twice)!r} stands twice: keep one of the two")
        yield Found("text", f"{question}/{id}", f"{path.name}:{number}", text)


def expected(kind: str, key: str) -> str:
    """Return what an answer's file would be called."""
    return f"{key}.txt" if kind == "text" else f"{key}.png (or .jpg, .jpeg, .webp)"
