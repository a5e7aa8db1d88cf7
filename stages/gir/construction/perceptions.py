"""A person's own pictures in which a region is to be found: `<folder>/<edition>/perception.jsonl`, an object a line.

Its keys: `image` and `mask`, files below the folder of the list; `description`, a sentence that says what is to be
found; `origin` and `licence`. A mask is light where the region is, and as large as its picture.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field, ValidationError

from stages.gir.shared.measures.overlap import INSIDE
from stages.project.csv_forms import refuse
from stages.project.errors import UserError
from stages.project.inputs import regular, stays_within
from stages.project.validation import Strict
from stages.tables.images import UnusableError, upright_jpeg, upright_rgb

LIST = "perception.jsonl"
Said = Annotated[str, Field(pattern=r"^\S(.*\S)?$")]


class Line(Strict):
    """A line of the list."""

    image: Said
    mask: Said
    description: Annotated[str, Field(pattern=r"^\S.*[.。]$")]
    origin: Said
    licence: Said


class Perception(NamedTuple):
    """A picture as a JPEG, the region as a PNG of black and white, what is to be found, and where both come from."""

    picture: bytes
    mask: bytes
    description: str
    origin: str


def read_perceptions(folder: str, edition: str) -> list[Perception]:
    """Read a person's own, in order; none where there is no list. A UserError names the lines that cannot be used."""
    path = Path(folder, edition, LIST)
    if not path.exists():
        return []
    found, mistakes = [], []
    try:
        lines = regular(path).read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 text ({error.reason}): convert it first") from None
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                found.append(perception_of(Line.model_validate_json(line), path.parent))
            except ValidationError as error:
                first = error.errors(include_url=False, include_input=False)[0]
                mistakes.append((number, ": ".join([*map(str, first["loc"]), first["msg"]])))
            except ValueError as error:
                mistakes.append((number, str(error)))
    refuse(path, mistakes)
    return found


def perception_of(line: Line, folder: Path) -> Perception:
    """Return what a line names; ValueError for what cannot be used."""
    files = {}
    for name in (line.image, line.mask):
        file = folder / name
        if not file.is_file() or not stays_within(folder, file):
            raise ValueError(f"{name!r} is no file below {folder}")
        files[name] = regular(file).read_bytes()
    try:
        picture = upright_jpeg(files[line.image])
    except UnusableError as error:
        raise ValueError(f"{line.image} {error}") from None
    try:
        mask = mask_of(files[line.mask], upright_rgb(picture).size)
    except UnusableError as error:
        raise ValueError(f"{line.mask} {error}") from None
    return Perception(picture, mask, line.description, f"{line.origin}; licence: {line.licence}")


def mask_of(data: bytes, size: tuple[int, int]) -> bytes:
    """Return a mask for a picture of a width and height as a PNG of 0 and 255.

    UnusableError for one of another size, of nothing, or of everything.
    """
    mask = upright_rgb(data).convert("L")
    if mask.size != size:
        raise UnusableError(f"is {mask.width}x{mask.height} pixels, its picture {size[0]}x{size[1]}")
    region = mask.point([0] * (INSIDE + 1) + [255] * (255 - INSIDE))
    if region.getextrema() != (0, 255):
        raise UnusableError("is of one colour: there is no region in it")
    out = io.BytesIO()
    region.save(out, "PNG", optimize=True)
    return out.getvalue()


def share_of(mask: bytes) -> float:
    """Return which share of its picture a mask covers, 0..1."""
    counts = upright_rgb(mask).convert("L").histogram()
    return counts[255] / sum(counts)
