"""DVC's experiments as a data frame: what they were called, what they changed, what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from gamut.api.frames import require_project
from gamut.project.errors import UserError

Values = dict[tuple[str, str], Any]
"""By file and dotted key."""
IDENTITY = ("run", "revision", "time", "state")
"""The first columns; `state`: how an experiment ended, or why it cannot be read."""


class Run(NamedTuple):
    identity: dict[str, Any]
    metrics: Values
    params: Values


def runs() -> pd.DataFrame:
    """The workspace, the last commit and its DVC experiments, a row each: name, revision, state, all metrics that DVC
    shows, and of the parameters those in which the rows differ.
    """
    from dvc.exceptions import DvcException
    from dvc.repo import Repo

    require_project()
    try:
        with Repo() as repo:
            found = [run for baseline in repo.experiments.show() for run in with_experiments(baseline)]
    except DvcException as error:
        raise UserError(f"dvc exp show: {error}") from None
    return table_of_runs(found)


def table_of_runs(found: Sequence[Run]) -> pd.DataFrame:
    metrics = dict.fromkeys(key for run in found for key in run.metrics)
    params = dict.fromkeys(key for run in found for key in run.params)
    built = [run.params for run in found if run.params]
    changed = [key for key in params if any(one.get(key) != built[0].get(key) for one in built)]
    columns = column_names([*metrics, *changed])
    rows = [
        run.identity | {columns[key]: value for key, value in (run.metrics | run.params).items() if key in columns}
        for run in found
    ]
    return pd.DataFrame(rows, columns=[*IDENTITY, *columns.values()])


def column_names(keys: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return a key as it is where one file has it, else behind its file, as `dvc exp show` does."""
    times = Counter(key for _, key in keys)
    return {(file, key): key if times[key] == 1 else f"{file}:{key}" for file, key in keys}


def with_experiments(baseline: Any) -> Iterator[Run]:
    yield run_of(baseline, None)
    for experiment in baseline.experiments or ():
        for state in experiment.revs:
            yield run_of(state, experiment.executor)


def run_of(state: Any, executor: Any) -> Run:
    """Read what DVC knows of a commit or an experiment. What could not be read has its error as its state."""
    said = state.error.msg if state.error else executor.state if executor else None
    identity = {"run": state.name or state.rev, "revision": state.rev, "state": said}
    if state.data is None:
        return Run(identity, {}, {})
    return Run(identity | {"time": state.data.timestamp}, flat(state.data.metrics), flat(state.data.params))


def flat(files: Mapping[str, Mapping[str, Any]]) -> Values:
    from dvc.utils.flatten import flatten

    contents = {file: flatten(found.get("data", {})) for file, found in files.items()}
    return {(file, key): value for file, found in contents.items() for key, value in found.items()}
