"""The rooms of benchmarks: each by its name, which is also that of its block in params.yaml and of its folders."""

from __future__ import annotations

from collections.abc import Mapping

from stages.evaluation.parameters import Params
from stages.prism.shared import parameters as prism
from stages.project.parameters import check
from stages.project.pipeline import PARAMS
from stages.project.validation import read_yaml

ROOMS: Mapping[str, type[Params]] = {"prism": prism.Params}
"""The parameters of every benchmark's room."""


def edition_of(benchmark: str, params: Params) -> str:
    """Return the edition that a benchmark's block of params.yaml names."""
    edition: str = getattr(params, benchmark).edition
    return edition


def judges_of(benchmark: str, params: Params) -> list[str]:
    """Return the slugs of the judges that a benchmark's block of params.yaml names."""
    judges: list[str] = getattr(params, benchmark).judges
    return judges


def load_rooms() -> dict[str, Params]:
    """Read and check the parameters of every benchmark whose block is in params.yaml."""
    values = read_yaml(PARAMS)
    return {name: check(room, values, PARAMS) for name, room in ROOMS.items() if name in values}
