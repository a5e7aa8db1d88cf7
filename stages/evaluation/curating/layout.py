"""Files in which the items of a benchmark are published elsewhere, with their pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic

from stages.asking.requests import Picture
from stages.evaluation.curating.findings import Finding
from stages.evaluation.defining.benchmark import Kind
from stages.evaluation.defining.editions import Origin
from stages.project.errors import UserError


@dataclass(frozen=True)
class Imported(Generic[Kind]):
    """What was read: items, the bytes of all their pictures by sha256 (`PictureFiles` reads each when it is asked for),
    and where all that comes from, if the files say so.

    `findings`: what is wrong with the items, and what was mended; None where a layout does not look. `unread`: entries
    that can be no item, and why: with any, the files are no edition.
    """

    items: list[Kind]
    pictures: Mapping[str, bytes] = field(default_factory=dict)
    origin: Origin | None = None
    findings: Sequence[Finding] | None = None
    unread: Sequence[str] = ()


@dataclass(frozen=True)
class Layout(Generic[Kind]):
    """Files in which the items of a benchmark are published elsewhere.

    `name`: of the file or folder that `write` makes and `read` takes. `read` is given also the folder of pictures, if
    the command names one; it raises a UserError for what it cannot read. `write` is given items, their pictures by
    sha256, their origin and the path; it raises a ValueError saying why items cannot be written so.
    """

    name: str
    read: Callable[[Path, Path | None], Imported[Kind]]
    write: Callable[[Sequence[Kind], Mapping[str, Picture], Origin | None, Path], None]


def texts_alone(
    name: str, read: Callable[[Path], list[Kind]], write: Callable[[Sequence[Kind], Path], None]
) -> Layout[Kind]:
    """Return a layout of items without pictures."""

    def read_texts(path: Path, images: Path | None) -> Imported[Kind]:
        if images is not None:
            raise UserError(f"--images {images}: {name} have no pictures: leave it out")
        return Imported(read(path))

    def write_texts(items: Sequence[Kind], pictures: Mapping[str, Picture], origin: Origin | None, path: Path) -> None:
        if any(item.images for item in items):
            raise ValueError(f"items have pictures, and {name} have none")
        write(items, path)

    return Layout(name, read_texts, write_texts)
