"""`gamut fetch org/name@v0.1.0`: a version's rows put where `dvc repro` would have put them, every byte verified."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from gamut.dataset.shared.joins import table_of
from gamut.evaluation.defining.editions import Item, pictures_path, read_items
from gamut.evaluation.defining.picture_shards import track_pictures
from gamut.evaluation.defining.pictures import EditionPictures, missing_pictures, unnamed
from gamut.project import pipeline
from gamut.project.errors import UserError
from gamut.project.files import require_inside, sha256_of
from gamut.project.locks import in_turn, only_writer
from gamut.project.places import store_root
from gamut.project.plain_text import amount
from gamut.publish import hub
from gamut.publish.downloads import Listed, download, is_like
from gamut.publish.files import IMAGES, Say, in_bytes
from gamut.publish.parameters import DATASET
from gamut.publish.products import folder_of
from gamut.publish.troubles import said
from gamut.publish.versions import Version, address, require_same_shards, version
from gamut.tables.reading import MANIFEST, manifest_path


def fetch(text: str, say: Say) -> None:
    """Bring a version here; UserError, and nothing here is changed, when anything in it is not as its manifest says.
    What came is kept in the reply store's folder until it is in place.
    """
    repo, tag = address(text)
    found = version(hub.remote(repo), tag)
    target = folder_of(found.manifest.name)
    tables = tables_of(found)
    places = places_of(found)
    fetched = store_root() / "fetched" / f"{repo.replace('/', '--')}@{found.commit}"
    with alone(found, fetched):
        require_inside(dict.fromkeys(path.parent for path in places))  # DVC may link files to a cache elsewhere
        for table in tables:
            settle(table)
        stale = any(table.exists() and not files for table, files in tables.items())
        if all(is_like(file, path) for path, file in places.items()) and not stale:
            discard(fetched)
            say_tracked(found, say)
            say(f"{target} has the files of {repo}@{tag} already, verified: nothing to do")
            return
        require_free(found)
        bring(found, fetched, say)
        require_free(found)  # again: it may have taken hours
        if tables:
            put_tables(tables, fetched)
        else:
            require_its_pictures(found, fetched)
            put_edition(found, fetched)
        discard(fetched)
        say_tracked(found, say)
    say(f"{target}: {amount(found.manifest.rows, 'row')} of {repo}@{tag}, every file verified")


@contextmanager
def alone(found: Version, fetched: Path) -> Iterator[None]:
    """Keep out the stage that writes what is fetched, and other fetches; what the disk refuses is a UserError."""
    try:
        with ExitStack() as held:
            held.enter_context(only_writer(f"publish.{found.manifest.name}"))
            if found.manifest.name == DATASET:
                try:
                    held.enter_context(only_writer("release"))
                except UserError as error:
                    raise UserError(f"{folder_of(DATASET)} is being built: {error}") from None
            held.enter_context(in_turn(f"fetched.{fetched.name}"))
            yield
    except OSError as error:
        where, why = error.filename or folder_of(found.manifest.name), error.strerror or error
        raise UserError(f"{where}: {why}: mend that and run it again, what came is kept") from None


def tables_of(found: Version) -> dict[Path, list[Listed]]:
    """Return the folders that a version of the dataset replaces as a whole, each with its files; none of an edition."""
    if found.manifest.name != DATASET:
        return {}
    return {table_of("provenance"): found.manifest.provenance, table_of("release"): found.manifest.rows_files}


def places_of(found: Version) -> dict[Path, Listed]:
    """Return where each of a version's files belongs in the project, an edition's items last."""
    if tables := tables_of(found):
        return {table / str(file.name): file for table, files in tables.items() for file in files}
    target, images = folder_of(found.manifest.name), found.manifest.images
    folder = pictures_path(found.manifest.name, edition_of(found)) if images else target
    files = sorted(found.manifest.data, key=lambda file: str(file.name).endswith(".jsonl"))
    return {(folder if file in images else target) / str(file.name): file for file in files}


def edition_of(found: Version) -> str:
    [items] = [str(file.name) for file in found.manifest.data if str(file.name).endswith(".jsonl")]
    return items.removesuffix(".jsonl")


def require_free(found: Version) -> None:
    """Raise UserError when a release would be lost that neither dvc.lock nor a fetch brings back, or an edition of
    other items or origin (items say what pictures are).
    """
    if found.manifest.name != DATASET:
        for path, file in places_of(found).items():
            if file not in found.manifest.images and path.exists() and not is_like(file, path):
                other = "other items" if path.suffix == ".jsonl" else "another origin"
                raise UserError(f"{path} is frozen, with {other}: move it away first")
        return
    for table in tables_of(found):
        if table.is_symlink() or table.is_file():
            raise UserError(f"{table} is a link or a file, not a folder: move it away first")
        recorded = table.exists() and pipeline.PIPELINE.exists() and pipeline.is_recorded("release", table)
        if table.exists() and not recorded and not was_fetched(table):
            raise UserError(
                f"{table} holds a release that dvc.lock does not record, and that was not fetched: move it away, or "
                f"`dvc checkout --force {table}` if it may be lost"
            )


def bring(found: Version, fetched: Path, say: Say) -> None:
    """Bring all files of a version to the store, first what tells whether the others belong together."""
    files = found.manifest.files
    size = in_bytes(sum(file.bytes for file in files))
    say(f"{found.there.repo}@{found.tag} is commit {found.commit[:8]}: {amount(len(files), 'file')}, {size}")
    for listed in tables_of(found).values():
        for table in (file for file in listed if file.name == MANIFEST):
            download(found.there, found.commit, [table], fetched, say)
            require_same_shards(found, table, listed, (fetched / table.path).read_bytes())
    download(found.there, found.commit, files, fetched, say)


def put_tables(tables: Mapping[Path, Sequence[Listed]], fetched: Path) -> None:
    """Put folders of the fetched files into the places of the old ones, once all lie ready; one without files goes."""
    try:
        for target, files in tables.items():
            lay_ready(files, fetched, beside(target)[0])
        for target, files in tables.items():
            new, old = beside(target)
            if target.exists():
                target.rename(old if files else new)
            if files:
                new.rename(target)
    finally:
        for target in tables:
            settle(target)


def lay_ready(files: Sequence[Listed], fetched: Path, new: Path) -> None:
    """Lay the fetched files of a table into a new folder, and note it: a kill must not leave one that nobody knows."""
    if files:
        new.mkdir(parents=True)
        for file in files:
            lay(fetched / file.path, new / str(file.name))
        note(new)


def settle(target: Path) -> None:
    """Clear up after a run that was killed: the old release goes back if nothing is in its place. It is renamed
    before it is deleted: what is called `.replaced` is always whole.
    """
    new, old = beside(target)
    discard(new)
    if old.exists() and target.exists():
        old.rename(new)
        discard(new)
    elif old.exists():
        old.rename(target)


def beside(target: Path) -> tuple[Path, Path]:
    """Return where the new release is put together, and where the old one waits; not where a build works (`.new`)."""
    return target.with_name(f"{target.name}.fetched"), target.with_name(f"{target.name}.replaced")


def require_its_pictures(found: Version, fetched: Path) -> None:
    """Raise UserError when an edition that came with pictures lacks one that its items name, or has others."""
    if not found.manifest.images:
        return
    [file] = [file for file in found.manifest.data if str(file.name).endswith(".jsonl")]
    where = f"{found.there.repo}@{found.tag}"
    items = list(read_items(fetched / file.path, Item, f"{where} was published so"))
    pictures = EditionPictures(fetched / IMAGES)
    for item, why in missing_pictures(items, pictures).items():
        raise UserError(f"{where}: item {said(item, 60)}: {said(why)}: it was published so")
    if (other := unnamed(items, pictures)) is not None:
        raise UserError(f"{where}: {said(other)}: it was published so")


def put_edition(found: Version, fetched: Path) -> None:
    """Put a fetched edition into its place: its pictures as a folder, then what else it has, each in one step."""
    places = places_of(found)
    images = {path: file for path, file in places.items() if file in found.manifest.images}
    if images:
        folder = next(iter(images)).parent
        new = folder.with_name(f"{folder.name}.fetched")
        discard(new)
        new.mkdir(parents=True)
        try:
            for path, file in images.items():
                lay(fetched / file.path, new / path.name)
            discard(folder)  # what its items name is in the new one
            new.rename(folder)
        finally:
            discard(new)
    for path, file in places.items():
        if path not in images:
            prompt(fetched / file.path, path)


def prompt(source: Path, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.fetched")
    new.unlink(missing_ok=True)
    try:
        lay(source, new)
        new.rename(path)
    finally:
        new.unlink(missing_ok=True)


def say_tracked(found: Version, say: Say) -> None:
    """Let DVC track an edition's pictures where they are too large for git, and say how they are kept."""
    if found.manifest.images:
        for line in track_pictures(pictures_path(found.manifest.name, edition_of(found))):
            say(line)


def lay(source: Path, path: Path) -> None:
    """Give a file a second name, or copy it where that is on another disk: the first stays for the next run."""
    try:
        os.link(source, path)
    except FileExistsError:
        raise  # another file of the version, where names in capitals are the same
    except OSError:
        shutil.copyfile(source, path)


def discard(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)


def noted(table: Path) -> Path:
    """Return the empty file that says that a table was fetched; its name is the sha256 of the table's manifest."""
    return store_root() / "fetched" / "releases" / sha256_of(manifest_path(table))


def note(table: Path) -> None:
    noted(table).parent.mkdir(parents=True, exist_ok=True)
    noted(table).touch()


def was_fetched(table: Path) -> bool:
    return manifest_path(table).is_file() and noted(table).exists()
