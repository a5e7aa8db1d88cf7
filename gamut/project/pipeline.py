"""Reads DVC's files about stages, and runs dvc. A stage of the root's dvc.yaml has its own name, a stage of a benchmark
or its construction is `<folder>.<stage>`, and a cell of a matrix `<folder>.<stage>@<cell>`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from gamut.project.errors import UserError, nearest_choice
from gamut.project.validation import read_yaml, show_value

PIPELINE = Path("dvc.yaml")
PARAMS = Path("params.yaml")
LIBRARY, BENCHMARKS = Path("gamut"), Path("stages")
"""Folders of code: the library, and the project's own."""
EDITIONS = BENCHMARKS / "editions" / PARAMS
"""The parameters of editions under construction, one key for each benchmark."""
Values = Mapping[Path, Any]
"""The content of files of parameters, params.yaml first."""
JUDGMENTS = "judgments"
"""The folder of a benchmark in which each cell has two tables, about `answers` and about `controls`."""
IGNORED = Path(".dvcignore")
"""The file of paths that DVC ignores, with a line for each pipeline that is not part of the build."""
MEND = "run `gamut pipeline`, then `dvc repro` again"


def pipeline_files() -> list[Path]:
    return [PIPELINE, *(path for path in sorted(BENCHMARKS.glob(f"*/{PIPELINE}")) if not is_hidden(path))]


def is_hidden(file: Path) -> bool:
    return IGNORED.is_file() and f"/{file}" in IGNORED.read_text(encoding="utf-8").splitlines()


def lock_of(stage: str) -> Path:
    return file_of(stage).with_suffix(".lock")


def file_of(stage: str) -> Path:
    """Return the dvc.yaml that declares a stage, by its name alone."""
    folder = stage.partition("@")[0].rpartition(".")[0]
    return BENCHMARKS / folder / PIPELINE if folder else PIPELINE


def address(stage: str) -> str:
    file = file_of(stage)
    return stage if file == PIPELINE else f"{file}:{stage.partition('.')[2] or stage}"


def stages() -> dict[str, Any]:
    params = read_yaml(PARAMS) if PARAMS.exists() else {}
    found: dict[str, Any] = {}
    for file in pipeline_files():
        of_file = stages_of(file, variables(read_values(file, params)))
        if twice := of_file.keys() & found.keys():
            raise UserError(f"{file}: another dvc.yaml also has a stage {min(twice)!r}: rename one of them")
        found |= of_file
    return found


def read_values(file: Path, params: Any = None) -> Values:
    """Return params.yaml (or `params`), and the other files of parameters that `vars` of a dvc.yaml names."""
    values = {PARAMS: read_yaml(PARAMS) if params is None else params}
    said = read_yaml(file) if file != PIPELINE and file.is_file() else {}
    for named in said.get("vars", ()) if isinstance(said, dict) else ():
        if isinstance(named, str) and (path := Path(os.path.normpath(file.parent / named))) not in values:
            values[path] = read_yaml(path)
    return values


def variables(values: Values) -> Any:
    """Return what `${…}` may name: the keys of all files, merged as DVC does."""
    first, *others = values.values()
    for other in others:
        first = merge_values(first, other)
    return first


def all_variables() -> Any:
    return variables({path: read_yaml(path) for path in (PARAMS, EDITIONS) if path.is_file()})


def merge_values(one: Any, other: Any) -> Any:
    both = isinstance(one, dict) and isinstance(other, dict)
    return one | {key: merge_values(one.get(key), value) for key, value in other.items()} if both else other


def stages_of(file: Path, params: Any) -> dict[str, Any]:
    folder = "" if file == PIPELINE else f"{file.parent.name}."
    return {
        f"{folder}{name}{cell}": whole
        for name, entry in declared_entries(file).items()
        for cell, whole in cells(entry, params)
    }


def declared_entries(file: Path) -> dict[str, Any]:
    values = read_yaml(file)
    entries = values.get("stages") if isinstance(values, dict) else None
    if not isinstance(entries, dict) or not all(isinstance(entry, dict) for entry in entries.values()):
        raise UserError(f"{file} has no valid `stages`: `git checkout {file}` restores it")
    return entries


def require_written(stage: str, record: Mapping[str, Any]) -> None:
    """Raise UserError if dvc.yaml differs from the record; code is compared when the stage ends."""
    file, name = file_of(stage), stage.partition("@")[0].rpartition(".")[2]
    if without_code(declared_entries(file).get(name, {})) != without_code(record):
        raise UserError(f"{file}: its entry {name!r} differs from the stage's record: {MEND}")


def without_code(entry: Mapping[str, Any]) -> dict[str, Any]:
    return dict(entry) | {"deps": [dep for dep in entry.get("deps", []) if not is_code(dep)]}


def cells(entry: Any, params: Any) -> Iterator[tuple[str, Any]]:
    """Yield `@a-b` and the entry of each cell. An axis is a list, or `${…}`: a list, or keys, of params.yaml."""
    if "matrix" not in entry:
        yield "", entry
        return
    axes = {
        axis: names_at(params, values[2:-1]) if isinstance(values, str) else values
        for axis, values in entry["matrix"].items()
    }
    for combination in product(*axes.values()):
        item = dict(zip(axes, combination, strict=True))
        rest = {key: value for key, value in entry.items() if key != "matrix"}
        yield f"@{'-'.join(combination)}", fill_items(rest, item)


def axes(file: Path) -> set[str]:
    """Return the keys of params.yaml for whose names a dvc.yaml has cells."""
    listed = (values for entry in declared_entries(file).values() for values in entry.get("matrix", {}).values())
    return {values[2:-1] for values in listed if isinstance(values, str)}


def fill_items(node: Any, item: Mapping[str, str]) -> Any:
    """Return a copy of plain values with `${item.axis}` replaced in all texts."""
    if isinstance(node, dict):
        return {fill_items(key, item): fill_items(value, item) for key, value in node.items()}
    if isinstance(node, list):
        return [fill_items(value, item) for value in node]
    if isinstance(node, str):
        for axis, value in item.items():
            node = node.replace(f"${{item.{axis}}}", value)
    return node


def tables() -> dict[str, tuple[str, Path]]:
    """Return tables by name: an edition's is `<folder>.<step>@<edition>`, for controls see `controls_in`."""
    found: dict[str, tuple[str, Path]] = {}
    for stage, entry in stages().items():
        if (output := main_output(entry)) is not None:
            found |= {name: (stage, table) for name, table in tables_in(stage, output).items()}
    return found


def tables_in(stage: str, output: Path) -> dict[str, Path]:
    if output.parts[2:3] == (JUDGMENTS,):
        return {stage: output / "answers", controls_in(stage): output / "controls"}
    steps = sorted(output.glob("*/")) if stage.startswith(f"{EDITIONS.parent.name}.") else []
    return {f"{output.parts[1]}.{step.name}@{output.name}": step for step in steps} or {stage: output}


def controls_in(stage: str) -> str:
    """Return the name of a cell's requests about controls, in the reply store and among failures."""
    return stage.replace("@", "_controls@")


def table_of(name: str) -> Path:
    """Return the table of a stage, a step, or of a cell's controls. Raise UserError if there is none."""
    if (found := tables().get(name)) is not None:
        return found[1]
    known = stages()
    if name in known:
        raise UserError(f"{name} makes no table: name a stage that does, such as annotate")
    cells = [one for one in known if one.startswith(f"{name}@")]
    meant = f": name one of its cells, such as {cells[0]}" if cells else nearest_choice(name, known)
    raise UserError(f"there is no stage {name!r}{meant}")


def maker_of(name: str) -> str:
    return tables().get(name, (name, Path()))[0]


def main_output(stage: Any) -> Path | None:
    """Return a stage's first output if it is a table, which is listed without options."""
    first = next(iter(stage.get("outs", ())), None)
    return Path(first) if isinstance(first, str) else None


def stage_of(table: Path) -> str:
    made = {output: name for name, (_, output) in tables().items()}
    if table not in made:
        raise UserError(f"no stage makes {table}{nearest_choice(table, made)}")
    return made[table]


def is_recorded(stage: str, folder: Path | None = None) -> bool:
    """Return whether dvc.lock records the stage's table, or `folder`, as it is here, by number and size of files."""
    stage = maker_of(stage)
    folder = folder or main_output(stages()[stage]) or table_of(stage)
    here = (str(folder), *extent(folder))
    return any((out["path"], out.get("nfiles"), out.get("size")) == here for out in recorded_outs(stage))


def extent(path: Path) -> tuple[int | None, int]:
    if path.is_file():
        return None, path.stat().st_size
    sizes = [one.stat().st_size for one in path.rglob("*") if one.is_file()]
    return len(sizes), sum(sizes)


def recorded_outs(stage: str) -> list[Any]:
    lock = lock_of(stage)
    name = stage.partition(".")[2] or stage
    outs: list[Any] = entries_in(lock).get(name, {}).get("outs", []) if lock.exists() else []
    return outs


def entries_in(lock: Path) -> dict[str, Any]:
    try:
        entries = read_yaml(lock)["stages"]
        if all(isinstance(entry, dict) for entry in entries.values()):
            return dict(entries)
    except (UserError, AttributeError, LookupError, TypeError):
        pass
    raise UserError(f"{lock} is damaged, perhaps by a killed run: `gamut check` repairs it")


def cache_folder() -> Path:
    from dvc.config import Config  # takes a while to import

    return Path(os.path.relpath(Config(".dvc")["cache"].get("dir", ".dvc/cache")))


def run_dvc(*arguments: str) -> int:
    """Run this environment's dvc when no other runs; its stages use this python. Return the exit code."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    return subprocess.run(
        [sys.executable, "-m", "dvc", "--wait-for-lock", *arguments], env=os.environ | {"PATH": path}
    ).returncode


class Declaration(NamedTuple):
    """A stage's declaration: dependencies, parameters by file and key, its number in a dvc.yaml and their total."""

    deps: list[str]
    params: dict[tuple[Path, str], Any]
    number: int
    of: int
    file: Path


def declaration_of(stage: str, values: Values) -> Declaration:
    file, params = file_of(stage), variables(values)
    known = stages_of(file, params) if file.is_file() else {}  # only this file, because each cell calls this
    if stage not in known:
        raise UserError(f"there is no stage {stage!r}{nearest_choice(stage, stages())}")
    entry = known[stage]
    places = [(path, fill_variables(key, params)) for path, key in parameters(entry.get("params", []))]
    found = {(path, key): value_at(values.get(path), key) for path, key in places}
    deps = [fill_variables(dep, params) for dep in entry.get("deps", [])]
    return Declaration(deps, found, list(known).index(stage) + 1, len(known), file)


def parameters(listed: Sequence[Any]) -> Iterator[tuple[Path, str]]:
    """Yield the file and the key of each parameter. A stage lists keys, or keys of another file."""
    for one in listed:
        for file, keys in one.items() if isinstance(one, dict) else [(PARAMS, [one])]:
            yield from ((Path(file), key) for key in keys)


def is_code(dependency: str) -> bool:
    """Return whether a dependency is code, not data or a file that params.yaml chooses."""
    return dependency.startswith((f"{LIBRARY}/", f"{BENCHMARKS}/")) and "${" not in dependency


def fill_variables(text: str, params: Any) -> str:
    return re.sub(r"\$\{([^}]+)\}", lambda match: str(value_at(params, match.group(1))), text)


def names_at(params: Any, path: str) -> list[str]:
    values = value_at(params, path)
    if values is None:
        return []
    if not isinstance(values, dict | list) or not all(isinstance(name, str | int) for name in values):
        raise UserError(f"{PARAMS}: {path}: names are expected, in a list or as keys, not {show_value(values)}")
    return [str(name) for name in values]  # seeds are numbers


def value_at(values: Any, path: str) -> Any:
    for key in path.split("."):
        values = values.get(key) if isinstance(values, dict) else None
    return values
