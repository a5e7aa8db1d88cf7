"""The code that stages run: a clone's own, or what is installed.

A project that `gamut init` made holds no code. Under the names that its pipeline declares as code lie pointers: files
with the digest of what is installed there. An upgrade writes those anew whose code changed, and DVC runs again what
depends on them.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from stages.project.errors import UserError
from stages.project.files import sha256_of

DISTRIBUTION = "gamut-t2i"
"""What is installed: `gamut` on the package index is another program, with a command of that name too."""
CODE = Path(__file__).resolve().parents[1]
"""The folder `stages` that runs."""
LOCK = Path("gamut.lock")
"""What a project notes of the version that wrote its files."""
OF_FOLDER = "code.sha256"
"""The pointer that stands for a whole folder lies in it, beside those for single files."""
POINTER = "# sha256 {}: of what is installed under this name. `gamut init` and `gamut upgrade` write this file.\n"


def version() -> str:
    """Return gamut's version; UserError where it runs without having been installed."""
    try:
        return importlib.metadata.version(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        raise UserError(
            f"{DISTRIBUTION} is not installed here: `make install` in a clone, else `pip install` its wheel"
        ) from None


def recorded_version() -> str | None:
    """Return the version that wrote this project's files; None where `gamut init` made no project.

    UserError for a file that does not say.
    """
    try:
        return str(json.loads(LOCK.read_text(encoding="utf-8"))["version"])
    except FileNotFoundError:
        return None
    except (ValueError, LookupError, TypeError):
        raise UserError(f"{LOCK}: names no version, after a merge perhaps: `git checkout --ours {LOCK}`") from None


def standing_for(dependency: str) -> tuple[Path, bytes]:
    """Return what a project has in the place of a dependency below `stages`: a file, and what it holds.

    Of YAML that is the file itself, as people may name files of their own in its place; of other code a pointer.
    """
    place, installed = Path(dependency), CODE.parent / dependency
    if place.suffix == ".yaml":
        return place, installed.read_bytes()
    if installed.is_dir():
        return place / OF_FOLDER, POINTER.format(digest_of_folder(installed)).encode()
    return place, POINTER.format(sha256_of(installed)).encode()


def digest_of_folder(folder: Path) -> str:
    """Return a digest of the names and contents of a folder's files, in hex; what Python compiled is left out."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    listing = [(path.relative_to(folder).as_posix(), sha256_of(path)) for path in files]
    return hashlib.sha256(json.dumps(listing).encode()).hexdigest()


def require_recorded(dependencies: Iterable[str]) -> None:
    """Raise UserError where a project records other code for these dependencies than is installed.

    A clone declares the code that it runs; what lies nowhere is for DVC to miss.
    """
    if recorded_version() is not None and (others := differing(dependencies)):
        raise UserError(mending(others))


def differing(dependencies: Iterable[str]) -> list[str]:
    """Return the dependencies for which other code is installed than stands here; none at all is other, too."""
    return [dependency for dependency in dependencies if is_code(dependency) and is_other(dependency)]


def is_code(dependency: str) -> bool:
    """Return whether a dependency names code itself, not a file that params.yaml chooses."""
    return dependency.startswith(f"{CODE.name}/") and "${" not in dependency


def is_other(dependency: str) -> bool:
    """Return whether other code is installed than stands here for a dependency."""
    if not (CODE.parent / dependency).exists():
        return True
    place, content = standing_for(dependency)
    return place.is_file() and place.read_bytes() != content


def mending(others: Sequence[str]) -> str:
    """Return what is wrong with dependencies that stand for other code than is installed, and what mends it."""
    recorded, here = recorded_version(), version()
    edited = next((other for other in others if other.endswith(".yaml")), None)
    if edited and recorded == here:
        return (
            f"{edited}: the installed code reads its own: `cp {CODE.parent / edited} {edited}` puts that in its place, "
            "and what you changed needs a name of its own"
        )
    back = "" if recorded == here else f", `pip install {DISTRIBUTION}=={recorded}` goes back"
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    return (
        f"{others[0]}{more}: this project records other code than that of gamut {here}, which is installed: `gamut "
        f"upgrade` takes it over{back}"
    )
