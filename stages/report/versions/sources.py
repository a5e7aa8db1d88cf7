"""Where the rows of two versions come from: the release's shards, and the editions of benchmarks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from stages.dataset.shared.joins import RELEASE
from stages.evaluation.defining.editions import path_of
from stages.project.errors import UserError, in_one_line
from stages.project.files import sha256_of
from stages.project.revisions import Files, Workspace
from stages.publish import diffing, products
from stages.publish.differences import Part, item_values
from stages.tables.columns import Row
from stages.tables.reading import MANIFEST, manifest, open_parquet, readable


def released(files: Files, say: Callable[[str], None]) -> list[Part] | None:
    """Return the shards of a version's release, if any; those that lie here are held against their manifest."""
    names = [path.name for path in files.below(RELEASE)]
    if MANIFEST not in names:
        return None
    if isinstance(files, Workspace):
        return diffing.parts_here(products.released_files(), say)
    listed = manifest(files.get(RELEASE / MANIFEST).parent)["shards"]
    if strange := [shard["name"] for shard in listed if shard["name"] not in names]:
        raise UserError(f"{RELEASE} of {files.name}: {in_one_line(strange[0])} is no file of it: `dvc repro` there")
    bring = OneAtATime(files)
    return [
        Part(shard["name"], shard["sha256"], shard["rows"], partial(bring, RELEASE / shard["name"])) for shard in listed
    ]


class OneAtATime:
    """Brings files of a version here, each in the place of the one before."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.last: Path | None = None

    def __call__(self, path: Path) -> Path:
        if self.last is not None:
            self.files.drop(self.last)
        self.last = path
        return self.files.get(path)


def edition(benchmark: str, files: Files, version: str | None) -> list[Part] | None:
    """Return an edition as a file of rows; None where there is none. UserError for one that cannot be read."""
    if version is None or not files.has(path := path_of(benchmark, version)):
        return None
    copy = files.get(path)
    return [Part(path.name, sha256_of(copy), len(item_values(copy)), lambda: copy)]


def rows_in(parts: Sequence[Part], ids: Collection[str]) -> dict[str, Row]:
    found: dict[str, Row] = {}
    for part in parts:
        if part.name.endswith(".jsonl"):
            found |= {str(item["id"]): item for item in item_values(part.open()) if str(item["id"]) in ids}
            continue
        with open_parquet(part.open()) as file, readable(Path(part.name)):
            columns = [column.name for column in file.schema_arrow if not pa.types.is_struct(column.type)]
            for group in range(file.num_row_groups):
                table = file.read_row_group(group, columns)
                chosen = pc.is_in(table["id"].cast(pa.string()), pa.array(sorted(ids), pa.string()))
                found |= {str(row["id"]): row for row in table.filter(chosen).to_pylist()}
    return found
