"""`gamut diff v0.1.0 v0.2.0`: two versions from the Hub, or one and what lies here, row by row."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from stages.dataset.shared.joins import PROVENANCE
from stages.project.errors import UserError
from stages.project.files import sha256_of
from stages.project.staleness import staleness
from stages.publish import differences_shown, hub, products
from stages.publish.differences import Part, differences
from stages.publish.downloads import TOGETHER, Listed, download
from stages.publish.meter import Meter, Say
from stages.publish.parameters import DATASET, Everything, load_everything
from stages.publish.products import DEFAULT, DataFile
from stages.publish.versions import Version, address, version
from stages.tables.reading import manifest_path

WORKSPACE = "workspace"
ROWS = (".parquet", ".jsonl")
"""The files of rows."""


def diff(first: str, second: str, name: str, as_json: bool, say: Say) -> None:
    """Print how a product's version differs from another: a tag, org/name@tag, or `workspace`, what lies here."""
    products.require_known(name)
    params = load_everything()
    with tempfile.TemporaryDirectory() as folder:
        before, after = (parts(text, name, params, Path(folder), say) for text in (first, second))
        found = {of: differences(before[of], after[of]) for of in before if of in after}
    if name == DATASET and WORKSPACE in (first, second) and (stale := staleness(["release"])):
        say(f"{WORKSPACE}: {stale}")
    rows, joined = found.pop(DEFAULT), found
    if as_json:
        said = differences_shown.as_json(rows) | {of: differences_shown.as_json(joined[of]) for of in joined}
        print(json.dumps(said, indent=2, ensure_ascii=False))
        return
    differences_shown.show(rows, first, second)
    for of, differing in joined.items():
        if not differing.same:
            differences_shown.show(differing, f"{of}: {first}", second)
    for text, one, other in ((first, before, after), (second, after, before)):
        for of in other.keys() - one.keys():
            print(f"{of}: {text} has none")


def parts(text: str, name: str, params: Everything, folder: Path, say: Say) -> dict[str, list[Part]]:
    """Return the files of rows of each configuration; those on the Hub come one at a time, when they are looked at."""
    if text == WORKSPACE:
        return {of: parts_here(files, say) for of, files in files_here(name, params).items()}
    found = version(hub.remote(repo := repo_of(text, name, params)), text.rpartition("@")[2])
    if found.manifest.name != name:
        raise UserError(f"{repo}@{found.tag} holds {found.manifest.name!r}: `--of {found.manifest.name}` compares it")
    listed = {DEFAULT: found.manifest.rows_files, PROVENANCE.name: found.manifest.provenance}
    return {
        of: [
            Part(str(file.name), file.sha256, file.rows or 0, partial(brought, found, file, folder, say))
            for file in files
            if str(file.name).endswith(ROWS)
        ]
        for of, files in listed.items()
        if files
    }


def files_here(name: str, params: Everything) -> Mapping[str, Sequence[DataFile]]:
    """Return the files of rows of each configuration that lie here; what is joined to the rows only if it is here."""
    if name != DATASET:
        return {DEFAULT: products.product(name, params).files}
    rows = products.released_files()
    return {DEFAULT: rows} | ({PROVENANCE.name: products.provenance_files(rows)} if PROVENANCE.exists() else {})


def parts_here(files: Sequence[DataFile], say: Say) -> list[Part]:
    require_as_recorded(files, say)
    return [Part(file.local.name, file.sha256, file.rows, partial(Path, file.local)) for file in files]


def require_as_recorded(files: Sequence[DataFile], say: Say) -> None:
    """Read all files: one that both versions have is not read otherwise, and a rotten one would be told as the same."""
    meter = Meter(len(files), sum(file.size for file in files), say)
    with ThreadPoolExecutor(TOGETHER) as pool:
        for file, sha256 in zip(files, pool.map(lambda file: sha256_of(file.local), files), strict=True):
            if sha256 != file.sha256:
                raise UserError(
                    f"{file.local} is not what {manifest_path(file.local.parent)} says: `dvc checkout --force "
                    f"{file.local.parent}` brings it back"
                )
            meter.moved(1, file.size)


def repo_of(text: str, name: str, params: Everything) -> str:
    if "@" in text:
        return address(text)[0]
    repo = params.publication(name).repo
    if repo is None:
        raise UserError(f"params.yaml: publish.{name}.repo is null: name it there, or compare org/name@{text}")
    return repo


def brought(found: Version, file: Listed, folder: Path, say: Say) -> Path:
    shutil.rmtree(folder / "now", ignore_errors=True)
    download(found.there, found.commit, [file], folder / "now", say, setting="TMPDIR")
    return folder / "now" / file.path
