"""DVC's experiments as a data frame: what they were called, what they changed, what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd

from gamut.api.frames import require_project
from gamut.project.errors import UserError

IDENTITY = ["run", "revision", "time", "state"]


def runs() -> pd.DataFrame:
    """The workspace, the last commit and its DVC experiments, a row each: name, revision, `state` (how an experiment
    ended, or why it cannot be read), all metrics that DVC shows, and of the parameters those in which the rows differ.
    """
    from dvc.exceptions import DvcException
    from dvc.repo import Repo

    require_project()
    try:
        with Repo() as repo:
            return table_of_runs(repo.experiments.show())
    except DvcException as error:
        raise UserError(f"dvc exp show: {error}") from None


def table_of_runs(baselines: Iterable[Any]) -> pd.DataFrame:
    rows = [row for baseline in baselines for row in rows_from(baseline)]
    keys = dict.fromkeys(key for row in rows for key in row if key not in IDENTITY)
    built = [row for row in rows if any(key in row for key in keys)]
    shown = [key for key in keys if key[0] == "metrics" or any(row.get(key) != built[0].get(key) for row in built)]
    times = Counter(name for *_, name in shown)  # of several files a name stands behind its file's, as DVC has it
    names = {key: key[2] if times[key[2]] == 1 else f"{key[1]}:{key[2]}" for key in shown}
    return pd.DataFrame(rows, columns=[*IDENTITY, *shown]).rename(columns=names)


def rows_from(baseline: Any) -> Iterator[dict[Any, Any]]:
    """Yield a commit and its experiments. Metrics and parameters stand by which they are, file and dotted name."""
    from dvc.utils.flatten import flatten

    experiments = [(state, one.executor) for one in baseline.experiments or () for state in one.revs]
    for state, executor in [(baseline, None), *experiments]:
        said = state.error.msg if state.error else executor and executor.state
        row: dict[Any, Any] = {"run": state.name or state.rev, "revision": state.rev, "time": None, "state": said}
        if state.data is not None:
            row["time"] = state.data.timestamp
            for kind, files in (("metrics", state.data.metrics), ("params", state.data.params)):
                for file, found in files.items():
                    row |= {(kind, file, name): value for name, value in flatten(found.get("data", {})).items()}
        yield row
