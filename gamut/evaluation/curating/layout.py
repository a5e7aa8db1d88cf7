"""Files in which the items of a benchmark are published elsewhere, with their pictures."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, NamedTuple

from pydantic import ValidationError

from gamut.evaluation.curating.entries import NoItemError, as_writable, require_sound
from gamut.evaluation.curating.findings import Finding, Findings
from gamut.evaluation.defining.benchmark import Kind
from gamut.evaluation.defining.editions import ORIGIN, EditionPicture, Origin, Role, read_items, read_origin
from gamut.evaluation.defining.pictures import describe_picture
from gamut.project.errors import UserError
from gamut.project.inputs import stays_within
from gamut.tables.images import require_picture

MOST_BYTES = 100_000_000
"""Largest size of one picture's file."""


class PictureFiles(Mapping[str, bytes]):
    """The files that were given to `picture`, by the sha256 of their bytes. They are read on request."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.paths: dict[str, Path] = {}
        self.known: dict[Path, EditionPicture] = {}

    def picture(self, file: str, name: str, role: Role, origin: str | None = None) -> EditionPicture:
        """Return a file's picture in an item's form. ValueError for a path outside the folder, or a broken picture."""
        path = self.found(file)
        if path not in self.known:
            data = path.read_bytes()
            try:
                require_picture(data)
                self.known[path] = describe_picture(data, "any", role)
            except ValueError as error:
                raise ValueError(f"{file!r} {error}") from None
            self.paths.setdefault(self.known[path].sha256, path)
        own = {"name": name, "role": role} | ({} if origin is None else {"origin": origin})
        return EditionPicture.model_validate(self.known[path].model_dump(exclude_unset=True) | own)

    def among(self, digests: Collection[str]) -> PictureFiles:
        some = PictureFiles(self.folder)
        some.paths = {sha256: path for sha256, path in self.paths.items() if sha256 in digests}
        return some

    def found(self, file: str) -> Path:
        """Return the path of a file. ValueError if it is not below the folder, or cannot be a picture."""
        path = Path(os.path.realpath(self.folder / file.replace("\0", "")))
        if not stays_within(self.folder, path):
            raise ValueError(f"{file!r} lies outside of {self.folder}: copy the picture there")
        if not path.is_file():
            raise ValueError(f"there is no file {file!r} in {self.folder}: name the folder of pictures with --images")
        if (size := path.stat().st_size) > MOST_BYTES:
            raise ValueError(f"{file!r} has {size:,} bytes, but at most {MOST_BYTES:,} are read")
        return path

    def __getitem__(self, sha256: str) -> bytes:
        return self.paths[sha256].read_bytes()

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)


class OddContent(NamedTuple):
    """An entry that cannot become an item: its id, if it has one, the reason, and its content."""

    id: str | int | None
    why: str
    entry: Any

    @property
    def said(self) -> str:
        return f"{'an entry without an id' if self.id is None else self.id}: {self.why}"


class Reading(Generic[Kind]):
    """The content of published entries: items, entries that cannot become items, and defects of both."""

    def __init__(self) -> None:
        self.items: list[Kind] = []
        self.findings: list[Finding] = []
        self.odd: list[OddContent] = []

    def add(self, id: str | int | None, entry: Any, make: Callable[[Findings], Kind]) -> None:
        """Add an entry. `make` returns its item, or raises NoItemError (or pydantic's) if it is not one."""
        findings = Findings(id)
        try:
            require_sound(entry)
            self.items.append(make(findings))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"])) or "id"
            self.refuse(NoItemError(where, "type", first["input"], first["msg"]), findings, entry)
        except NoItemError as error:
            self.refuse(error, findings, entry)
        self.findings += findings

    def refuse(self, error: NoItemError, findings: Findings, entry: Any) -> None:
        findings.say(*error.finding)
        self.odd.append(OddContent(findings.of, str(error), as_writable(entry)))


@dataclass(frozen=True)
class ImportedItems(Generic[Kind]):
    """Items, their pictures by sha256, and the origin, if the files state it.

    `findings`: defects and fixes; None if a layout does not look for any. `odd`: entries that cannot become items.
    `unread`: whole files that cannot be read, and why; with any of them no edition is made.
    """

    items: list[Kind]
    pictures: Mapping[str, bytes] = field(default_factory=dict)
    origin: Origin | None = None
    findings: Sequence[Finding] | None = None
    odd: Sequence[OddContent] = ()
    unread: Sequence[str] = ()


@dataclass(frozen=True)
class Layout(Generic[Kind]):
    """Files in which items are published. `read` also gets the folder of pictures, if one is named."""

    name: str
    read: Callable[[Path, Path | None], ImportedItems[Kind]]


def json_lines(kind: type[Kind]) -> Layout[Kind]:
    """Return the default layout: one JSON object per line, as editions are kept. A picture has `name`, `role` and
    `file`. The file `<stem>.origin.json` next to the items gives the origin.
    """

    def read(path: Path, images: Path | None) -> ImportedItems[Kind]:
        if not path.is_file():
            raise UserError(f"{path} is not a file: name a file with one JSON object per line")
        files = picture_files(images, path)
        items = list(read_items(path, kind, "fix it", lambda line: with_pictures(line, files)))
        if images is not None and not files:
            raise UserError(f"--images {images}: no item of {path} has a picture: leave it out")
        return ImportedItems(items, files, origin_of(path))

    return Layout("items.jsonl", read)


def picture_files(images: Path | None, path: Path) -> PictureFiles:
    """Return the files below the folder named by --images, or below the folder of the items' file."""
    if images is not None and not images.is_dir():
        raise UserError(f"--images {images}: this is not a folder: name the folder of the pictures")
    return PictureFiles(images or path.parent)


def origin_of(path: Path) -> Origin | None:
    return read_origin(path.with_name(f"{path.stem}{ORIGIN}"))


def with_pictures(line: Any, files: PictureFiles) -> Any:
    """Return a line's JSON with its pictures as an edition names them; ValueError for one that cannot be used."""
    if not isinstance(line, dict) or not isinstance(line.get("images"), list):
        return line
    return line | {"images": [picture_of(one, files) for one in line["images"]]}


def picture_of(stated: Any, files: PictureFiles) -> dict[str, Any]:
    """Return one picture in an edition's form. ValueError if the line states something else about it."""
    if not isinstance(stated, dict) or not all(isinstance(stated.get(key), str) for key in ("name", "role", "file")):
        raise ValueError("images: each has to be an object with name, role and file")
    found = files.picture(stated["file"], "any", "input").model_dump(exclude_unset=True)
    for key in ("sha256", "media_type", "width", "height"):
        if stated.get(key, found[key]) != found[key]:
            raise ValueError(f"{stated['file']!r} has the {key} {found[key]}, but the line says {stated[key]!r}")
    return found | {key: value for key, value in stated.items() if key != "file"}
