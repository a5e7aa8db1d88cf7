"""params.yaml and its neighbours are written whole, by one at a time, and put back where something fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from stages.project import settings
from stages.project.errors import UserError
from stages.project.files import write_whole
from stages.project.inputs import regular
from stages.project.pipeline import PARAMS


@contextmanager
def alone(text: str) -> Iterator[None]:
    """Let no other of these commands write meanwhile; UserError where one has since params.yaml was read as `text`."""
    store = settings.store_root()
    store.mkdir(parents=True, exist_ok=True)
    with FileLock(store / "params.lock"):
        require_unchanged(text)
        yield


def replace(text: str, new_text: str) -> None:
    """Write params.yaml, which was read as `text`; UserError where somebody has written it meanwhile."""
    require_unchanged(text)
    write_whole(PARAMS, new_text.encode())


def require_unchanged(text: str) -> None:
    if regular(PARAMS).read_bytes().decode() != text:
        raise UserError(f"{PARAMS} has changed meanwhile: run this again")


@contextmanager
def unchanged_on_error(*paths: Path) -> Iterator[None]:
    """Put files back as they were where something fails meanwhile."""
    before = {path: content_of(path) for path in paths}
    try:
        yield
    except BaseException:
        for path, content in before.items():
            if content is None:
                path.unlink(missing_ok=True)
            elif content_of(path) != content:
                write_whole(path, content)
        raise


def content_of(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
