"""`gamut import BENCHMARK --download`: fetch published items from their dataset on the Hub, at a fixed commit.

The commit becomes the edition's `revision`. Files are kept in the reply store's folder until the edition is complete.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from gamut.evaluation.curating.curation import RELEASED, Published
from gamut.evaluation.curating.freeze import import_apart, import_items
from gamut.evaluation.curating.review import AnyCuration
from gamut.evaluation.defining.editions import Item, origin_path, path_of, read_edition, read_origin
from gamut.evaluation.defining.pictures import missing_pictures, pictures_of
from gamut.project.errors import UserError
from gamut.project.locks import writer_in_turn
from gamut.project.places import store_root
from gamut.project.plain_text import amount, name_first
from gamut.publish import hub
from gamut.publish.fetching import remove_folder
from gamut.publish.files import Say, size_words
from gamut.publish.hub import Remote, RemoteFile
from gamut.publish.troubles import short_message
from gamut.publish.versions import download

NAMED = 5
"""How many files and folders a message names if the wanted ones are missing."""


def import_published(
    curation: AnyCuration, version: str | None, revision: str | None, strict: bool, out: Path | None, say: Say
) -> Iterator[str]:
    """Fetch and freeze published items, or write them to `out`; yield messages. UserError if they cannot be fetched
    (with what to do by hand), if `version` was fetched at another commit, or if a file differs from the Hub's list.
    """
    published, version = curation.published, version or RELEASED
    if published is None:
        raise UserError(
            f"the items of {curation.name} were not published: `gamut import {curation.name} FILE VERSION` takes yours"
        )
    rights = "" if published.redistributable else ": `gamut publish` refuses to publish it again"
    yield f"{published.place}: its licence is {published.licence}{rights}"
    if published.repo is None:
        raise UserError(f"{curation.name} is not on the Hub: {published.by_hand}")
    try:
        there = hub.open_remote(published.repo)
        commit, folder, files = wanted_files(there, published, revision or "main")
    except UserError as error:
        raise UserError(f"{error}; by hand: {published.by_hand}") from None
    if out is None:
        require_commit(curation, published, version, commit, revision or "main")
    fetched = store_root() / "fetched" / f"{published.repo.replace('/', '--')}@{commit}"
    with writer_in_turn(f"fetched.{fetched.name}"):
        if out is None and is_whole(curation, version):
            yield f"{path_of(curation.name, version)} is from commit {commit[:8]}, its pictures verified: nothing to do"
            return
        size = size_words(sum(file.size for file in files.values()))
        yield f"{published.repo} is commit {commit[:8]}: {amount(len(files), 'file')}, {size}"
        download(there, commit, files, fetched, say)
        source = fetched / folder / published.source
        images = None if published.images is None else fetched / folder / published.images
        if out is not None:
            yield from import_apart(curation, source, out, images, strict)
            return
        yield from import_items(curation, source, version, images, strict, published.origin(commit))
        remove_folder(fetched)


def wanted_files(there: Remote, published: Published, revision: str) -> tuple[str, str, Mapping[str, RemoteFile]]:
    """Return a revision's commit, the folder of the published files in it, and the files that are needed."""
    state = hub.repo_state(there, revision)
    if state is None:
        raise UserError(f"{there.repo}: there is no revision {revision!r}")
    if not re.fullmatch("[0-9a-f]{40}", state.commit):  # it becomes part of a path
        raise UserError(f"{there.repo}: {short_message(state.commit, 60)} is not a commit: fix HF_ENDPOINT")
    paths = [path for path in state.files if ".." not in PurePosixPath(path).parts and not path.startswith("/")]
    first = published.files[0]
    folders = [path.removesuffix(first) for path in paths if f"/{path}".endswith(f"/{first}")]
    folder = min(folders, key=lambda one: (one.count("/"), one), default="")
    within = {path.removeprefix(folder): path for path in paths if path.startswith(folder)}
    found = {one: [path for name, path in within.items() if fnmatchcase(name, one)] for one in published.files}
    if lacking := [f"{folder}{wanted}" for wanted, some in found.items() if not some]:
        there_are = name_first(sorted({path.partition("/")[0] for path in paths}), NAMED) or "nothing"
        raise UserError(f"{there.repo} lacks {', '.join(lacking)}; it has {there_are}")
    return state.commit, folder, {path: state.files[path] for some in found.values() for path in some}


def require_commit(curation: AnyCuration, published: Published, version: str, commit: str, asked: str) -> None:
    """Raise UserError if an edition of this name is from another commit or another source."""
    path, origin = path_of(curation.name, version), read_origin(origin_path(curation.name, version))
    if not path.exists():
        return
    if origin is None or origin.source != published.place:
        raise UserError(f"{path} exists and comes from another source: name another VERSION after --download")
    if origin.revision != commit:
        raise UserError(
            f"{published.repo}: {asked} is commit {commit[:8]} now, but {path} was made from {origin.revision[:8]}: "
            f"use `--revision {origin.revision}` for the old commit, or another VERSION for the new one"
        )


def is_whole(curation: AnyCuration, version: str) -> bool:
    path = path_of(curation.name, version)
    items = read_edition(curation.name, version, Item) if path.exists() else []
    return bool(items) and not missing_pictures(items, pictures_of(curation.name, version))
