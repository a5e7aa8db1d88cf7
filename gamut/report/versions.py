"""The page of two versions: `gamut report --against REVISION` shows which pictures of the release came and went, which
parameters and numbers are others now, and what of either was not built with its own parameters.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from gamut.dataset.reporting.outputs import METRICS
from gamut.dataset.shared.joins import table_of
from gamut.evaluation.bodies.leaderboard import METRICS as LEADERBOARD
from gamut.evaluation.curating.benchmarks import NAMES
from gamut.project.errors import UserError
from gamut.project.files import read_metric_file
from gamut.project.pipeline import PARAMS
from gamut.project.plain_text import harmless_text
from gamut.project.revisions import WORKSPACE, Revision
from gamut.project.staleness import GetCopy, changes, staleness
from gamut.project.validation import read_yaml
from gamut.publish.differences import Differences, Part, find_differences
from gamut.report.site.folder import Folder
from gamut.report.site.pages import write_page
from gamut.report.site.texts import hide_secrets
from gamut.report.site.thumbnails import Thumbnail, thumbnails
from gamut.tables.reading import manifest, manifest_path, shard_rows

MOST_PICTURES, MOST_VALUES = 48, 200
"""Of each kind that the page shows; how many more there are is said."""
LONGEST = 256
"""Pixels of the longer side of a thumbnail."""


def write_versions(place: Path, there: Revision) -> None:
    folder, stale = Folder(place / "versions"), [*stale_products(there.name, there.get)]
    for line in stale:  # those of what lies here are said beside their own pages
        print(f"versions: {harmless_text(line)}", file=sys.stderr, flush=True)
    try:
        before, after = release_parts(there.get), release_parts(Path)
        release, why = find_differences(before, after), ""
        pictures = pictures_by_kind(folder, before, after, release)
    except UserError as error:
        release, why, pictures = None, str(error), {}
    theirs, ours = (hide_secrets(read_yaml(path)) for path in (there.get(PARAMS), PARAMS))
    folder.write_assets()
    write_page(
        folder,
        "index.html",
        "versions.html",
        f"What changed since {there.name}",
        at=there.name,
        stale=[*stale, *stale_products(WORKSPACE, Path)],
        release=release,
        pictures=pictures,
        why=why,
        parameters=[*changes(theirs, ours)],
        numbers={
            str(path): [*changes(metrics_at(there, path), read_metric_file(path))] for path in (METRICS, LEADERBOARD)
        },
        most=MOST_VALUES,
    )
    folder.forget_others()
    print(f"versions: open {folder.path / 'index.html'}", flush=True)


def stale_products(at: str, get: GetCopy) -> Iterator[str]:
    for stage in ("release", *(f"{name}.board" for name in NAMES)):
        if said := staleness([stage], at, get):
            yield f"{stage} at {at}: {said}"


def release_parts(get: GetCopy) -> list[Part]:
    """Return the shards of a release; a file of a revision is copied here when it is opened."""
    table = table_of("release")
    listed = manifest(get(manifest_path(table)).parent)["shards"]
    return [Part(one["name"], one["sha256"], one["rows"], partial(get, table / one["name"])) for one in listed]


def pictures_by_kind(
    folder: Folder, before: Sequence[Part], after: Sequence[Part], found: Differences
) -> dict[str, list[tuple[str, Thumbnail | None, Thumbnail | None]]]:
    """Return the first rows of each kind by id, with the picture that each version has, from files of it alone."""
    wanted = {kind: ids[:MOST_PICTURES] for kind, ids in found.kinds.items()}
    ids, common = {*chain(*wanted.values())}, {part.sha256 for part in before} & {part.sha256 for part in after}
    theirs, ours = (
        pictures_of(folder, [part for part in parts if part.sha256 not in common], ids) for parts in (before, after)
    )
    return {kind: [(one, theirs.get(one), ours.get(one)) for one in several] for kind, several in wanted.items()}


def pictures_of(folder: Folder, parts: Sequence[Part], ids: Collection[str]) -> dict[str, Thumbnail]:
    files = (part.open() for part in parts if ids)
    rows = [row for file in files for row in shard_rows(file.parent, file.stem, ["id", "image"], ids)]
    shown = thumbnails(folder, ((row["image"] or {}).get("bytes") or b"" for row in rows), LONGEST)
    return dict(zip((row["id"] for row in rows), shown, strict=True))


def metrics_at(there: Revision, path: Path) -> dict[str, Any]:
    return read_metric_file(there.get(path)) if there.files.exists(path.as_posix()) else {}
