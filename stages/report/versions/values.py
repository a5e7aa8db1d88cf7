"""Parameters and metrics of two versions: which values changed, by dotted key."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from stages.dataset.calibration.filters import FILTERS
from stages.project.errors import UserError
from stages.project.pipeline import PARAMS
from stages.project.revisions import Files
from stages.project.validation import read_yaml
from stages.report.site.texts import HIDDEN, may_be_secret

THRESHOLDS = (*(one.parameter for one in FILTERS), "near_duplicates.similarity")
"""Keys of params.yaml that decide what is kept."""
METRICS = Path("metrics")
MOST = 10**15
"""Above it a number is shown as it is written, without a difference."""
Leaf = float | str
"""A value as it is shown: a number, or else its JSON."""


class Change(NamedTuple):
    """A value that is not the same in both; None in a version that does not have it."""

    key: str
    before: Leaf | None
    after: Leaf | None

    @property
    def difference(self) -> float | None:
        """After less before, of two numbers, without what their binary forms add."""
        if isinstance(self.before, str | None) or isinstance(self.after, str | None):
            return None
        return round(self.after - self.before, 12)


class Values(NamedTuple):
    """What became of the values of a file: how many both versions have that are the same, and all others."""

    name: str
    same: int
    changes: list[Change]

    def count(self, kind: str) -> int:
        kinds = (
            "added" if one.before is None else "removed" if one.after is None else "changed" for one in self.changes
        )
        return [*kinds].count(kind)


def parameters(here: Files, there: Files) -> tuple[list[Change], list[Change]]:
    """Return what changed in params.yaml: thresholds, in the order of the build, and everything else, without the words
    of what may be a secret.
    """
    found = {change.key: hidden(change) for change in changes(params_of(there), params_of(here)).changes}
    thresholds = [found[key] for key in THRESHOLDS if key in found]
    return thresholds, [change for key, change in found.items() if key not in THRESHOLDS]


def hidden(change: Change) -> Change:
    """Return a change of a parameter, without the words of what may be a secret."""
    before, after = (
        HIDDEN if isinstance(one, str) and may_be_secret([change.key], one) else one
        for one in (change.before, change.after)
    )
    return Change(change.key, before, after)


def params_of(files: Files) -> Any:
    """Return the parameters of a version as they stand there, which another version of the code may have written."""
    return read_yaml(files.get(PARAMS))


def metrics(here: Files, there: Files) -> Iterator[Values]:
    """Yield what became of every metric file that either has, in order of their names, such as `<benchmark>/v1/board`.

    UserError for a damaged one.
    """
    ours, theirs = ([path for path in files.below(METRICS) if path.suffix == ".json"] for files in (here, there))
    for path in sorted({*ours, *theirs}):
        before, after = (read(files, path) if path in known else {} for files, known in ((there, theirs), (here, ours)))
        yield changes(before, after, path.relative_to(METRICS).with_suffix("").as_posix())


def read(files: Files, path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(files.get(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise UserError(f"{path} of {files.name}: no metrics: `dvc repro` writes it anew")
    return found


def changes(before: Any, after: Any, name: str = "") -> Values:
    """Compare plain values, leaf by leaf: what the second has in its order, then what it lacks."""
    ours, theirs = dict(leaves(after)), dict(leaves(before))
    every = {**ours, **theirs}
    found = [Change(key, theirs.get(key), ours.get(key)) for key in every if ours.get(key) != theirs.get(key)]
    return Values(name, len(every) - len(found), found)


def leaves(value: Any, key: str = "") -> Iterator[tuple[str, Leaf]]:
    """Yield the values within a value by dotted key; a list without mappings in it is one."""
    if isinstance(value, dict) and value:
        for name, one in value.items():
            yield from leaves(one, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
        for number, one in enumerate(value):
            yield from leaves(one, f"{key}.{number}")
    elif isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and abs(value) < MOST:
        yield key, value
    else:
        yield key, json.dumps(value, ensure_ascii=False, default=str)
