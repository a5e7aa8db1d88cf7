"""Frozen editions of benchmarks: `datasets/editions/<benchmark>/<version>.jsonl`, in git, a line an item, for good.

An item has `id`, `prompt`, and optionally `prompt_zh`, `row` and `row_sha256`: the id of the dataset row that it was
taken from, and the hash of that row's source, without which the id says nothing, as every build has the same ids. What
else it has is its benchmark's own. No prompt is blank, and no edition empty.
"""

from __future__ import annotations

import codecs
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import orjson
from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints, TypeAdapter, ValidationError

from stages.evaluation.defining.parameters import Version
from stages.project.errors import UserError, nearest
from stages.project.files import write_whole
from stages.project.inputs import regular, repeated_keys

EDITIONS = Path("datasets/editions")


def not_blank(text: str) -> str:
    """ValueError for a text of nothing but white space."""
    if not text.strip():
        raise ValueError("is blank")
    return text


Text = Annotated[str, AfterValidator(not_blank)]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class Item(BaseModel):
    """One item of a frozen edition; a benchmark's other keys are kept: its room names them in a class of its own."""

    model_config = ConfigDict(extra="allow", frozen=True)

    id: str | int
    prompt: Text
    prompt_zh: Text | None = None
    row: str | None = None
    row_sha256: Sha256 | None = None


Kind = TypeVar("Kind", bound=Item)


def source_sha256(caption: str | None, prompt: str) -> str:
    """Return the sha256 (hex) of what makes a dataset row the same one in every build: its source's caption, in UTF-8.

    The caption stands before any model has said a word, so other models and thresholds change nothing about it. A row
    without one, invented or found as a picture, has only the prompt that its picture was painted from.
    """
    return hashlib.sha256((prompt if caption is None else caption).encode()).hexdigest()


def path_of(benchmark: str, version: str) -> Path:
    """Return where an edition stands; UserError for a version that is no name."""
    try:
        TypeAdapter(Version).validate_python(version)
    except ValidationError:
        raise UserError(
            f"{version!r} cannot name an edition: small letters, digits, '.', '_' and '-' can, as in v1"
        ) from None
    return EDITIONS / benchmark / f"{version}.jsonl"


def read_editions(folder: Path = EDITIONS) -> Iterator[tuple[str, Item]]:
    """Yield every item of every edition, each with its edition's name, `<benchmark>/<version>`; UserError as in
    `read_items`.
    """
    for path in sorted(folder.rglob("*.jsonl")):
        edition = str(path.relative_to(folder).with_suffix(""))
        yield from ((edition, item) for item in read_items(path, Item))


def read_edition(benchmark: str, version: str, kind: type[Kind]) -> list[Kind]:
    """Return the items of one edition, each checked as a `kind`; UserError when there is none, or as in
    `read_items`.
    """
    path = path_of(benchmark, version)
    if not path.exists():
        known = [other.stem for other in path.parent.glob("*.jsonl")]
        raise UserError(f"{path}: there is no such edition{nearest(version, known)}")
    return list(read_items(path, kind))


def read_items(path: Path, kind: type[Kind], mend: str = "mend it, or restore it from git") -> Iterator[Kind]:
    """Yield the items of a file in order; a UserError names the file and line of what cannot be read, or an empty file,
    and what to do about it.
    """
    ids: set[str] = set()
    for number, line in enumerate(regular(path).read_bytes().removeprefix(codecs.BOM_UTF8).splitlines(), start=1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            item = kind.model_validate(orjson.loads(line))
        except orjson.JSONDecodeError as error:
            raise UserError(f"{where}: not JSON ({error}): {mend}") from None
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            key, said = ".".join(map(str, first["loc"])), first["msg"].removeprefix("Value error, ")
            mistake = f"{key}: {said}" if key else said
            raise UserError(f"{where}: {mistake}: {mend}") from None
        if twice := repeated_keys(line):
            raise UserError(f"{where}: {twice[0]}: the key stands twice: {mend}")
        if str(item.id) in ids:
            raise UserError(f"{where}: id {item.id!r} is taken by an earlier line: mend it")
        ids.add(str(item.id))
        yield item
    if not ids:
        raise UserError(f"{path}: there are no items in it: {mend}")


def freeze(benchmark: str, version: str, items: Sequence[Item]) -> bool:
    """Write an edition; False where it stands there already, with the same items.

    An edition with other items is never overwritten (UserError). ValueError for no items, or an id that stands twice.
    """
    path = path_of(benchmark, version)
    if not items or len({str(item.id) for item in items}) < len(items):
        raise ValueError("an edition has items, each with an id of its own")
    if path.exists():
        if [item.model_dump() for item in read_items(path, type(items[0]))] == [item.model_dump() for item in items]:
            return False
        raise UserError(f"{path} is frozen, with other items: choose another version")
    write_items(items, path)
    return True


def write_items(items: Sequence[Item], path: Path) -> None:
    """Write items as an edition has them, a JSON object a line."""
    write_whole(path, b"".join(orjson.dumps(item.model_dump(exclude_unset=True)) + b"\n" for item in items))
