"""A folder of pages: unchanged files are not written again, and files that no page needs any more are deleted.

The report may overwrite and delete everything in such a folder. So the folder has a mark, and other folders are never
used.
"""

from __future__ import annotations

import os
import secrets
from importlib import resources
from pathlib import Path, PurePath

from gamut.project.errors import UserError, in_one_line
from gamut.project.plain_text import name_first

REPORT = Path("report")
"""The folder of pages: the first page, the dataset in `dataset`, each benchmark in `benchmarks/<its name>`."""
ASSETS = ("style.css", "page.js", "items.js", "rows.js", "search.js")
"""The files that pages load, always from their own folder."""
MARK = ".gamut-report"
"""The file that marks a folder as the report's own."""
MARK_TEXT = "Written by `gamut report`, which overwrites and deletes what is here.\n"
NOT_OURS_TO_DELETE = ".gitignore"
"""DVC or a person writes it, and no page has this name."""
MOST_NAMED = 3
"""How many foreign files a message names."""


def claim(path: Path) -> None:
    """Mark a folder as the report's own; UserError if it has foreign files."""
    mark = path / MARK
    if path.exists() and not mark.is_file():  # DVC may have made a link to its cache of it
        foreign = sorted(place.name for place in path.iterdir() if place.name != NOT_OURS_TO_DELETE)
        if foreign:
            raise UserError(
                f"{in_one_line(path)} holds other files ({in_one_line(name_first(foreign, MOST_NAMED))}), and a report "
                "deletes what it did not write: name a new or empty folder"
            )
    path.mkdir(parents=True, exist_ok=True)
    if not mark.exists():
        mark.write_text(MARK_TEXT)


class Folder:
    """A folder that one run writes as a whole. Files are replaced by rename, so that the target of a link (DVC's cache)
    does not change. A link in the place of a folder is removed, so that nothing is written to its target.
    """

    def __init__(self, path: Path) -> None:
        claim(path)
        self.path = path
        self.written: set[str] = {MARK}
        self.made: set[Path] = set()

    def write(self, name: str, content: str | bytes) -> None:
        """Write a file, unless it exists with the same content."""
        data = content.encode("utf-8", errors="backslashreplace") if isinstance(content, str) else content
        self.keep(name)
        place = self.place(name)
        if place.is_file() and place.stat().st_size == len(data) and place.read_bytes() == data:
            return
        beside = place.with_name(f".{place.name}.{secrets.token_hex(4)}.new")  # threads may write the same thumbnail
        with beside.open("xb") as file:
            file.write(data)
        os.replace(beside, place)

    def keep(self, name: str) -> None:
        """Note that a file belongs here, so that it is not deleted."""
        self.written.add(name)

    def place(self, name: str) -> Path:
        """Return the place of a file. Its folder is made; a link in the place of a folder is deleted."""
        place = self.path / name
        if place.parent not in self.made:
            for folder in reversed(PurePath(name).parents[:-1]):
                if (self.path / folder).is_symlink():
                    (self.path / folder).unlink(missing_ok=True)
            place.parent.mkdir(parents=True, exist_ok=True)
            self.made.add(place.parent)
        return place

    def write_assets(self) -> None:
        for name in ASSETS:
            self.write(f"assets/{name}", resources.files(__package__).joinpath("assets", name).read_bytes())

    def forget_others(self) -> None:
        """Delete every file that this run did not write, and folders that become empty."""
        for place in sorted(self.path.rglob("*"), reverse=True):
            if place.is_dir() and not place.is_symlink():
                if not any(place.iterdir()):
                    place.rmdir()
            elif place.relative_to(self.path).as_posix() not in self.written and place.name != NOT_OURS_TO_DELETE:
                place.unlink()
