"""Picture bytes into what is seen on them, looked at once however often they are asked about, and by whatever stage.

A look takes 20 ms and more, so sights are kept in files. A sight follows from the picture and from the code that sees:
there is a folder for each version of that code, and nothing in it is ever out of date. What lies there damaged is seen
again.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from PIL import Image

from .answering import Unsupported
from .scene import Group, Scene
from .seeing import Sight, see

_folder: Path | None = None  # where this process keeps sights


def keep_sights(folder: Path | None) -> None:
    """Have this process keep in a folder what it sees, and look there first; None: nowhere."""
    global _folder
    _folder = folder
    sight_of.cache_clear()


@lru_cache(maxsize=64)
def sight_of(picture: bytes) -> Sight:
    """Unsupported: these bytes are no image."""
    digest = hashlib.sha256(picture).hexdigest() if _folder else ""
    if _folder and (known := read_sight(_folder, digest)):
        return known
    try:
        sight = see(Image.open(io.BytesIO(picture)))
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise Unsupported(f"the picture cannot be decoded: {error}") from error
    if _folder:
        write_sight(_folder, digest, sight)
    return sight


def look(question: str, images: Sequence[bytes]) -> Sight:
    """Look at the one picture that a question is about. Unsupported: it is not of this world."""
    if len(images) != 1:
        raise Unsupported(f"{question} is asked about one picture, not {len(images)}")
    sight = sight_of(images[0])
    if not sight.familiar:
        raise Unsupported("the picture does not show the embedded world")
    return sight


def scene_of(sight: Sight) -> Scene:
    """Lettering is None where there is none or it is unknown. Unsupported: what is seen has no name."""
    if sight.scene is None:
        raise Unsupported("the picture is of the embedded world, but what it shows cannot be named")
    return sight.scene


def whole_scene_of(sight: Sight) -> Scene:
    """As `scene_of`, lettering and all. Unsupported: any of it cannot be named."""
    scene = scene_of(sight)
    if sight.transcription is not None and scene.lettering is None:
        raise Unsupported(f"the sign reads {sight.transcription!r}, which is no lettering of the embedded world")
    return scene


def read_sight(folder: Path, digest: str) -> Sight | None:
    """None: what was seen on the picture of this sha256 is not kept."""
    try:
        values = json.loads(place_of(folder, digest).read_bytes())
        return Sight(**values | {name: scene_from(values[name]) for name in ("scene", "impression")})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def write_sight(folder: Path, digest: str, sight: Sight) -> None:
    """Keep what was seen; what cannot be kept, on a full disk say, is seen again when it is asked about."""
    path = place_of(folder, digest)
    half = path.with_name(f".{digest}.{os.getpid()}.new")
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        half.write_text(json.dumps(asdict(sight)), encoding="utf-8")
        half.replace(path)


def place_of(folder: Path, digest: str) -> Path:
    return folder / digest[:2] / f"{digest}.json"


def scene_from(values: dict[str, Any] | None) -> Scene | None:
    if values is None:
        return None
    return Scene(**values | {"groups": tuple(Group(**group) for group in values["groups"])})
