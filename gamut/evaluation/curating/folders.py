"""Reads released folders: nothing outside of them is read, and no file is left out without a finding."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Generic

import orjson

from gamut.evaluation.curating.entries import Entry, NoItemError, entries_of, json_content
from gamut.evaluation.curating.findings import Finding, Findings, shorten, unprintable_name
from gamut.evaluation.curating.layout import ImportedItems, PictureFiles, Reading
from gamut.evaluation.defining.benchmark import Kind
from gamut.evaluation.defining.editions import ORIGIN, EditionPicture, Origin, Role, read_origin
from gamut.project.errors import UserError, in_one_line
from gamut.project.inputs import is_visible, regular_file, repeated_keys, stays_within
from gamut.project.plain_text import natural_order

PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".tif", ".tiff")
MOST_BYTES = 10_000_000
"""Largest size of the JSON of one item."""


class FolderReading(Reading[Kind], Generic[Kind]):
    """The content of a released folder. Files and folders are named by their paths below `root`."""

    def __init__(self, root: Path, wanted: str, images: Path | None) -> None:
        super().__init__()
        if images is not None:
            raise UserError(f"--images {images}: pictures are in the released folder itself: leave it out")
        if not root.is_dir():
            raise UserError(f"{root} is not a folder: name {wanted}")
        self.root, self.files = root, PictureFiles(root)
        self.unread: list[str] = []

    def below(self, folder: str = "") -> list[str]:
        """Return the visible names in a folder, in order. Unprintable names and links out become findings."""
        place = self.root / folder
        if not place.is_dir():
            return []
        if not stays_within(self.root, place):
            odd, names = [Finding(None, folder, "key", "it leads out of the folder: replace it by a copy")], list[str]()
        else:
            names = sorted(path.name for path in place.iterdir() if is_visible(path.name))
            odd = [unprintable_name(place / name) for name in names if not name.isprintable()]
        self.findings += [said for said in odd if said not in self.findings]
        return sorted(filter(str.isprintable, names), key=lambda name: (natural_order(name), name))

    def folders(self, folder: str = "") -> list[str]:
        return [name for name in self.below(folder) if (self.root / folder / name).is_dir()]

    def pictures(self, folder: str) -> list[str]:
        return [f"{folder}/{name}" for name in self.below(folder) if name.lower().endswith(PICTURES)]

    def picture(self, file: str, name: str, role: Role, field: str, findings: Findings) -> EditionPicture | None:
        try:
            return self.files.picture(file, name, role, file)
        except (ValueError, OSError) as error:
            findings.say(field, "picture", in_one_line(error))
            return None

    def listed(self, file: str) -> list[Any] | None:
        """Return a list of entries in order of ids; None without the file. A broken file becomes a finding."""
        path = self.root / file
        if not path.exists():
            return None
        try:
            if not stays_within(self.root, path):
                raise UserError("it is a link out of the folder: replace it by a copy")
            return entries_of(path)
        except UserError as error:
            self.refuse_file(file, "type", str(error).removeprefix(f"{path}: "))
            return []

    def refuse_file(self, file: str, defect: str, why: str) -> None:
        self.findings.append(Finding(None, file, defect, shorten(why)))
        self.unread.append(f"{file}: {why}")

    def content(self, file: str) -> Any:
        try:
            return json_content(self.bytes_of(file))
        except NoItemError:
            return ""

    def bytes_of(self, file: str) -> bytes:
        """Return the bytes of an item's JSON; NoItemError where it is missing, leads elsewhere or is too large."""
        path, field = self.root / file, Path(file).name
        if not path.is_file():
            raise NoItemError(field, "type", None, "the file does not exist")
        if not stays_within(self.root, path):
            raise NoItemError(field, "type", None, "it is a link out of the folder: replace it by a copy")
        if (size := path.stat().st_size) > MOST_BYTES:
            raise NoItemError(field, "type", size, f"at most {MOST_BYTES:,} bytes are read")
        return regular_file(path).read_bytes()

    def entry(self, file: str, findings: Findings) -> Entry:
        """Return the object in a file, or the first object of a list. NoItemError if there is none."""
        content, field = self.bytes_of(file).removeprefix(b"\xef\xbb\xbf"), Path(file).name
        begins = content[:60].decode(errors="replace")
        try:
            found = orjson.loads(content)
            orjson.dumps(found)  # too deep nesting could not be written again
        except (orjson.JSONDecodeError, orjson.JSONEncodeError) as error:
            raise NoItemError(field, "type", begins, f"not JSON ({error})") from None
        if twice := repeated_keys(content):
            raise NoItemError(field, "type", twice[0], "the key occurs twice in an object")
        if isinstance(found, list):
            if len(found) > 1:
                findings.say(field, "count", f"{len(found)} objects", "the first")
            found = found[0] if found else None
        if not isinstance(found, dict):
            raise NoItemError(field, "type", begins, "an object, or a list of one object, is expected")
        return found

    def imported(self, otherwise: Origin | None = None) -> ImportedItems[Kind]:
        """Return all that was read. The file `<folder>.origin.json` next to the folder may give its origin."""
        origin = origin_beside(self.root) or otherwise
        return ImportedItems(self.items, self.files, origin, self.findings, self.odd, self.unread)


def origin_beside(folder: Path) -> Origin | None:
    folder = Path(os.path.abspath(folder))  # the name of `.`; links are not followed
    return read_origin(folder.with_name(f"{folder.name}{ORIGIN}"))


def unread_keys(entry: Entry, read: Iterable[str], findings: Findings, known: Iterable[str] = ()) -> Entry:
    """Return the keys that were not read; an item keeps them as `released`. Unknown keys become findings."""
    found = {key: entry[key] for key in sorted(entry.keys() - set(read))}
    for key in sorted(found.keys() - set(known)):
        findings.say(key, "key", found[key])
    return found


def comparable_name(name: str) -> str:
    """Return a name as file systems may compare it: letters in one case and form (NFC)."""
    return unicodedata.normalize("NFC", name).casefold()


def take_id(taken: dict[str, str | int], key: str, id: str | int) -> None:
    """Remember an id by the key that identifies it. NoItemError if an earlier id has the same key."""
    if key in taken:
        raise NoItemError("id", "duplicate", id, f"it cannot be told apart from {taken[key]!r}: rename one")
    taken[key] = id
