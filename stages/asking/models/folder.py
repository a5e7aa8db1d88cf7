"""Pictures and texts that were made elsewhere, found by the row's id in the layouts that benchmarks publish.

A picture is `<id>.png` (or jpg, jpeg, webp); one of several samples is `<id>_<sample>.png`. The text for a question is
`<question>/<id>.txt`, or a line `{"id": …, "text": …}` of `<question>.jsonl`; its samples are named the same way. Ids
may have slashes: `<track>/<i>.png`, `<task>/<id>.png`; numbers may have leading zeros: `<task>/007.png` is `<task>/7`.

An answer of texts and pictures in order is a line of `answers.jsonl`, `{"id": …, "parts": [{"text": …}, {"image": "a
path in the folder"}]}`, with `"sample"` where there are several; or an entry of a file of results, as released scripts
write them (`folder_results`); or it is `<id>.txt` and `<id>.png`, text first. Its first picture is a painting too.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from stages.asking.models.folder_contents import Found, by_key, contents, named, plain, sampled
from stages.asking.models.weights import digest, walk
from stages.asking.parts import bundled
from stages.asking.requests import Chat, Create, Paint, Reply, Request
from stages.project.errors import UserError
from stages.project.model_kinds import FolderModel as Parameters
from stages.project.model_kinds import identity
from stages.project.settings import on_disk


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
        assert isinstance(request, Chat | Paint | Create)  # params.yaml gives it no other role
        files = files_for(request)
        found = self.found(request, files)
        if found and found[0].absent:
            return Reply(f"{self.shown}/{found[0].absent}".encode(), "missing")
        if not found:
            names = (expected(kind, named(key, request.sample)[-1]) for kind, key in files)
            return Reply(f"no file {' and no '.join(names)} in {self.shown}".encode(), "missing")
        parts: list[str | bytes] = []
        for one in found:
            for piece in pieces_for(request, one) or ("",):
                where = one.where if isinstance(piece, str) else piece.as_posix()
                try:
                    content = await asyncio.to_thread(self.read, piece)
                except OSError as error:
                    return Reply(f"{where}: {error.strerror}".encode(), "transport_error")
                if not content:
                    return Reply(f"{where} in {self.shown} is empty".encode(), "missing")
                if not isinstance(request, Create):
                    return Reply(content if isinstance(request, Paint) else in_form(content, request.schema))
                is_text = one.kind == "text" or isinstance(piece, str)
                parts.append(content.decode("utf-8-sig", "replace") if is_text else content)
        return Reply(bundled(parts))

    def found(self, request: Chat | Paint | Create, files: Iterable[tuple[str, str]]) -> list[Found]:
        """Return what answers a request: a line of answers, or whichever of the files are there.

        Who is to paint is answered by a picture's file first: a line may name it among others.
        """
        line = None if isinstance(request, Chat) else self.answers.get((sampled(request.sample), plain(request.record)))
        if line is not None and isinstance(request, Create):
            return [line]
        names = [[(kind, name) for name in named(plain(key), request.sample)] for kind, key in files]
        there = [one for some in names for one in [self.answers[name] for name in some if name in self.answers][:1]]
        return there or [one for one in [line] if one is not None]

    def read(self, piece: str | Path) -> bytes:
        """Return the bytes of a piece of an answer."""
        return piece.encode() if isinstance(piece, str) else (self.folder / piece).read_bytes()

    async def close(self) -> None:
        """Nothing is held."""


def pieces_for(request: Chat | Paint | Create, found: Found) -> Sequence[str | Path]:
    """Return what of an answer is asked for; of a painting its pictures, of which the first is given."""
    return [piece for piece in found.pieces if isinstance(piece, Path)] if isinstance(request, Paint) else found.pieces


def files_for(request: Chat | Paint | Create) -> list[tuple[str, str]]:
    """Return kind and key of the files that make an answer."""
    match request:
        case Chat():
            return [("text", f"{request.name}/{request.record}")]
        case Paint():
            return [("picture", request.record)]
        case Create():
            kinds = {"text": "text", "image": "picture"}
            return [(kind, request.record) for modality, kind in kinds.items() if modality in request.modalities]


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
    asked, folder = {plain(id) for id in ids}, on_disk(path)
    left = {walked.relative_to(folder).as_posix() for walked in walk(folder)}
    lines = []
    for found in contents("the folder", folder):
        of_question = found.key.partition("/")[2] if found.kind == "text" else found.key
        meant = [plain(key) for key in (found.key, of_question)]
        known = any(id in asked or re.sub(r"_\d+$", "", id) in asked for id in meant)
        if known:
            left -= {piece.as_posix() for piece in found.pieces if isinstance(piece, Path)}
        if found.is_line:
            left.discard(found.where.rpartition(":")[0])
            lines += [] if known else [f"{found.where} ({of_question})"]
    return sorted(left) + lines


def expected(kind: str, key: str) -> str:
    """Return what an answer's file would be called."""
    return f"{key}.txt" if kind == "text" else f"{key}.png (or .jpg, .jpeg, .webp)"
