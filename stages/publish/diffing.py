"""`gamut diff v0.1.0 v0.2.0`: two versions from the Hub, or one and what lies here, row by row."""

from __future__ import annotations

import json
import shutil
import tempfile
from functools import partial
from pathlib import Path

from stages import params as parameters
from stages.errors import UserError
from stages.params import Params
from stages.publish import differences_shown, hub, products
from stages.publish.differences import Part, differences
from stages.publish.downloads import Listed, download
from stages.publish.meter import Say
from stages.publish.versions import Version, address, version

WORKSPACE = "workspace"
ROWS = (".parquet", ".jsonl")
"""The files of rows."""


def diff(first: str, second: str, name: str, as_json: bool, say: Say) -> None:
    """Print how a product's version differs from another: a tag, org/name@tag, or `workspace`, what lies here."""
    products.demand_known(name)
    params = parameters.load()
    with tempfile.TemporaryDirectory() as folder:
        before, after = (parts(text, name, params, Path(folder), say) for text in (first, second))
        found = differences(before, after)
    if as_json:
        print(json.dumps(differences_shown.as_json(found), indent=2, ensure_ascii=False))
    else:
        differences_shown.show(found, first, second)


def parts(text: str, name: str, params: Params, folder: Path, say: Say) -> list[Part]:
    """The files of rows of a version; those on the Hub come one at a time, when they are looked at."""
    if text == WORKSPACE:
        files = products.product(name, params).files
        return [Part(file.local.name, file.sha256, file.rows, partial(Path, file.local)) for file in files]
    found = version(hub.remote(repo := repo_of(text, name, params)), text.rpartition("@")[2])
    if found.manifest.name != name:
        raise UserError(f"{repo}@{found.tag} holds {found.manifest.name!r}: `--of {found.manifest.name}` compares it")
    return [
        Part(str(file.name), file.sha256, file.rows or 0, partial(brought, found, file, folder, say))
        for file in found.manifest.data
        if str(file.name).endswith(ROWS)
    ]


def repo_of(text: str, name: str, params: Params) -> str:
    """The repository that a version is of: its own, or the product's in params.yaml."""
    if "@" in text:
        return address(text)[0]
    repo: str | None = getattr(params.publish, name).repo
    if repo is None:
        raise UserError(f"params.yaml: publish.{name}.repo is null: name it there, or compare org/name@{text}")
    return repo


def brought(found: Version, file: Listed, folder: Path, say: Say) -> Path:
    """Bring one file, in the place of the one before."""
    shutil.rmtree(folder / "now", ignore_errors=True)
    download(found.there, found.commit, [file], folder / "now", say)
    return folder / "now" / file.path
