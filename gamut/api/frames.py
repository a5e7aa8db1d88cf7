"""The functions of `import gamut`: they read the project in the current folder, and start neither a model nor a stage.

Tables come as pandas data frames; those with pictures, which may not fit into memory, as Arrow data sets.
"""

from __future__ import annotations

import gc
import os
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds

from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.editions import Item, path_of, read_items
from gamut.evaluation.defining.parameters import CONTROL, Params
from gamut.evaluation.scoring.pairwise import Entrant, comparisons, difference_values, read_entrant_scores
from gamut.evaluation.scoring.tables import TEXTS, TIDY, read_tidy_rows
from gamut.project.code import ROOT
from gamut.project.errors import UserError, nearest_choice
from gamut.project.parameters import load
from gamut.project.pipeline import LIBRARY, PARAMS, PIPELINE, names_at, value_at
from gamut.project.plain_text import harmless_text
from gamut.project.revisions import WORKSPACE, Revision
from gamut.project.staleness import staleness
from gamut.project.validation import read_yaml
from gamut.tables.reading import shard_names

RELEASE = Path("datasets/release")
WHOLE = ("n", "rank_best", "rank_worst", "tie_group")
"""Columns of board.csv with whole numbers."""


def boards() -> pd.DataFrame:
    """Return the ranking values of all boards that are built here, one row for each contestant: `benchmark`, `edition`
    and the columns of `board`. A benchmark without a board is left out with a warning.
    """
    names = own_benchmarks()
    values, found = read_yaml(PARAMS), {}
    for name in names:
        try:
            whole = board(name)
        except UserError as error:
            warn(f"{name} is left out: {error}")
            continue
        ranking = whole["coverage"].notna() & ~whole["contestant"].str.startswith(CONTROL)
        found[name, value_at(values, f"{name}.edition")] = whole[ranking]
    if not found:
        raise UserError("no board has been built here: `dvc repro leaderboard` builds those that params.yaml names")
    return pd.concat(found, names=["benchmark", "edition", "row"]).reset_index().drop(columns="row")


def board(benchmark: str) -> pd.DataFrame:
    """Return all boards of a benchmark, as in `metrics/<benchmark>/<edition>/board.csv`: a row for each value of a
    contestant or control by a metric and judge, with its interval and the ends of its scale. A contestant's first row
    has the ranking value (if any), rank, ties and coverage. `trusted` is False for a judge that failed validation.
    """
    found = pd.DataFrame(read_tidy_rows(*measured(benchmark)), columns=TIDY)
    numbers = dict.fromkeys([name for name in TIDY if name not in TEXTS], "float64")
    return found.astype(numbers | dict.fromkeys(WHOLE, "Int64") | {"trusted": "bool"})


def scores(benchmark: str) -> pd.DataFrame:
    """Return every score of every item, from which the boards follow. `value` is between `low` and `high`, in which
    unjudged parts count as lowest and as highest. If there is no value, `left_out` says why.
    """
    record, params = measured(benchmark)
    return rows_of({(name,): record.scores / name for name in record.contestants(params)}, "contestant")


def answers(benchmark: str) -> ds.Dataset:
    """Return the contestants' answers, texts and pictures, as an Arrow data set with a column `contestant`."""
    record, params = measured(benchmark)
    named = ds.partitioning(pa.schema([("contestant", pa.string())]))
    folders = [record.answers / name for name in record.contestants(params)]
    return arrow_data(folders, partitioning=named, partition_base_dir=str(record.answers))


def judgments(benchmark: str, controls: bool = False) -> pd.DataFrame:
    """Return the judgment of each judge or observer on each answer, with its raw replies. With `controls`, those on
    answers that were degraded in known ways, by which judges are validated.
    """
    record, params = measured(benchmark)
    block = record.block(params)
    judges, names, table = record.raters(block), list(record.contestants(params)), record.answer_judgments
    if controls:
        judges = [*dict.fromkeys(place for judge in block.judged_by for place in record.control_places(block, judge))]
        names, table = block.controls_of, record.control_judgments
    return rows_of({(name, judge): table(name, judge) for name in names for judge in judges}, "contestant", "judge")


def edition(benchmark: str) -> pd.DataFrame:
    """Return the items of the edition that params.yaml names, one row for each, with the keys of the file."""
    record, params = measured(benchmark)
    items = read_items(path_of(benchmark, record.block(params).edition), Item)
    return pd.DataFrame([item.model_dump(mode="json", exclude_unset=True) for item in items])


def release() -> ds.Dataset:
    """Return the released dataset, pictures and captions, as an Arrow data set."""
    require_project()
    if said := staleness(["release"]):
        warn(f"{RELEASE}: {said}")
    return arrow_data([RELEASE])


def compare(first: str, second: str) -> pd.DataFrame:
    """Compare two contestants on the items that both were asked, as in the tables of `gamut compare --of`: a row for
    each value of a board. Differences are the second minus the first, with paired intervals and p, adjusted within a
    board; the command's verdicts adjust for all boards of a benchmark. NAME@REVISION is a contestant at a revision.
    Warnings name what cannot be compared.
    """
    benchmarks, pair, found = own_benchmarks(), [entrant(first), entrant(second)], []
    there = [read_yaml(one.get(PARAMS)) for one in pair]
    for name in benchmarks:
        listed = [names_at(values, f"{name}.contestants") for values in there]
        if not all(one.contestant in names for one, names in zip(pair, listed, strict=True)):
            continue
        record, params = measured(name)
        try:
            ours, theirs = (read_entrant_scores(one, record, params) for one in pair)
        except UserError as error:
            warn(f"{record.title} is not compared: {error}")
            continue
        for one in comparisons(record, record.metrics_in(params), ours, theirs, params.seed):
            if isinstance(one, str):
                warn(one)
            else:
                place = {"benchmark": name, "metric": one.metric, "judge": one.judge}
                found += [place | difference_values(each) | {"trusted": one.trusted} for each in one.differences]
    if not found:
        raise UserError(f"no item has scores of both {first} and {second}")
    return pd.DataFrame(found)


def require_project() -> None:
    if not (PARAMS.is_file() and PIPELINE.is_file()):
        raise UserError(f"{Path.cwd()} is not the folder of a project: `os.chdir` to the folder of your clone first")
    if LIBRARY.is_dir() and not LIBRARY.samefile(ROOT / LIBRARY):
        raise UserError(f"{Path.cwd()}: here the code of {ROOT} runs: start Python in the environment of this folder")


def own_benchmarks() -> list[str]:
    """Return the benchmarks that have a block in params.yaml."""
    require_project()
    from gamut.evaluation.curating.benchmarks import NAMES  # looked for in the current folder when it is imported

    values = read_yaml(PARAMS)
    return [name for name in NAMES if value_at(values, name) is not None]


def measured(benchmark: str) -> tuple[AnyBenchmark, Params]:
    """Return a benchmark's record and its part of params.yaml, and warn if its board is stale."""
    require_project()
    with process_unchanged():
        from gamut.evaluation.curating.benchmarks import curation_of

        record = curation_of(benchmark).benchmark
    params = load(record.params)
    if said := staleness([f"{benchmark}.board"]):
        warn(f"{record.title}: {said}", level=4)
    return record, params


@contextmanager
def process_unchanged() -> Iterator[None]:
    """Undo what the import of the project's package changes in the process, for a stage."""
    variables, thresholds = dict(os.environ), gc.get_threshold()
    try:
        yield
    finally:
        for name in os.environ.keys() - variables.keys():
            del os.environ[name]
        gc.set_threshold(*thresholds)


def warn(text: str, level: int = 3) -> None:
    warnings.warn(harmless_text(text), stacklevel=level)


def entrant(named: str) -> Entrant:
    contestant, at, revision = named.partition("@")
    if at and not revision:
        raise UserError(f"{named!r} has no revision after the @: NAME or NAME@REVISION is expected")
    there = revision and revision != WORKSPACE
    found = Entrant(contestant, revision, Revision(revision).get) if there else Entrant(contestant)
    if contestant not in (known := names_at(read_yaml(found.get(PARAMS)), "contestants")):
        raise UserError(f"there is no contestant {named!r}{nearest_choice(contestant, known)}")
    return found


def arrow_data(tables: Iterable[Path], **how: Any) -> ds.Dataset:
    paths = [table / f"{name}.parquet" for table in tables for name in shard_names(table)]
    if missing := [path for path in paths if not path.is_file()]:
        raise UserError(f"{missing[0]}: no such file: `dvc pull {missing[0].parent}` fetches it")
    if not paths:
        raise UserError(f"{PARAMS} names no contestant that has answers: `gamut add contestant` adds one")
    return ds.dataset([*map(str, paths)], format="parquet", **how)


def rows_of(tables: Mapping[Any, Path], *names: str) -> pd.DataFrame:
    """Return the rows of several tables as one frame that begins with columns `names`, which hold their keys."""
    found = []
    for values, folder in tables.items():
        if shard_names(folder):
            data = arrow_data([folder])
            keys = dict(zip(names, map(ds.scalar, values), strict=True))
            found.append(data.to_table(columns=keys | {name: ds.field(name) for name in data.schema.names}))
    return pa.concat_tables(found, promote_options="default").to_pandas() if found else pd.DataFrame(columns=names)


IDENTITY = ["run", "revision", "time", "state"]


def runs() -> pd.DataFrame:
    """Return the workspace, the last commit and its DVC experiments, one row each: name, revision, `state` (how an
    experiment ended, or why it cannot be read), all metrics that DVC shows, and the parameters that differ among rows.
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
    times = Counter(name for *_, name in shown)  # a name in several files gets its file's before it
    names = {key: key[2] if times[key[2]] == 1 else f"{key[1]}:{key[2]}" for key in shown}
    return pd.DataFrame(rows, columns=[*IDENTITY, *shown]).rename(columns=names)


def rows_from(baseline: Any) -> Iterator[dict[Any, Any]]:
    """Yield a commit and its experiments. Keys of metrics and parameters are their kind, file and dotted name."""
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
