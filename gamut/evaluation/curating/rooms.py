"""The rooms of all benchmarks: the one place that names them.

Another benchmark adds its name, which is also that of its block in params.yaml and of its folders; its room is what
`stages/<name>/room.py` calls ROOM. Rooms are imported when they are wanted: `gamut --help` wants their names alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from gamut.project.errors import UserError, nearest

if TYPE_CHECKING:
    from gamut.evaluation.curating.room import Room

NAMES = ("prism", "aegis", "gir", "gapeval", "genius", "own")


@cache
def rooms() -> Mapping[str, Room[Any, Any]]:
    return {name: import_module(f"stages.{name}.room").ROOM for name in NAMES}


def room_of(benchmark: str, *others: str) -> Room[Any, Any]:
    """Return a benchmark's room; UserError for one that is not there. `others`: what else might have been meant."""
    if benchmark not in NAMES:
        raise UserError(f"there is no benchmark {benchmark!r}{nearest(benchmark, [*NAMES, *others])}")
    return rooms()[benchmark]
