"""Where things lie in the published folders: one folder an item, with `prompt.json`, pictures, and answers of models.

Pictures that are given lie in `image`, in some items misspelt `inage`; the reference in `ref`. Whatever other folders
an item has are answers, each of the model that it is named after.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import orjson

from stages.evaluation.curating.entries import Entry, NoItemError, held_in
from stages.evaluation.curating.findings import Finding, Findings, unprintable
from stages.project.errors import UserError
from stages.project.inputs import is_visible, regular, repeated_keys, stays_within

PROMPT = "prompt.json"
GIVEN, REFERENCE = ("image", "inage"), "ref"
"""Folders of pictures; of the two spellings the first that has any."""
NO_MODELS = {*GIVEN, REFERENCE, "lumoo"}
"""Folders of an item that the published scripts take for no model's."""
PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff")
MOST_BYTES = 10_000_000
"""Of one prompt.json."""


def in_order(names: Iterable[str]) -> list[str]:
    """Return names in order, their numbers as numbers."""
    parted = {name: [(int(one), "") if one.isdecimal() else (0, one) for one in NUMBER.split(name)] for name in names}
    return sorted(parted, key=lambda name: (parted[name], name))


NUMBER = re.compile(r"([0-9]{1,15})")


def below(folder: Path, findings: list[Finding] | None = None) -> list[Path]:
    """Return what lies in a folder, in order, nothing where there is no folder. What has a name that cannot be printed
    is left aside and told in `findings`; UserError without these.
    """
    names = [path.name for path in folder.iterdir() if is_visible(path.name)] if folder.is_dir() else []
    odd = [unprintable(folder / name) for name in sorted(names) if not name.isprintable()]
    if odd and findings is None:
        raise UserError(f"{odd[0].field}: {odd[0].found}")
    if findings is not None:
        findings += odd
    return [folder / name for name in in_order(filter(str.isprintable, names))]


def items_in(root: Path, findings: list[Finding] | None = None) -> tuple[list[Path], list[str]]:
    """Return the folders of items, `data_<n>` or whatever has a `prompt.json`, and the names of those that are none;
    UserError for a root that is no folder.
    """
    if not root.is_dir():
        raise UserError(f"{root}: is no folder: name the one in which the items' folders lie (data_1, data_2, …)")
    folders = [path for path in below(root, findings) if path.is_dir()]
    of_items = [path for path in folders if path.name.startswith("data_") or (path / PROMPT).exists()]
    return of_items, [path.name for path in folders if path not in of_items]


def plain(name: str) -> str:
    """Return a name as names are told apart: numbers without leading zeros, letters in one case and form (NFC)."""
    return re.sub(r"(?<![0-9])0+(?=[0-9])", "", unicodedata.normalize("NFC", name).casefold())


def prompt_in(root: Path, folder: Path) -> bytes:
    """Return what an item's `prompt.json` holds; NoItemError where it is missing, leads elsewhere or is too large."""
    path = folder / PROMPT
    if not path.is_file():
        raise NoItemError(PROMPT, "type", None, "there is no such file")
    if not stays_within(root, path):
        raise NoItemError(PROMPT, "type", None, "it leads out of the folder: copy the file there")
    if (size := path.stat().st_size) > MOST_BYTES:
        raise NoItemError(PROMPT, "type", size, f"at most {MOST_BYTES:,} bytes are read")
    return regular(path).read_bytes()


def entry_of(root: Path, folder: Path, said: Findings) -> Entry:
    """Return what `prompt.json` says of an item, an object, or a list whose first one counts; NoItemError where it
    cannot be read, or is no such JSON.
    """
    content = prompt_in(root, folder).removeprefix(b"\xef\xbb\xbf")
    try:
        found: Any = orjson.loads(content)
        orjson.dumps(found)  # what is nested more deeply than that could not be written again
    except (orjson.JSONDecodeError, orjson.JSONEncodeError) as error:
        raise NoItemError(PROMPT, "type", shortly(content), f"not JSON ({error})") from None
    if twice := repeated_keys(content):
        raise NoItemError(PROMPT, "type", twice[0], "the key stands twice in an object")
    if isinstance(found, list):
        if len(found) > 1:
            said.say(PROMPT, "count", f"{len(found)} objects", "the first")
        found = found[0] if found else None
    if not isinstance(found, dict):
        raise NoItemError(PROMPT, "type", shortly(content), "no object, and no list of one")
    return found


def content_of(root: Path, folder: Path) -> Any:
    """Return what `prompt.json` holds, whatever it is; "" where it cannot be read."""
    try:
        return held_in(prompt_in(root, folder))
    except NoItemError:
        return ""


def shortly(content: bytes) -> str:
    """Return the beginning of a file."""
    return content[:60].decode(errors="replace")


def pictures_in(root: Path, folder: Path, names: Sequence[str], said: Findings) -> list[str]:
    """Return the pictures of the first of some folders of an item that has any, as paths below the root; what lies in
    a further one is told.
    """
    found = [
        [path.relative_to(root).as_posix() for path in below(folder / name, said) if path.suffix.lower() in PICTURES]
        for name in names
    ]
    there = [(name, files) for name, files in zip(names, found, strict=True) if files]
    for name, files in there[1:]:
        said.say(name, "count", f"{len(files)} pictures beside those in {there[0][0]}", "not used")
    return there[0][1] if there else []


def models_in(folder: Path) -> list[str]:
    """Return the names of the models whose answers lie in an item's folder."""
    return [path.name for path in below(folder) if path.is_dir() and path.name not in NO_MODELS]
