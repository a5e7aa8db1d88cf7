"""`gamut fetch org/name@v0.1.0`: put a version's rows where `dvc repro` would put them, and verify every byte."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from gamut.dataset.shared.joins import table_of
from gamut.evaluation.defining.editions import pictures_path
from gamut.evaluation.defining.picture_shards import track_pictures
from gamut.project import pipeline
from gamut.project.errors import UserError
from gamut.project.files import require_inside, sha256_of
from gamut.project.locks import only_writer, writer_in_turn
from gamut.project.places import store_root
from gamut.project.plain_text import amount
from gamut.publish import hub
from gamut.publish.files import BESIDE, PROVENANCE, Say, size_words
from gamut.publish.parameters import DATASET
from gamut.publish.products import folder_of
from gamut.publish.versions import (
    Listed,
    Version,
    download,
    find_version,
    has_bytes_of,
    parse_address,
    require_same_shards,
)
from gamut.tables.reading import MANIFEST, manifest_path


def fetch_version(text: str, say: Say) -> None:
    """Bring a version here. If anything in it differs from its manifest: UserError, and nothing here is changed.
    Fetched files are kept in the reply store's folder until they are in place.
    """
    repo, tag = parse_address(text)
    version = find_version(hub.open_remote(repo), tag)
    target = folder_of(version.manifest.name)
    tables = version_tables(version)
    places = version_places(version)
    fetched = store_root() / "fetched" / f"{repo.replace('/', '--')}@{version.commit}"
    with only_fetcher(version, fetched):
        require_inside(dict.fromkeys(path.parent for path in places))  # DVC may link files to a cache elsewhere
        for table in tables:
            clear_up(table)
        stale = any(table.exists() and not files for table, files in tables.items())
        if all(has_bytes_of(file.remote, path) for path, file in places.items()) and not stale:
            remove_folder(fetched)
            track_edition_pictures(version, say)
            say(f"{target} has the files of {repo}@{tag} already, verified: nothing to do")
            return
        require_free(version)
        download_version(version, fetched, say)
        require_free(version)  # again: it may have taken hours
        if tables:
            replace_tables(tables, fetched)
        else:
            place_edition(version, fetched)
        remove_folder(fetched)
        track_edition_pictures(version, say)
    say(f"{target}: {amount(version.manifest.rows, 'row')} of {repo}@{tag}, every file verified")


@contextmanager
def only_fetcher(version: Version, fetched: Path) -> Iterator[None]:
    """Keep out other fetches and the stage that writes the same files; errors of the disk become UserErrors."""
    try:
        with ExitStack() as locks:
            locks.enter_context(only_writer(f"publish.{version.manifest.name}"))
            if version.manifest.name == DATASET:
                try:
                    locks.enter_context(only_writer("release"))
                    for name in BESIDE:
                        locks.enter_context(only_writer(name))
                except UserError as error:
                    raise UserError(f"{folder_of(DATASET)} is being built: {error}") from None
            locks.enter_context(writer_in_turn(f"fetched.{fetched.name}"))
            yield
    except OSError as error:
        where, why = error.filename or folder_of(version.manifest.name), error.strerror or error
        raise UserError(f"{where}: {why}: fix that and run it again; what was fetched is kept") from None


def version_tables(version: Version) -> dict[Path, list[Listed]]:
    """Return the folders that a version of the dataset replaces as a whole, with their files; none for an edition. A
    table beside the rows that the version lacks is removed if it was fetched with another one.
    """
    if version.manifest.name != DATASET:
        return {}
    beside = {table_of(name): version.manifest.below(f"{name}/") for name in BESIDE}
    tables = {table: files for table, files in beside.items() if files or was_fetched(table)}
    tables[table_of("provenance")] = version.manifest.below(PROVENANCE)
    return tables | {table_of("release"): version.manifest.rows_files}


def version_places(version: Version) -> dict[Path, Listed]:
    if tables := version_tables(version):
        return {table / str(file.name): file for table, files in tables.items() for file in files}
    target, images = folder_of(version.manifest.name), version.manifest.images
    folder = pictures_path(version.manifest.name, edition_version(version)) if images else target
    files = sorted(version.manifest.data, key=lambda file: str(file.name).endswith(".jsonl"))
    return {(folder if file in images else target) / str(file.name): file for file in files}


def edition_version(version: Version) -> str:
    [items] = [str(file.name) for file in version.manifest.data if str(file.name).endswith(".jsonl")]
    return items.removesuffix(".jsonl")


def require_free(version: Version) -> None:
    """Raise UserError if a release would be lost that neither dvc.lock nor a fetch can bring back, or an edition with
    other items or another origin. Pictures need no check, because items name their sha256.
    """
    if version.manifest.name != DATASET:
        for path, file in version_places(version).items():
            if file not in version.manifest.images and path.exists() and not has_bytes_of(file.remote, path):
                other = "other items" if path.suffix == ".jsonl" else "another origin"
                raise UserError(f"{path} is frozen here with {other}: move it away first")
        return
    for table in version_tables(version):
        if table.is_symlink() or table.is_file():
            raise UserError(f"{table} is a link or a file, not a folder: move it away first")
        stage = "release" if table == table_of("provenance") else table.name
        recorded = table.exists() and pipeline.PIPELINE.exists() and pipeline.is_recorded(stage, table)
        if table.exists() and not recorded and not was_fetched(table):
            raise UserError(
                f"{table} holds a release that was not fetched and is not recorded in dvc.lock: move it away, or run "
                f"`dvc checkout --force {table}` if it may be lost"
            )


def download_version(version: Version, fetched: Path, say: Say) -> None:
    """Download a version, its tables' manifests first: they say whether the other files belong together."""
    files = version.manifest.files
    size = size_words(sum(file.bytes for file in files))
    say(f"{version.there.repo}@{version.tag} is commit {version.commit[:8]}: {amount(len(files), 'file')}, {size}")
    for listed in version_tables(version).values():
        for table in (file for file in listed if file.name == MANIFEST):
            download(version.there, version.commit, {table.path: table.remote}, fetched, say)
            require_same_shards(version, table, listed, (fetched / table.path).read_bytes())
    download(version.there, version.commit, {file.path: file.remote for file in files}, fetched, say)


def replace_tables(tables: Mapping[Path, Sequence[Listed]], fetched: Path) -> None:
    """Replace the old folders by folders of the fetched files, once all are ready; a table without files is removed."""
    try:
        for target, files in tables.items():
            prepare_table(files, fetched, places_beside(target)[0])
        for target, files in tables.items():
            new, old = places_beside(target)
            if target.exists():
                target.rename(old if files else new)
            if files:
                new.rename(target)
    finally:
        for target in tables:
            clear_up(target)


def prepare_table(files: Sequence[Listed], fetched: Path, new: Path) -> None:
    """Put the fetched files of a table into a new folder, and note that they were fetched, before it is in place."""
    if files:
        new.mkdir(parents=True)
        for file in files:
            link_or_copy(fetched / file.path, new / str(file.name))
        fetch_note(new).parent.mkdir(parents=True, exist_ok=True)
        fetch_note(new).touch()


def clear_up(target: Path) -> None:
    """Clean up after a killed run: the old release goes back if nothing is in its place. It is renamed before it is
    deleted, so that a folder named `.replaced` is always complete.
    """
    new, old = places_beside(target)
    remove_folder(new)
    if old.exists() and target.exists():
        old.rename(new)
        remove_folder(new)
    elif old.exists():
        old.rename(target)


def places_beside(target: Path) -> tuple[Path, Path]:
    """Return where the new release is put together and where the old one waits; builds use another name (`.new`)."""
    return target.with_name(f"{target.name}.fetched"), target.with_name(f"{target.name}.replaced")


def place_edition(version: Version, fetched: Path) -> None:
    """Put a fetched edition into its place: its pictures as a folder, then its other files, each in one step."""
    places = version_places(version)
    images = {path: file for path, file in places.items() if file in version.manifest.images}
    if images:
        folder = next(iter(images)).parent
        new = folder.with_name(f"{folder.name}.fetched")
        remove_folder(new)
        new.mkdir(parents=True)
        try:
            for path, file in images.items():
                link_or_copy(fetched / file.path, new / path.name)
            remove_folder(folder)  # the new one has everything that items name
            new.rename(folder)
        finally:
            remove_folder(new)
    for path, file in places.items():
        if path not in images:
            place_file(fetched / file.path, path)


def place_file(source: Path, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.fetched")
    new.unlink(missing_ok=True)
    try:
        link_or_copy(source, new)
        new.rename(path)
    finally:
        new.unlink(missing_ok=True)


def track_edition_pictures(version: Version, say: Say) -> None:
    """Let DVC track an edition's pictures where they are too large for git, and say how they are kept."""
    if version.manifest.images:
        for line in track_pictures(pictures_path(version.manifest.name, edition_version(version))):
            say(line)


def link_or_copy(source: Path, path: Path) -> None:
    """Give a file a second name, or copy it to another disk; the first stays for the next run."""
    try:
        os.link(source, path)
    except FileExistsError:
        raise  # another file of the version, on a disk that ignores case
    except OSError:
        shutil.copyfile(source, path)


def remove_folder(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)


def was_fetched(table: Path) -> bool:
    return manifest_path(table).is_file() and fetch_note(table).exists()


def fetch_note(table: Path) -> Path:
    """Return the empty file that says that a table was fetched; its name is the sha256 of the table's manifest."""
    return store_root() / "fetched" / "releases" / sha256_of(manifest_path(table))
