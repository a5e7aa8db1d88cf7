"""The benchmarks of this project: each folder of `stages/` that has a curation.py.

Curations are imported only when they are used: `gamut --help` needs only their names.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gamut.project.errors import UserError, nearest_choice

if TYPE_CHECKING:
    from gamut.evaluation.curating.curation import Curation


def names() -> tuple[str, ...]:
    project = find_spec("stages")
    folders = project.submodule_search_locations if project else None
    return tuple(sorted(file.parent.name for folder in folders or () for file in Path(folder).glob("*/curation.py")))


NAMES = names()


@cache
def curations() -> Mapping[str, Curation[Any, Any]]:
    return {name: import_module(f"stages.{name}.curation").CURATION for name in NAMES}


def curation_of(benchmark: str, *others: str) -> Curation[Any, Any]:
    """Return a benchmark's curation. UserError if it does not exist. `others`: what else could have been meant."""
    if benchmark not in NAMES:
        raise UserError(f"there is no benchmark {benchmark!r}{nearest_choice(benchmark, [*NAMES, *others])}")
    return curations()[benchmark]
