"""What can be published: the dataset that a build released, and the frozen edition of each benchmark."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.json

from stages.dataset.shared.joins import RELEASE
from stages.evaluation.defining.editions import EDITIONS, Item, path_of, read_edition
from stages.leaderboard.rooms import rooms
from stages.project.errors import UserError, nearest
from stages.publish.parameters import DATASET, PRODUCTS, Everything
from stages.publish.publication import Publication
from stages.tables.reading import manifest, open_parquet

DATA = "data/"


@dataclass(frozen=True)
class DataFile:
    """A file of rows: where it lies here, its rows, its size in bytes, the sha256 of its bytes."""

    local: Path
    rows: int
    size: int
    sha256: str

    @property
    def path(self) -> str:
        """Return its path on the Hub, which never changes what it holds: other bytes have another path."""
        return f"{DATA}{self.local.stem}-{self.sha256[:8]}{self.local.suffix}"


@dataclass(frozen=True)
class Product:
    """What is published: its name, how it is to be published, its rows in files, their columns."""

    name: str
    publication: Publication
    files: Sequence[DataFile]
    schema: pa.Schema

    @property
    def rows(self) -> int:
        """Return rows of all files."""
        return sum(file.rows for file in self.files)

    @property
    def split(self) -> str:
        """Return the name under which `datasets` finds the rows."""
        return "train" if self.name == DATASET else "test"


def product(name: str, params: Everything) -> Product:
    """Return what lies here to be published; a UserError for an unknown name, or when there is nothing."""
    require_known(name)
    publication = params.publication(name)
    if name == DATASET:
        files = released_files()
        return Product(name, publication, files, open_parquet(files[0].local).schema_arrow)
    path = path_of(name, edition(name, params))
    items = read_edition(name, edition(name, params), Item)
    if reason := rooms()[name].withheld(items):
        raise UserError(f"{path}: may not be published: {reason}")
    content = path.read_bytes()
    file = DataFile(path, len(items), len(content), hashlib.sha256(content).hexdigest())
    return Product(name, publication, [file], pyarrow.json.read_json(io.BytesIO(content)).schema)


def require_known(name: str) -> None:
    """Raise UserError for something that cannot be published."""
    if name not in PRODUCTS:
        raise UserError(f"{name!r} cannot be published{nearest(name, PRODUCTS)}")


def edition(name: str, params: Everything) -> str:
    """Return the edition of a benchmark that params.yaml names; UserError when it has no block there."""
    return params.edition(name)


def folder_of(name: str) -> Path:
    """Return where a product's files of rows lie in the project."""
    return RELEASE if name == DATASET else EDITIONS / name


def released_files() -> list[DataFile]:
    """Return the release's shards, by its manifest; UserError when it has no rows, or one of them is not here."""
    whole = manifest(RELEASE)
    if not whole["rows"]:
        raise UserError(f"{RELEASE}: there is no row in it, and nothing to publish")
    files = []
    for shard in whole["shards"]:
        path = RELEASE / shard["name"]
        if not path.is_file():
            raise UserError(f"{path} is missing: `dvc checkout --force {RELEASE}` brings it back")
        files.append(DataFile(path, shard["rows"], path.stat().st_size, shard["sha256"]))
    return files
