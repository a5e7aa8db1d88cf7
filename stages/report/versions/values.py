"""Parameters and metrics of two versions: which values changed, by dotted key."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from stages.dataset.calibration.filters import FILTERS
from stages.project.errors import UserError
from stages.project.pipeline import PARAMS, value_at
from stages.project.revisions import Files
from stages.project.validation import read_yaml
from stages.report.site.secrets import HIDDEN, may_be_secret

THRESHOLDS = (*(one.parameter for one in FILTERS), "near_duplicates.similarity")
"""Keys of params.yaml that decide what is kept."""
METRICS = Path("metrics")
MOST = 10**15
"""Above it a number is shown as it is written, without a difference."""


class Leaf(NamedTuple):
    """A value as it is shown: a number, or words, or else its JSON."""

    number: float | None
    text: str = ""
    is_words: bool = False


class Change(NamedTuple):
    """A value that is not the same in both; None in a version that does not have it."""

    key: str
    before: Leaf | None
    after: Leaf | None

    @property
    def difference(self) -> float | None:
        """Return after less before, of two numbers, without what their binary forms add."""
        if self.before is None or self.after is None or self.before.number is None or self.after.number is None:
            return None
        return round(self.after.number - self.before.number, 12)


class Values(NamedTuple):
    """What became of the values of a file: how many both versions have that are the same, and all others."""

    name: str
    same: int
    changes: list[Change]

    def count(self, kind: str) -> int:
        """Return how many were `added`, `removed` or `changed`."""
        return sum(kind_of(change) == kind for change in self.changes)


def kind_of(change: Change) -> str:
    """Return what happened to a value."""
    return "added" if change.before is None else "removed" if change.after is None else "changed"


def parameters(here: Files, there: Files) -> tuple[list[Change], list[Change]]:
    """Return what changed in params.yaml: thresholds, in the order of the build, and everything else, without the words
    of what may be a secret.
    """
    found = {change.key: hidden(change) for change in changes(params_of(there), params_of(here)).changes}
    thresholds = [found[key] for key in THRESHOLDS if key in found]
    return thresholds, [change for key, change in found.items() if key not in THRESHOLDS]


def hidden(change: Change) -> Change:
    """Return a change of a parameter, without the words of what may be a secret."""
    ends = (
        one._replace(text=HIDDEN) if one and one.number is None and may_be_secret([change.key], one.text) else one
        for one in (change.before, change.after)
    )
    return Change(change.key, *ends)


def params_of(files: Files) -> Any:
    """Return the parameters of a version as they stand there, which another version of the code may have written."""
    return read_yaml(files.get(PARAMS))


def metrics(here: Files, there: Files) -> Iterator[Values]:
    """Yield what became of every metric file that either has, in order of their names, such as `<benchmark>/v1/board`.

    UserError for a damaged one.
    """
    ours, theirs = metric_files(here), metric_files(there)
    for path in sorted({*ours, *theirs}):
        before, after = (read(files, path) if path in known else {} for files, known in ((there, theirs), (here, ours)))
        yield changes(before, after, path.relative_to(METRICS).with_suffix("").as_posix())


def metric_files(files: Files) -> Collection[Path]:
    """Return the metric files of a version."""
    return [path for path in files.below(METRICS) if path.suffix == ".json"]


def read(files: Files, path: Path) -> Mapping[str, Any]:
    """Read a metric file; UserError for what is none."""
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
    unlike = [key for key in {**ours, **theirs} if key not in ours or key not in theirs or ours[key] != theirs[key]]
    found = [Change(key, theirs.get(key), ours.get(key)) for key in unlike]
    return Values(name, len({**ours, **theirs}) - len(found), found)


def leaves(value: Any, key: str = "") -> Iterator[tuple[str, Leaf]]:
    """Yield the values within a value by dotted key; a list without mappings in it is one."""
    if isinstance(value, dict) and value:
        for name, one in value.items():
            yield from leaves(one, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
        for number, one in enumerate(value):
            yield from leaves(one, f"{key}.{number}")
    else:
        yield key, leaf(value)


def leaf(value: Any) -> Leaf:
    """Return a value as it is shown."""
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and abs(value) < MOST:
        return Leaf(value)
    if isinstance(value, str):
        return Leaf(None, value, is_words=True)
    return Leaf(None, json.dumps(value, ensure_ascii=False, default=str))


def edition_of(params: Any, benchmark: str) -> str | None:
    """Return the edition of a benchmark that parameters name; None where they have no block of it."""
    found = value_at(params, f"{benchmark}.edition")
    return None if found is None else str(found)
