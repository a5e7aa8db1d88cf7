"""Where the rows of two versions come from: the release's shards, and the editions of benchmarks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol

import pyarrow.parquet as pq

from stages.dataset.shared.joins import RELEASE
from stages.evaluation.defining.editions import path_of, pictures_path
from stages.evaluation.defining.pictures import EditionPictures
from stages.project.errors import UserError, in_one_line
from stages.project.files import sha256_of
from stages.project.revisions import Files, Workspace
from stages.publish import diffing, products
from stages.publish.differences import Part, item_values
from stages.report.site.pace import Pace
from stages.tables.columns import Row
from stages.tables.reading import MANIFEST, manifest, open_parquet, readable

Picture = bytes | str
"""A picture's bytes, or why they are not here, in words that follow "it"."""


class Source(Protocol):
    """Rows of a version by id, with their pictures by name."""

    def rows(self, ids: Sequence[str]) -> Iterator[Row]:
        """Yield the rows of some ids, in this order."""

    def pictures(self, row: Row) -> Mapping[str, Picture]:
        """Return the pictures of a row."""


def released(files: Files, say: Callable[[str], None]) -> list[Part] | None:
    """Return the shards of a version's release; None where it has none. Those that lie here are read and held against
    their manifest. UserError where one is not here, or is not what the manifest says.
    """
    names = [path.name for path in files.below(RELEASE)]
    if MANIFEST not in names:
        return None
    if isinstance(files, Workspace):
        return diffing.parts_here(products.released_files(), say)
    listed = manifest(files.get(RELEASE / MANIFEST).parent)["shards"]
    if strange := [shard["name"] for shard in listed if shard["name"] not in names]:
        raise UserError(f"{RELEASE} of {files.name}: {in_one_line(strange[0])} is no file of it: `dvc repro` there")
    bring = OneAtATime(files)
    return [part_of(shard, bring) for shard in listed]


def part_of(shard: Mapping[str, Any], bring: OneAtATime) -> Part:
    """Return a shard of another revision's release."""
    path = RELEASE / shard["name"]
    return Part(shard["name"], shard["sha256"], shard["rows"], lambda: bring(path))


class OneAtATime:
    """Brings files of a version here, each in the place of the one before."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.last: Path | None = None

    def __call__(self, path: Path) -> Path:
        """Return where the file lies until the next is brought."""
        if self.last is not None:
            self.files.drop(self.last)
        self.last = path
        return self.files.get(path)


def paced(parts: Sequence[Part], pace: Pace) -> list[Part]:
    """Return files of rows that count when they are opened."""

    def opened(part: Part) -> Path:
        pace.moved()
        return part.open()

    return [replace(part, open=lambda part=part: opened(part)) for part in parts]  # type: ignore[misc]


class ReleaseRows:
    """Rows of shards; of a row group those that are asked for one after the other are in memory at a time."""

    def __init__(self, parts: Sequence[Part], ids: Collection[str]) -> None:
        self.parts = parts
        self.open: tuple[int, pq.ParquetFile] | None = None
        self.places: dict[str, tuple[int, int, int]] = {}
        for number in range(len(parts)):
            file = self.opened(number)
            for group in range(file.num_row_groups):
                for row, row_id in enumerate(self.read(group, ["id"])["id"].to_pylist()):
                    if str(row_id) in ids:
                        self.places[str(row_id)] = number, group, row

    def rows(self, ids: Sequence[str]) -> Iterator[Row]:
        """Yield the rows of some ids, in this order; a row group is read once for those that follow each other."""
        for (number, group), following in groupby(ids, key=lambda row_id: self.places[row_id][:2]):
            self.opened(number)
            table = self.read(group).take([self.places[row_id][2] for row_id in following])
            for row in range(len(table)):
                yield table.slice(row, 1).to_pylist()[0]

    def opened(self, number: int) -> pq.ParquetFile:
        """Open a shard, in place of the one before."""
        if self.open is None or self.open[0] != number:
            if self.open is not None:
                self.open[1].close()
            self.open = number, open_parquet(self.parts[number].open())
        return self.open[1]

    def read(self, group: int, columns: Sequence[str] | None = None) -> Any:
        """Read a row group of the shard that is open."""
        assert self.open is not None
        number, file = self.open
        with readable(Path(self.parts[number].name)):
            return file.read_row_group(group, columns=columns)

    def pictures(self, row: Row) -> Mapping[str, Picture]:
        """Return the pictures of a row: what columns of pictures hold."""
        return {
            name: value.get("bytes") or "has no bytes"
            for name, value in row.items()
            if isinstance(value, dict) and "bytes" in value
        }


def edition(files: Files, benchmark: str, version: str | None) -> list[Part] | None:
    """Return an edition as a file of rows; None where there is none. UserError for one that cannot be read."""
    if version is None or not files.has(path := path_of(benchmark, version)):
        return None
    copy = files.get(path)
    return [Part(path.name, sha256_of(copy), len(item_values(copy)), lambda: copy)]


class EditionRows:
    """Items of an edition; their pictures are brought here when the first is asked for."""

    def __init__(self, files: Files, benchmark: str, version: str) -> None:
        self.files, self.folder = files, pictures_path(benchmark, version)
        items = item_values(files.get(path_of(benchmark, version)))
        self.items = {str(item["id"]): item for item in items}
        self.found: EditionPictures | str | None = None

    def rows(self, ids: Sequence[str]) -> Iterator[Row]:
        """Yield the items of some ids, in this order."""
        yield from (self.items[row_id] for row_id in ids)

    def pictures(self, row: Row) -> Mapping[str, Picture]:
        """Return the pictures that an item names, by name and role."""
        return {f"{one['name']} ({one['role']})": self.picture(one["sha256"]) for one in row.get("images", ())}

    def picture(self, sha256: str) -> Picture:
        """Return a picture's bytes, or why they are not here."""
        if self.found is None:
            try:
                self.found = EditionPictures(self.files.get(self.folder))
            except UserError as error:
                self.found = f"is not here: {error}"
        if isinstance(self.found, str):
            return self.found
        try:
            return self.found[sha256].data
        except LookupError as error:
            return f"is not here: {error.args[0]}"
