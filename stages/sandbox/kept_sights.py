"""What was seen on pictures, kept in files: several stages ask about a picture, and a look takes 20 ms and more.

A sight follows from the picture and from the code that sees, so there is a folder for each version of that code, and
nothing in it is ever out of date. What lies there damaged is seen again.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .scene import Group, Scene
from .seeing import Sight


def read(folder: Path, digest: str) -> Sight | None:
    """Return what was seen on the picture of a sha256; None where it is not kept."""
    try:
        values = json.loads(path_of(folder, digest).read_bytes())
        return Sight(**values | {name: scene_of(values[name]) for name in ("scene", "impression")})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def write(folder: Path, digest: str, sight: Sight) -> None:
    """Keep what was seen; what cannot be kept, on a full disk say, is seen again when it is asked about."""
    path = path_of(folder, digest)
    half = path.with_name(f".{digest}.{os.getpid()}.new")
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        half.write_text(json.dumps(asdict(sight)), encoding="utf-8")
        half.replace(path)


def path_of(folder: Path, digest: str) -> Path:
    return folder / digest[:2] / f"{digest}.json"


def scene_of(values: dict[str, Any] | None) -> Scene | None:
    if values is None:
        return None
    return Scene(**values | {"groups": tuple(Group(**group) for group in values["groups"])})
