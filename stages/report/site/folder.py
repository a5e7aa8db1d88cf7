"""A folder of pages: what has not changed is not written again, and what no page needs any more goes."""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path
from threading import get_ident

ASSETS = ("style.css", "page.js", "items.js")
"""What every page loads: from beside it, never from elsewhere."""


class Folder:
    """A folder that one run writes as a whole. `path`: where it lies; `written`: what belongs into it, by the paths
    below it.

    Files are replaced by rename: a reader sees the old one or the new one. They are not forced onto the disk, for what
    a power failure spoils the next run writes again.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.written: set[str] = set()
        self.made: set[Path] = set()

    def write(self, name: str, content: str | bytes) -> None:
        """Write a file, if there is not just that already."""
        data = content.encode("utf-8", errors="backslashreplace") if isinstance(content, str) else content
        self.keep(name)
        place = self.path / name
        try:
            if place.stat().st_size == len(data) and place.read_bytes() == data:
                return
        except FileNotFoundError:
            if place.parent not in self.made:
                place.parent.mkdir(parents=True, exist_ok=True)
                self.made.add(place.parent)
        beside = place.with_name(f".{place.name}.{get_ident()}.new")  # two threads may write one picture
        beside.write_bytes(data)
        os.replace(beside, place)

    def keep(self, name: str) -> None:
        """Say that a file belongs here, whoever wrote it."""
        self.written.add(name)

    def has(self, name: str) -> bool:
        """Return whether a file is here already: of those that are named by what is in them it is the same."""
        return (self.path / name).is_file()

    def write_assets(self) -> None:
        """Write the styles and the script that every page loads."""
        for name in ASSETS:
            self.write(f"assets/{name}", resources.files(__package__).joinpath("assets", name).read_bytes())

    def forget_others(self) -> None:
        """Delete every file that this run did not write, and folders that are empty then."""
        for place in sorted(self.path.rglob("*"), reverse=True):
            if place.is_dir() and not place.is_symlink():
                if not any(place.iterdir()):
                    place.rmdir()
            elif place.relative_to(self.path).as_posix() not in self.written and place.name != ".gitignore":
                place.unlink()
