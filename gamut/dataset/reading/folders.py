"""Folders of sources, all read in the same way: on the disk, in a zip or tar, or in a repository on the Hub.

Names are in order; hidden ones (`.name`) are left out.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import shutil
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple, cast

from gamut.dataset.shared.source_blocks import ARCHIVES
from gamut.project.errors import UserError, in_one_line
from gamut.project.inputs import files_below, is_folder, is_visible, leads_out, regular_file
from gamut.tables.columns import grouped

PACKINGS: dict[str, Callable[[IO[bytes]], Any]] = {
    ".gz": gzip.open,
    ".tgz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
}
DAMAGE = (zipfile.BadZipFile, NotImplementedError, tarfile.TarError, lzma.LZMAError, zlib.error, EOFError)
"""Errors about archives and packed files that are damaged, cut off, or packed in an unknown way."""
MOST_BYTES = 2**29
"""The most bytes of a file that is read whole. The largest pictures that are decoded are smaller; an archive of a
megabyte may hold gigabytes of zeros.
"""


class Folder(NamedTuple):
    """A folder to read. `where` precedes file names in messages. `walk` yields all names in order, with '/' between
    folders; `names_in` those directly in one folder. `open` raises FileNotFoundError for an unknown name.
    """

    where: str
    walk: Callable[[], Iterator[str]]
    names_in: Callable[[str], list[str]]
    open: Callable[[str], IO[bytes]]

    def path_of(self, name: str) -> str:
        return in_one_line(f"{self.where}{name}")


def folder_on_disk(top: Path, linked: str = "") -> Folder:
    """Return a folder on the disk. UserError for files that cannot be opened, and for links that lead out of it:
    otherwise a folder from somebody else could bring any file of this machine into a dataset. The file `linked`, which
    the project names itself, may be a link.
    """

    def opened(name: str) -> IO[bytes]:
        path = top / name
        try:
            file = regular_file(path).open("rb")
        except OSError as error:
            if os.path.isdir(path) or not os.path.lexists(path):
                raise FileNotFoundError(name) from None
            raise UserError(f"{in_one_line(path)} cannot be read ({error.strerror}): fix or remove it") from None
        if name != linked and leads_out(top, path):
            file.close()
            raise UserError(f"{in_one_line(path)} is behind a link that leads out of {top}: put the file itself there")
        return file

    def listed(folder: str) -> list[str]:
        prefix = f"{folder}/" if folder else ""
        with os.scandir(top / folder) as entries:
            return sorted(prefix + one.name for one in entries if is_visible(one.name) and not is_folder(one))

    return Folder(f"{top}/", lambda: (path.relative_to(top).as_posix() for path in files_below(top)), listed, opened)


def folder_of_names(where: str, names: Iterable[str], open: Callable[[str], IO[bytes]]) -> Folder:
    shown = (parts for name in names if all(map(is_visible, parts := name.split("/"))))
    ordered = ["/".join(parts) for parts in sorted(shown)]
    inside = grouped((folder_of(name), name) for name in ordered)
    known = frozenset(ordered)

    def opened(name: str) -> IO[bytes]:
        if name not in known:
            raise FileNotFoundError(name)
        return open(name)

    return Folder(where, lambda: iter(ordered), lambda folder: inside.get(folder, []), opened)


@contextmanager
def archive_in(folder: Folder, name: str) -> Iterator[Folder]:
    """Open an archive as a folder; a compressed tar is unpacked into a temporary file first."""
    where = folder.path_of(name)
    with ExitStack() as stack:
        file = stack.enter_context(folder.open(name))
        with damage_in_one_line(where):
            if name.lower().endswith(".zip"):
                zipped = stack.enter_context(zipfile.ZipFile(file))
                entries = {
                    entry.filename.removeprefix("./"): entry for entry in zipped.infolist() if not entry.is_dir()
                }
                if any(entry.flag_bits & 1 for entry in entries.values()):
                    raise UserError(f"{where} is encrypted: pack it without a password")
                yield packed_in(where, entries, zipped.open)
                return
            if not name.lower().endswith(".tar"):
                whole = cast(IO[bytes], stack.enter_context(tempfile.TemporaryFile()))
                shutil.copyfileobj(unpack(name, file), whole)
                whole.seek(0)
                file = whole
            packed = stack.enter_context(tarfile.open(fileobj=file, mode="r:"))
            members = dict[str, tarfile.TarInfo]()
            for member in packed:
                found = members.get(member.linkname.removeprefix("./")) if member.islnk() else member
                if found is not None and found.isreg():
                    members[member.name.removeprefix("./")] = found
            yield packed_in(where, members, lambda member: cast(IO[bytes], packed.extractfile(member)))


def packed_in(where: str, entries: Mapping[str, Any], open: Callable[[Any], IO[bytes]]) -> Folder:
    """Return an archive as a folder; UserError if it contains another archive, which might contain itself."""
    folder = folder_of_names(f"{where}/", entries, lambda name: open(entries[name]))
    if (inner := next(filter(is_archive, folder.walk()), None)) is not None:
        raise UserError(f"{folder.path_of(inner)} is an archive in an archive: unpack the outer one")
    return folder


@contextmanager
def damage_in_one_line(where: str) -> Iterator[None]:
    try:
        yield
    except (*DAMAGE, OSError) as error:
        if isinstance(error, OSError) and (error.errno is not None or type(error) not in (OSError, gzip.BadGzipFile)):
            raise  # from the disk or the network; bz2 raises plain OSErrors
        raise UserError(f"{where} cannot be unpacked ({error}): fetch or pack it again") from None


def unpack(name: str, file: IO[bytes]) -> IO[bytes]:
    packing = PACKINGS.get(PurePosixPath(name).suffix.lower())
    return cast(IO[bytes], packing(file)) if packing else file


def ending(name: str) -> str:
    """Return a file's ending in lower case, without the ending of its packing."""
    path = PurePosixPath(name.lower())
    return path.with_suffix("").suffix if path.suffix in PACKINGS else path.suffix


def is_archive(name: str) -> bool:
    return name.lower().endswith(ARCHIVES)


def folder_of(name: str) -> str:
    """Return the folder of a file; "" at the top."""
    return name.rpartition("/")[0]


def content_of(folder: Folder, name: str) -> bytes:
    """Return a file's bytes; UserError if it is larger than MOST_BYTES."""
    with damage_in_one_line(folder.path_of(name)), folder.open(name) as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise UserError(
            f"{folder.path_of(name)} has more than {MOST_BYTES // 2**20} MiB, too much for a picture: remove it"
        )
    return content
