"""`gamut diff v0.1.0 v0.2.0`: compare two versions from the Hub, or one with the workspace, row by row."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from gamut.dataset.shared.joins import table_of
from gamut.evaluation.scoring.printed import print_cells
from gamut.project.errors import UserError
from gamut.project.plain_text import amount, harmless_text, name_first
from gamut.project.revisions import WORKSPACE
from gamut.project.staleness import staleness
from gamut.publish import hub, products
from gamut.publish.differences import Differences, Part, find_differences
from gamut.publish.files import BESIDE, BESIDE_FOLDERS, Say
from gamut.publish.parameters import DATASET, Everything, load_everything
from gamut.publish.products import DEFAULT
from gamut.publish.versions import Listed, Version, download, find_version, parse_address


def print_diff(first: str, second: str, as_json: bool, say: Say) -> None:
    params = load_everything()
    with tempfile.TemporaryDirectory() as folder:
        before, after = (version_parts(text, params, Path(folder), say) for text in (first, second))
        by = {of: BESIDE[of][1] if of in BESIDE else ["id"] for of in before if of in after}
        differences = {of: find_differences(before[of], after[of], names) for of, names in by.items()}
    if WORKSPACE in (first, second) and (stale := staleness(["release"])):
        say(f"{WORKSPACE}: {stale}")
    rows, joined = differences.pop(DEFAULT), differences
    if as_json:
        record = differences_record(rows) | {of: differences_record(differing) for of, differing in joined.items()}
        print(json.dumps(record, indent=2, ensure_ascii=False))
        return
    print_differences(rows, first, second)
    for of, differing in joined.items():
        if not differing.same:
            print_differences(differing, f"{of}: {first}", second)
    for text, one, other in ((first, before, after), (second, after, before)):
        for of in other.keys() - one.keys():
            print(f"{text} has no {of}")


def version_parts(text: str, params: Everything, folder: Path, say: Say) -> dict[str, list[Part]]:
    """Return files of rows by configuration; files on the Hub are downloaded one at a time, when they are compared."""
    if text == WORKSPACE:
        return parts_here()
    version = find_version(hub.open_remote(repo := repo_of(text, params)), text.rpartition("@")[2])
    if version.manifest.name != DATASET:
        raise UserError(
            f"{repo}@{version.tag} holds an edition of {version.manifest.name}: `git diff` shows what changed"
        )
    listed = {
        DEFAULT: version.manifest.rows_files,
        **{folder.rstrip("/"): version.manifest.below(folder) for folder in BESIDE_FOLDERS},
    }
    return {
        of: [
            Part(str(file.name), file.sha256, file.rows or 0, partial(downloaded_part, version, file, folder, say))
            for file in files
            if str(file.name).endswith(".parquet")
        ]
        for of, files in listed.items()
        if files
    }


def parts_here() -> dict[str, list[Part]]:
    """Return local files of rows by configuration; tables beside them only if they exist."""
    rows, provenance = products.released_files(), table_of("provenance")
    files = {DEFAULT: rows} | ({provenance.name: products.provenance_files(rows)} if provenance.exists() else {})
    return {
        of: [Part(file.local.name, file.sha256, file.rows or 0, partial(Path, file.local)) for file in some]
        for of, some in (files | products.files_beside()).items()
    }


def repo_of(text: str, params: Everything) -> str:
    if "@" in text:
        return parse_address(text)[0]
    repo = params.publication(DATASET).repo
    if repo is None:
        raise UserError(f"params.yaml: publish.dataset.repo is missing: name it there, or compare org/name@{text}")
    return repo


def downloaded_part(version: Version, file: Listed, folder: Path, say: Say) -> Path:
    shutil.rmtree(folder / "now", ignore_errors=True)
    download(version.there, version.commit, {file.path: file.remote}, folder / "now", say)
    return folder / "now" / file.path


MOST_IDS = 20
"""How many ids of each kind the JSON has."""
EXAMPLES = 5
"""How many ids are shown to a person."""


def differences_record(differences: Differences) -> dict[str, Any]:
    return {
        "same": differences.same,
        "rows": {"first": differences.first_rows, "second": differences.second_rows},
        **{kind: {"count": len(ids), "ids": [*ids[:MOST_IDS]]} for kind, ids in differences.kinds.items()},
        "changed_cells": dict(differences.changed_cells),
        "added_columns": list(differences.added_columns),
        "removed_columns": list(differences.removed_columns),
        "retyped_columns": {name: list(types) for name, types in differences.retyped.items()},
        "waves": {wave: counts._asdict() for wave, counts in differences.waves.items()},
        "files": differences.files,
    }


def differences_words(differences: Differences, first: str, second: str) -> str:
    """Return such as `v0.1.0 → v0.2.0: 12 rows added, 3 removed, 7 changed of 297`."""
    both = f"{first} → {second}"
    if differences.same:
        files = f", though {amount(differences.files, 'file')} differ{'s' * (differences.files == 1)}"
        return f"{both}: nothing changed in {amount(differences.first_rows, 'row')}{files * bool(differences.files)}"
    rows = counts_words(differences.kinds, "row")
    columns = {
        "added": differences.added_columns,
        "removed": differences.removed_columns,
        "of another type": list(differences.retyped),
    }
    parts = [f"{rows} of {differences.first_rows:,}" if rows else f"{amount(differences.first_rows, 'row')} as before"]
    parts += [counts_words(columns, "column")] if any(columns.values()) else []
    return f"{both}: {'; '.join(parts)}"


def counts_words(kinds: dict[str, Sequence[str]], noun: str) -> str:
    """Return such as `1 row added, 2 changed`, without empty kinds."""
    counts = [(len(ids), kind) for kind, ids in kinds.items() if ids]
    first = [f"{amount(count, noun)} {kind}" for count, kind in counts[:1]]
    return ", ".join(first + [f"{count:,} {kind}" for count, kind in counts[1:]])


def print_differences(differences: Differences, first: str, second: str) -> None:
    print(differences_words(differences, first, second))
    by_count = sorted(differences.changed_cells.items(), key=lambda column: -column[1])
    columns = [(name, f"{count:,}") for name, count in by_count]
    columns += [(name, "new column") for name in differences.added_columns]
    columns += [(name, "column is gone") for name in differences.removed_columns]
    columns += [(name, f"{one} → {other}, not compared") for name, (one, other) in differences.retyped.items()]
    if columns:
        print_cells("", [], ("column", "changed cells"), columns)
    if any(waves := differences.waves):  # ids may name none
        rows = [(wave, *(f"{count:,}" for count in counts)) for wave, counts in waves.items()]
        print_cells("", [], ("wave", *differences.kinds), rows)
    for kind, ids in differences.kinds.items():
        if ids:
            print(harmless_text(f"{kind}: {name_first(ids, EXAMPLES)}"))
