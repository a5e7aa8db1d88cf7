"""The rooms of all benchmarks: the one place that names them.

Another benchmark adds its name, which is also that of its block in params.yaml and of its folders, and its room. Rooms
are imported when they are wanted: `gamut --help` wants their names alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from stages.project.errors import UserError, nearest

if TYPE_CHECKING:
    from stages.evaluation.curating.room import Room

NAMES = ("prism", "aegis", "gir", "gapeval", "genius", "own")


@cache
def rooms() -> Mapping[str, Room[Any, Any]]:
    from stages.aegis import room as aegis
    from stages.gapeval import room as gapeval
    from stages.genius import room as genius
    from stages.gir import room as gir
    from stages.own import room as own
    from stages.prism import room as prism

    found = {room.name: room for room in (prism.ROOM, aegis.ROOM, gir.ROOM, gapeval.ROOM, genius.ROOM, own.ROOM)}
    if tuple(found) != NAMES:
        raise UserError(
            f"{__name__}: NAMES has {', '.join(NAMES)}, the rooms are {', '.join(found)}: mend one of the two"
        )
    return found


def room_of(benchmark: str, *others: str) -> Room[Any, Any]:
    """Return a benchmark's room; UserError for one that is not there. `others`: what else might have been meant."""
    if benchmark not in NAMES:
        raise UserError(f"there is no benchmark {benchmark!r}{nearest(benchmark, [*NAMES, *others])}")
    return rooms()[benchmark]
