"""The layout of benchmarks without one of their own: a JSON object a line, as editions are kept, and pictures as files.

`items.jsonl` has an item a line. A picture of it has `name`, `role` and `file`, its path below the folder of pictures
(which is that of `items.jsonl` where no other is named); what else is said of it has to be true. `items.origin.json`
beside it says where all that comes from, if it is there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from stages.evaluation.curating.layout import Imported, Layout
from stages.evaluation.curating.picture_files import PictureFiles
from stages.evaluation.defining.benchmark import Kind
from stages.evaluation.defining.editions import (
    ORIGIN,
    read_items,
    read_origin,
)
from stages.project.errors import UserError

NAME = "items.jsonl"


def json_lines(kind: type[Kind]) -> Layout[Kind]:

    def read(path: Path, images: Path | None) -> Imported[Kind]:
        if not path.is_file():
            raise UserError(f"{path}: is no file: one with a JSON object a line is wanted")
        if images is not None and not images.is_dir():
            raise UserError(f"--images {images}: is no folder: name that of the pictures")
        files = PictureFiles(images or path.parent)
        items = list(read_items(path, kind, "mend it", lambda line: with_pictures(line, files)))
        if images is not None and not files:
            raise UserError(f"--images {images}: no item of {path} has a picture: leave it out")
        return Imported(items, files, read_origin(path.with_name(f"{path.stem}{ORIGIN}")))

    return Layout(NAME, read)


def with_pictures(line: Any, files: PictureFiles) -> Any:
    """Return a line's JSON with its pictures as an edition names them; ValueError for one that cannot be used."""
    if not isinstance(line, dict) or not isinstance(line.get("images"), list):
        return line
    return line | {"images": [picture_of(one, files) for one in line["images"]]}


def picture_of(said: Any, files: PictureFiles) -> dict[str, Any]:
    """Return one picture as an edition names it; ValueError when something else is said of it than is true."""
    if not isinstance(said, dict) or not all(isinstance(said.get(key), str) for key in ("name", "role", "file")):
        raise ValueError("images: each is an object with name, role and file")
    found = files.picture(said["file"], "any", "input").model_dump(exclude_unset=True)
    for key in ("sha256", "media_type", "width", "height"):
        if said.get(key, found[key]) != found[key]:
            raise ValueError(f"{said['file']!r} has the {key} {found[key]}, the line says {said[key]!r}")
    return found | {key: value for key, value in said.items() if key != "file"}
