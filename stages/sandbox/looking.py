"""Picture bytes into what is seen on them, looked at once however often they are asked about, and by whatever stage."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from PIL import Image

from . import kept_sights
from .answering import Unsupported
from .scene import Scene
from .seeing import Sight, see

_folder: Path | None = None  # where this process keeps sights


def keep_sights(folder: Path | None) -> None:
    """Have this process keep in a folder what it sees, and look there first; None: nowhere."""
    global _folder
    _folder = folder
    _see.cache_clear()


class _Bytes:
    """Image bytes that are compared by their digest, so that the cache of sights does not hash megabytes twice."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.digest = hashlib.sha256(content).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Bytes) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


@lru_cache(maxsize=64)
def _see(picture: _Bytes) -> Sight:
    if _folder and (known := kept_sights.read(_folder, picture.digest)):
        return known
    try:
        sight = see(Image.open(io.BytesIO(picture.content)))
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise Unsupported(f"the picture cannot be decoded: {error}") from error
    if _folder:
        kept_sights.write(_folder, picture.digest, sight)
    return sight


def sight_of(picture: bytes) -> Sight:
    """Return what is seen on a picture's bytes. Raises Unsupported where they are no image."""
    return _see(_Bytes(bytes(picture)))


def look(question: str, images: Sequence[bytes]) -> Sight:
    """Return what is seen on the one picture that a question is about. Raises Unsupported where it is not of this
    world.
    """
    if len(images) != 1:
        raise Unsupported(f"{question} is asked about one picture, not {len(images)}")
    sight = sight_of(images[0])
    if not sight.familiar:
        raise Unsupported("the picture does not show the embedded world")
    return sight


def scene_of(sight: Sight) -> Scene:
    """Return the scene that is seen, its lettering None where there is none or it is unknown. Unsupported: it has no
    name.
    """
    if sight.scene is None:
        raise Unsupported("the picture is of the embedded world, but what it shows cannot be named")
    return sight.scene


def whole_scene_of(sight: Sight) -> Scene:
    """Return the scene that is seen, lettering and all. Raises Unsupported where any of it cannot be named."""
    scene = scene_of(sight)
    if sight.transcription is not None and scene.lettering is None:
        raise Unsupported(f"the sign reads {sight.transcription!r}, which is no lettering of the embedded world")
    return scene
