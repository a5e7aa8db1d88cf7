"""Pictures and texts that were made elsewhere, found by the row's id in the layouts that benchmarks publish.

A picture is `<id>.png` (or jpg, jpeg, webp); one of several samples is `<id>_<sample>.png`. The text for a question is
`<question>/<id>.txt`, or a line `{"id": …, "text": …}` of `<question>.jsonl`; its samples are named the same way. Ids
may have slashes: `<track>/<i>.png`, `<task>/<id>.png`. `<task>/007.png` answers the item `<task>/007`, and also
`<task>/7` if there is no `<task>/7.png`.

An answer of texts and pictures in order has one of three forms. It is a line of `answers.jsonl`, `{"id": …, "parts":
[{"text": …}, {"image": "a path in the folder"}]}`, with `"sample"` if there are several. Or it is an entry of a file of
results, as released scripts write them (`results`). Or it is `<id>.txt` and `<id>.png`, text first. Its first picture
also counts as a painting. In lists as EvalScope takes them, prompts tell what a picture answers (`lists`).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from gamut.asking.limits import MOST_NAMED
from gamut.asking.models.folder.contents import (
    FILES,
    Contents,
    FolderAnswer,
    ambiguous_answer,
    contents_of,
    index_answers,
    index_unpadded,
    sample_keys,
    sample_kind,
)
from gamut.asking.models.folder.paths import digest_of, plain_key, unpadded_key
from gamut.asking.parts import bundle
from gamut.asking.requests import Chat, Create, Paint, Reply, Request, parts_of, wants_picture
from gamut.project.errors import UserError, in_one_line
from gamut.project.model_kinds import FolderModel as Parameters
from gamut.project.model_kinds import identity
from gamut.project.places import path_on_disk
from gamut.project.plain_text import amount


class Folder:
    """The content of a folder of answers, and the part of it that answers a request."""

    def __init__(self, name: str, path: str, of: str | None = None) -> None:
        """Read a folder. `name` is its model's name, "painter (flux)", and `of` the name of folders in it that hold the
        answers. Raise UserError as `FolderModel` does, except for the revision.
        """
        self.shown, self.folder = path, path_on_disk(path)
        if not self.folder.is_dir():
            raise UserError(f"{name}: there is no folder {self.folder}: fix this model's `path` in params.yaml")
        try:
            contents = self.contents = contents_of(name, self.folder, of)
            self.lists, self.answers = contents.lists, index_answers(name, self.folder, contents)
            self.padded = index_unpadded(self.answers)
        except OSError as error:
            raise unreadable_error(name, self.folder, error) from None

    def lacking(self, request: Chat | Paint | Create) -> str:
        """Return why there is no answer, in words; "" if there is one, even an empty one."""
        found = self.found(request)
        if found and found[0].absent:
            return f"{self.shown}/{found[0].absent}"
        if found:
            held = {one.kind if one.kind in FILES else FILES[isinstance(p, Path)] for one in found for p in one.pieces}
            lacking = [kind for kind, _ in wanted_files(request) if kind not in held]
            return f"{self.shown}/{found[0].where} has no {' and no '.join(lacking)}" if lacking else ""
        names = (expected_file(kind, sample_keys(key, request.sample)[-1]) for kind, key in wanted_files(request))
        listed = "no list has its prompt or id, and " if self.lists.lines and wants_picture(request) else ""
        return f"{listed}no file {' and no '.join(names)} in {self.shown}"

    def tells(self, request: Chat | Paint | Create) -> bool:
        """Return whether there is an answer, or an entry of results which says that it failed."""
        return any(one.absent for one in self.found(request)) or not self.lacking(request)

    def found(self, request: Chat | Paint | Create) -> list[FolderAnswer]:
        """Return a line of answers or of a list, or those files that exist. For a painting, its own file comes before
        lines.
        """
        name = sample_kind(request.sample), plain_key(request.record)
        if name in self.answers and isinstance(request, Create):
            return [self.answers[name]]
        keys = {kind: sample_keys(plain_key(key), request.sample) for kind, key in wanted_files(request)}
        of_kinds = (self.first_named(*((kind, key) for key in some)) for kind, some in keys.items())
        files_there = [answer for answer in of_kinds if answer is not None]
        if not files_there and not isinstance(request, Chat):
            files_there = [one for one in [self.first_named(name)] if one is not None]
        listed = self.list_line(request)
        if listed is None:
            return files_there
        return [ambiguous_answer(listed, files_there[0])] if files_there else [listed]

    def first_named(self, *names: tuple[str, str]) -> FolderAnswer | None:
        there = (answers[name] for answers in (self.answers, self.padded) for name in names if name in answers)
        return next(there, None)

    def list_line(self, request: Chat | Paint | Create) -> FolderAnswer | None:
        if not wants_picture(request):
            return None
        texts = "\n".join(part for part in parts_of(request) if isinstance(part, str))
        prompt = request.prompt if isinstance(request, Paint) else None
        line = self.lists.answer(plain_key(request.record), request.sample, prompt, texts)
        if line is None:
            return None
        return FolderAnswer("picture", request.record, line.where, (line.file,) if line.file else (), line.absent)

    def shared(self, records: Collection[str]) -> tuple[str, str, str] | None:
        """Return a file or line that answers two of these records, with both (`007.png`: `007`, `7`), or None."""
        known = {plain_key(record): record for record in records}
        for (kind, key), answer in self.padded.items():
            first, second = (
                [known[id] for id in possible_ids(kind, one) if id in known] for one in (plain_key(answer.key), key)
            )
            if first and second and self.answers.keys().isdisjoint([(kind, key), (kind, f"{key}_0")]):
                return answer.where, first[0], second[0]
        return None

    def read(self, piece: str | Path) -> bytes:
        return piece.encode() if isinstance(piece, str) else (self.folder / piece).read_bytes()


def unreadable_error(name: str, folder: Path, error: OSError) -> UserError:
    return UserError(f"{name}: {error.filename or folder} cannot be read ({error.strerror})")


class FolderModel:
    """Answers from a folder, by a row's id; `missing` if the folder has no answer, or an empty file."""

    by_record = True

    def __init__(self, name: str, model: Parameters) -> None:
        """Raise UserError if the folder is missing, empty or not of `revision`, or answers one request twice."""
        self.identity: Mapping[str, Any] = identity(model)
        self.concurrency = 16
        self.folder = Folder(name, model.path, model.of)
        try:
            revision = digest_of(self.folder.folder, model.of)
        except OSError as error:
            raise unreadable_error(name, self.folder.folder, error) from None
        if revision != model.revision:
            raise UserError(
                f"{name}: the digest of {self.folder.folder} is {revision}, but params.yaml has {model.revision}: undo "
                "what has changed, or run `gamut pin` to record the new digest"
            )

    async def answer(self, request: Request) -> Reply:
        assert isinstance(request, Chat | Paint | Create)  # params.yaml gives it no other role
        found = self.folder.found(request)
        if not found or found[0].absent:
            return Reply(self.folder.lacking(request).encode(), "missing")
        parts: list[str | bytes] = []
        for answer in found:
            painting = isinstance(request, Paint)  # of whose pictures the first is given
            for piece in [piece for piece in answer.pieces if isinstance(piece, Path) or not painting] or ("",):
                where = answer.where if isinstance(piece, str) else piece.as_posix()
                try:
                    content = await asyncio.to_thread(self.folder.read, piece)
                except OSError as error:
                    return Reply(f"{where}: {error.strerror}".encode(), "transport_error")
                if not content:
                    return Reply(f"{where} in {self.folder.shown} is empty".encode(), "missing")
                if not isinstance(request, Create):
                    return Reply(content if isinstance(request, Paint) else fit_schema(content, request.schema))
                is_text = answer.kind == "text" or isinstance(piece, str)
                parts.append(content.decode("utf-8-sig", "replace") if is_text else content)
        return Reply(bundle(parts))

    async def close(self) -> None:
        """Do nothing: nothing is open."""


def wanted_files(request: Chat | Paint | Create) -> list[tuple[str, str]]:
    match request:
        case Chat():
            return [("text", f"{request.name}/{request.record}")]
        case Paint():
            return [("picture", request.record)]
        case Create():
            kinds = {"text": "text", "image": "picture"}
            return [(kind, request.record) for modality, kind in kinds.items() if modality in request.modalities]


def fit_schema(text: bytes, schema: Mapping[str, Any]) -> bytes:
    """Return a text in the form of the question: if that is an object of one string, plain text becomes its value."""
    properties = schema.get("properties", {})
    if text.lstrip().startswith(b"{") or [value.get("type") for value in properties.values()] != ["string"]:
        return text
    return orjson.dumps({next(iter(properties)): text.decode(errors="replace").strip()})


def possible_ids(kind: str, key: str) -> list[str]:
    """Return the ids that a key may mean: of an item or its sample, or of a text after its question's name."""
    ids = [key, key.partition("/")[2]] if kind == "text" else [key]
    return [one for id in ids for one in (id, re.sub(r"_\d+$", "", id))]


def unmatched_entries(contents: Contents, ids: Iterable[str]) -> list[str]:
    """Return the entries that no row of these ids can ask for: files by name, then lines of a .jsonl.

    Numbers of samples, names of questions, and what lists hold besides prompts do not matter.
    """
    ids_asked = {plain_key(id) for id in ids}
    files, lists, answers = contents
    listed = lists.files | {Path(line.where.rpartition(":")[0]) for line in lists.lines}
    unasked_files = {file.as_posix() for file in files if file not in listed}
    lines = []
    keys = {(found.kind, plain_key(found.key)) for found in answers}
    for answer in answers:
        of_question = answer.key.partition("/")[2] if answer.kind == "text" else answer.key
        key = plain_key(answer.key)
        meant_ids = possible_ids(answer.kind, key)
        if (answer.kind, unpadded_key(key)) not in keys:
            meant_ids += possible_ids(answer.kind, unpadded_key(key))
        known = not ids_asked.isdisjoint(meant_ids)
        if known:
            unasked_files -= {piece.as_posix() for piece in answer.pieces if isinstance(piece, Path)}
        if answer.is_line:
            unasked_files.discard(answer.where.rpartition(":")[0])
            lines += [] if known else [f"{answer.where} ({of_question})"]
    return sorted(unasked_files) + lines


def surplus_lines(shown: str, contents: Contents, ids: Iterable[str], unused: Sequence[str] = ()) -> list[str]:
    """Return lines to print about files and lines of a folder that answer nothing, apart from `unused` ones."""
    said, unmatched = [], [*unmatched_entries(contents, ids), *unused]
    of_failed = {str(piece) for answer in contents.answers if answer.absent for piece in answer.pieces}
    failed = sorted(of_failed - {*unmatched})
    if unmatched:
        answer = amount(len(unmatched), "file or line answers", "files or lines answer")
        said.append(f"{shown}: {answer} nothing that is asked: {first_names(unmatched)}")
    if failed:
        said.append(f"{shown}: {amount(len(failed), 'file')} of entries that say `failed`: {first_names(failed)}")
    return said


def first_names(names: Sequence[str]) -> str:
    return ", ".join(map(in_one_line, names[:MOST_NAMED])) + (", …" if len(names) > MOST_NAMED else "")


def expected_file(kind: str, key: str) -> str:
    return f"{key}.txt" if kind == "text" else f"{key}.png (or .jpg, .jpeg, .webp)"
