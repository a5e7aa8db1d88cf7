"""Your own pictures for an edition under construction: they are used instead of pictures painted by a model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from gamut.project.csv_forms import form_rows, refuse_lines
from gamut.project.inputs import regular_file, stays_within
from gamut.tables.columns import Row
from gamut.tables.images import require_picture

COLUMNS = ("slot", "name", "file", "origin", "licence")
MADE_LICENCE = "made for this edition"
"""The licence of pictures that a model made."""


@dataclass(frozen=True)
class OwnPicture:
    """A picture's bytes, unchanged, with its origin and its licence."""

    data: bytes
    origin: str
    licence: str


class OwnPictures(dict[tuple[str, str], OwnPicture]):
    """A person's own pictures, by slot and name."""

    def image(self, slot: str, name: str, painted: bytes, origin: str) -> Row:
        """Return the person's picture, or else the painted one, as a proposal has it. The licence is in its origin."""
        one = self.get((slot, name), OwnPicture(painted, origin, MADE_LICENCE))
        said = f"{one.origin}; licence: {one.licence}"
        return {"name": name, "role": role_of(name), "origin": said, "image": {"bytes": one.data, "path": None}}

    def unused(self, rows: Iterable[Row]) -> list[str]:
        used = {(row["id"], image["name"]) for row in rows for image in row["images"] or ()}
        return [f"{slot}: {name}" for slot, name in sorted(self.keys() - used)]


def role_of(name: str) -> str:
    return name.rpartition("_")[0]


def read_own_pictures(folder: str, edition: str, role: str) -> OwnPictures:
    """Read the pictures of a role. A UserError names the lines that cannot be used."""
    path, pictures = Path(folder, edition, "pictures.csv"), OwnPictures()
    mistakes = []
    for line, row in form_rows(path, COLUMNS, "") if path.exists() else ():
        file, place = path.parent / row["file"], (row["slot"], row["name"])
        if not all(row[name] for name in COLUMNS):
            mistakes.append((line, f"each of {', '.join(COLUMNS)} needs a value"))
        elif not file.is_file() or not stays_within(path.parent, file):
            mistakes.append((line, f"{row['file']!r} is not a file below {path.parent}"))
        elif place in pictures:
            mistakes.append((line, f"{row['slot']} has a picture {row['name']!r} already"))
        elif role_of(row["name"]) == role:
            try:
                pictures[place] = OwnPicture(
                    require_picture(regular_file(file).read_bytes()), row["origin"], row["licence"]
                )
            except ValueError as error:
                mistakes.append((line, f"{row['file']} {error}"))
    refuse_lines(path, mistakes)
    return pictures
