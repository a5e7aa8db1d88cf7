"""Keys of answers, and the files of a folder that paths of another machine, in lists and results, mean.

The longest end of a path that exists in the folder counts. A path may be a Windows path or a `file:` URI; a path with a
backslash is first tried as a name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote

from gamut.asking.models.weights import digest, walk
from gamut.project.errors import UserError, in_one_line
from gamut.project.inputs import leads_out, regular_file, stays_within

PICTURES = (".png", ".jpg", ".jpeg", ".webp")
DEEPEST = 50  # folders of a path that are compared, from its end
SCHEME = "file:"
PADDING = re.compile(r"(^|/)0+(?=[0-9]+(_[0-9]+)?$)")
NAME_BEHIND = re.compile(r"((?:^|/)[0-9]+)_[^/0-9][^/]*$")
TEXTS_OF_ITEM = "text.json"
"""A model's text about an item, in `<item>/<model>/` with its pictures."""
NO_MODELS = {"image", "inage", "ref", "lumoo"}
"""Folders of such an item that published scripts do not count as a model's."""


def paths_of(folder: Path, of: str | None) -> list[Path]:
    """Return the files of a folder in order, without dotfiles; with `of`, only those in folders of this name."""
    return [path for path in walk(folder) if of is None or of in path.relative_to(folder).parts[:-1]]


def digest_of(folder: Path, of: str | None) -> str:
    return digest(folder, paths_of(folder, of))


def files_in(name: str, folder: Path, of: str | None = None) -> list[Path]:
    """Return a folder's files by their paths in it, in order. Raise UserError for links that lead out, for a FIFO, and
    for files in the project that DVC would obey: it runs any dvc.yaml in the project.
    """
    paths = paths_of(folder, of)
    for path in paths:
        if (path.name in ("dvc.yaml", "dvc.lock") or path.suffix == ".dvc") and stays_within(Path(), path):
            raise UserError(f"{name}: {in_one_line(path)}: DVC would obey this file, which is no answer: delete it")
    outside = {parent for parent in {path.parent for path in paths} if not stays_within(folder, parent)}
    for path in paths:
        if path.parent not in outside and not (path.is_symlink() and leads_out(folder, path)):
            regular_file(path)
            continue
        raise UserError(
            f"{name}: {in_one_line(path)}: this link leads out of the folder: put the file itself there (`cp -rL` and "
            "`hf download --local-dir` write files instead of links)"
        )
    return [path.relative_to(folder) for path in paths]


def plain_key(key: str) -> str:
    """Return a key in the form in which keys are compared: in NFC, because some file systems decompose letters."""
    return unicodedata.normalize("NFC", key)


def keyed_path(file: Path, of: str | None) -> Path:
    """Return a file's path in the form of ids: the part after the folder with the name `of`."""
    return file if of is None else Path(*file.parts[file.parts.index(of) + 1 :])


def item_above(file: Path, of: str | None) -> str | None:
    """Return the item of `<item>/<of>/<file>`: of text.json, and of pictures, whose names need not be the item's."""
    if of is None or len(keyed_path(file, of).parts) > 1 or not (above := file.parts[: file.parts.index(of)]):
        return None
    return above[-1] if file.name == TEXTS_OF_ITEM or file.suffix.lower() in PICTURES else None


def unpadded_key(key: str) -> str:
    """Return a key without the leading zeros of the number at its end, and without a name after this number. A sample's
    number may follow.

    Scripts write `0007.png` or `7_Merlion.png` for item 7. A file with exactly the id's name comes first, and only
    `007` answers `007`.
    """
    return PADDING.sub(r"\1", NAME_BEHIND.sub(r"\1", key))


def compared_path(path: str | Path) -> Path:
    return Path(unicodedata.normalize("NFC", str(path)))


def path_parts(path: str) -> tuple[str, ...]:
    """Return the parts of a path of any machine: POSIX, Windows, or the URI of a file."""
    is_uri = path[: len(SCHEME)].lower() == SCHEME
    text = unquote(path[len(SCHEME) :]) if is_uri else path
    return tuple(part for part in re.split(r"[\\/]+", unicodedata.normalize("NFC", text)) if part not in ("", "."))


def path_ends(path: str) -> list[tuple[str, ...]]:
    literal, split = compared_path(path).parts[-DEEPEST:], path_parts(path)[-DEEPEST:]
    named = [end for start in range(len(literal)) if "\\" in "".join(end := literal[start:])]
    return [*named, *(split[start:] for start in range(len(split)))]


def find_file(path: str, beside: Path, files: Mapping[Path, Path]) -> Path | None:
    """Return the file that a path of another machine means, None if it does not exist; `files` by `compared_path`.

    It is the longest end that leads to a file from the folder `beside` or one above it, never out of the folder.
    """
    place = compared_path(beside)
    for end in path_ends(path):
        for base in (place, *place.parents):
            if (file := base.joinpath(*end)) in files:
                return files[file]
    return None


def path_below(path: str, folder: Path) -> Path | None:
    """Return an absolute path relative to a folder; None if it is not an absolute path below it."""
    meant = Path("/", *path_parts(path)) if path[: len(SCHEME)].lower() == SCHEME else compared_path(path)
    bases = [compared_path(base) for base in (folder, folder.resolve())]
    return next((meant.relative_to(base) for base in bases if meant.is_absolute() and meant.is_relative_to(base)), None)


def different_paths(paths: Sequence[str]) -> tuple[str, str] | None:
    """Return two paths that cannot mean the same file, as neither is an end of the other; None if there are none."""
    longest = max(paths, key=lambda path: len(path_parts(path)))
    whole = path_parts(longest)
    for path in paths:
        parts = path_parts(path)
        if whole[len(whole) - len(parts) :] != parts:
            return path, longest
    return None
