"""Pictures of items in files below a folder: looked at with care, as they come from elsewhere."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from stages.evaluation.defining.editions import EditionPicture, Role
from stages.evaluation.defining.pictures import described
from stages.project.inputs import stays_within
from stages.tables.images import as_made

MOST_BYTES = 100_000_000
"""Of one picture's file."""


class PictureFiles(Mapping[str, bytes]):
    """The files that `picture` was asked about, by the sha256 of their bytes; read when asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.paths: dict[str, Path] = {}
        self.known: dict[Path, EditionPicture] = {}

    def picture(self, file: str, name: str, role: Role, origin: str | None = None) -> EditionPicture:
        """Return a file's picture as an item names it; `file` is its path below the folder.

        It is decoded, and kept as it is, byte for byte. ValueError for a path that leads elsewhere (a link may), and
        for what is not one whole picture: broken, animated, too large.
        """
        path = self.found(file)
        if path not in self.known:
            data = path.read_bytes()
            try:
                as_made(data)
                self.known[path] = described(data, "any", role)
            except ValueError as error:
                raise ValueError(f"{file!r} {error}") from None
            self.paths.setdefault(self.known[path].sha256, path)
        own = {"name": name, "role": role} | ({} if origin is None else {"origin": origin})
        return EditionPicture.model_validate(self.known[path].model_dump(exclude_unset=True) | own)

    def among(self, named: Collection[str]) -> PictureFiles:
        some = PictureFiles(self.folder)
        some.paths = {sha256: path for sha256, path in self.paths.items() if sha256 in named}
        return some

    def found(self, file: str) -> Path:
        """Return where a file lies; ValueError when it is not below the folder, or cannot be a picture."""
        path = Path(os.path.realpath(self.folder / file.replace("\0", "")))
        if not stays_within(self.folder, path):
            raise ValueError(f"{file!r} lies outside of {self.folder}: copy the picture there")
        if not path.is_file():
            raise ValueError(f"there is no file {file!r} in {self.folder}: --images names the folder of pictures")
        if (size := path.stat().st_size) > MOST_BYTES:
            raise ValueError(f"{file!r} has {size:,} bytes, at most {MOST_BYTES:,} are read")
        return path

    def __getitem__(self, sha256: str) -> bytes:
        return self.paths[sha256].read_bytes()

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)
