"""What DVC's files say of the stages, and dvc itself. A stage of the root's or the dataset's dvc.yaml goes by its own
name, one of a benchmark's room or its construction by `<room>.<stage>`, a cell of a matrix by `<room>.<stage>@<cell>`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from stages.project.errors import UserError, nearest
from stages.project.validation import read_yaml, shown

PIPELINE = Path("dvc.yaml")
PARAMS = Path("params.yaml")
ROOMS = Path("stages")
OF_THE_DATASET = ROOMS / "dataset" / PIPELINE
CONSTRUCTION = "construction"
OBSERVATIONS = "observations"
"""The folder of a benchmark whose cells each hold two tables, about `answers` and about `controls`."""
OF_CONTROLS = "_controls"
MEND = "run `gamut pipeline`, then `dvc repro` again"


def files() -> list[Path]:
    rooms = sorted([*ROOMS.glob(f"*/{PIPELINE}"), *ROOMS.glob(f"*/{CONSTRUCTION}/{PIPELINE}")])
    return [PIPELINE, *(path for path in rooms if not is_hidden(path))]


def room_of(file: Path) -> Path:
    return Path(*file.parts[:2])


def is_hidden(file: Path) -> bool:
    room = room_of(file)
    ignored = room / ".dvcignore"
    return ignored.is_file() and hiding(file) in ignored.read_text(encoding="utf-8").splitlines()


def hiding(file: Path) -> str:
    return f"/{file.relative_to(room_of(file))}"


def lock_of(stage: str) -> Path:
    return file_of(stage).with_suffix(".lock")


def file_of(stage: str) -> Path:
    """Return the dvc.yaml that declares a stage, by its name alone."""
    room, dot, name = stage.partition("@")[0].rpartition(".")
    if not dot:
        in_the_room = OF_THE_DATASET.is_file() and name in declared_in(OF_THE_DATASET)
        return OF_THE_DATASET if in_the_room else PIPELINE
    construction = ROOMS / room / CONSTRUCTION / PIPELINE
    return construction if construction.is_file() and name in declared_in(construction) else ROOMS / room / PIPELINE


def address(stage: str) -> str:
    file, stage = file_of(stage), stage_behind(stage)
    return stage if file == PIPELINE else f"{file}:{stage.partition('.')[2] or stage}"


def stages() -> dict[str, Any]:
    params = read_yaml(PARAMS) if PARAMS.exists() else {}
    found: dict[str, Any] = {}
    for file in files():
        of_file = stages_of(file, params)
        if twice := of_file.keys() & found.keys():
            raise UserError(f"{file}: another dvc.yaml has a stage {min(twice)!r} too: rename one of them")
        found |= of_file
    return found


def stages_of(file: Path, params: Any) -> dict[str, Any]:
    room = "" if file in (PIPELINE, OF_THE_DATASET) else f"{room_of(file).name}."
    return {
        f"{room}{name}{cell}": whole
        for name, entry in declared_in(file).items()
        for cell, whole in cells(entry, params)
    }


def declared_in(file: Path) -> dict[str, Any]:
    values = read_yaml(file)
    entries = values.get("stages") if isinstance(values, dict) else None
    if not isinstance(entries, dict) or not all(isinstance(entry, dict) for entry in entries.values()):
        raise UserError(f"{file}: has to hold `stages`: `git checkout {file}` puts it back")
    return entries


def require_written(stage: str, record: Mapping[str, Any]) -> None:
    """Raise UserError where a stage's entry in its dvc.yaml is not what its record says, code dependencies aside:
    these are compared with what was imported, when the stage ends.
    """
    file, name = file_of(stage), stage.partition("@")[0].rpartition(".")[2]
    if without_code(declared_in(file).get(name, {})) != without_code(record):
        raise UserError(f"{file}: its entry {name!r} is not what the stage's record says: {MEND}")


def without_code(entry: Mapping[str, Any]) -> dict[str, Any]:
    return dict(entry) | {"deps": [dep for dep in entry.get("deps", []) if not is_code(dep)]}


def cells(entry: Any, params: Any) -> Iterator[tuple[str, Any]]:
    """Yield the cells of a stage's matrix, `@a-b` and the entry with their values. An axis is a list, or `${…}`: a list
    of params.yaml, or the keys of a mapping there.
    """
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
        yield f"@{'-'.join(combination)}", put_in(rest, item)


def axes(file: Path) -> set[str]:
    """Return the keys of params.yaml that a dvc.yaml has stages for: a cell for each name that stands there."""
    listed = (values for entry in declared_in(file).values() for values in entry.get("matrix", {}).values())
    return {values[2:-1] for values in listed if isinstance(values, str)}


def put_in(node: Any, item: Mapping[str, str]) -> Any:
    """Return a copy of plain values with `${item.axis}` replaced wherever it stands in a text."""
    if isinstance(node, dict):
        return {put_in(key, item): put_in(value, item) for key, value in node.items()}
    if isinstance(node, list):
        return [put_in(value, item) for value in node]
    if isinstance(node, str):
        for axis, value in item.items():
            node = node.replace(f"${{item.{axis}}}", value)
    return node


def table_of(stage: str) -> Path:
    """Return the table of a stage, or of what asks about controls in one (`controls_in`)."""
    known, made = stages(), tables()
    if stage not in {*known, *made}:
        cells = [name for name in known if name.startswith(f"{stage}@")]
        meant = f": name one of its cells, such as {cells[0]}" if cells else nearest(stage, known)
        raise UserError(f"there is no stage {stage!r}{meant}")
    if stage not in made:
        raise UserError(f"{stage} makes no table: name a stage that does, such as annotate")
    return made[stage]


def tables() -> dict[str, Path]:
    """Return the tables that stages make, by stage; of a cell that asks about answers and their controls both."""
    made = {name: table for name, entry in stages().items() if (table := main_output(entry))}
    both = {name: table for name, table in made.items() if table.parts[2:3] == (OBSERVATIONS,)}
    return (
        made
        | {name: table / "answers" for name, table in both.items()}
        | {controls_in(name): table / "controls" for name, table in both.items()}
    )


def controls_in(stage: str) -> str:
    """Return how what a cell asks about controls goes by, in the reply store and among failures."""
    return stage.replace("@", f"{OF_CONTROLS}@")


def stage_behind(name: str) -> str:
    return name.replace(f"{OF_CONTROLS}@", "@")


def main_output(stage: Any) -> Path | None:
    """Return a stage's first output where that is a table: listed without options, or `persist` below `datasets`."""
    first = next(iter(stage.get("outs", ())), None)
    if isinstance(first, dict) and (kept := [path for path, how in first.items() if how == {"persist": True}]):
        first = kept[0] if kept[0].startswith("datasets/") else None
    return Path(first) if isinstance(first, str) else None


def stage_of(table: Path) -> str:
    made = {output: name for name, output in tables().items()}
    if table not in made:
        raise UserError(f"no stage makes {table}{nearest(table, made)}")
    return made[table]


def is_recorded(stage: str, folder: Path | None = None) -> bool:
    """Return whether dvc.lock records the stage's table, or `folder`, as it lies here, by number and size of files."""
    if folder is None:
        folder = table_of(stage)
        folder = folder.parent if folder.parts[2:3] == (OBSERVATIONS,) else folder
    here = (str(folder), *extent(folder))
    return any((out["path"], out.get("nfiles"), out.get("size")) == here for out in recorded(stage))


def extent(path: Path) -> tuple[int | None, int]:
    if path.is_file():
        return None, path.stat().st_size
    sizes = [one.stat().st_size for one in path.rglob("*") if one.is_file()]
    return len(sizes), sum(sizes)


def recorded(stage: str) -> list[Any]:
    lock, stage = lock_of(stage), stage_behind(stage)
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
    raise UserError(f"{lock}: not as DVC writes it, torn by a killed run perhaps: `gamut check` mends it")


def dvc(*arguments: str) -> int:
    """Run this environment's dvc, whose stages find its python, in its turn; return the exit code."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    return subprocess.run(
        [sys.executable, "-m", "dvc", "--wait-for-lock", *arguments], env=os.environ | {"PATH": path}
    ).returncode


class Declared(NamedTuple):
    """What a stage declares: dependencies, parameters with values; which of how many stages of a dvc.yaml it is."""

    deps: list[str]
    params: dict[str, Any]
    number: int
    of: int
    file: Path


def declared(stage: str, params: Any) -> Declared:
    file = file_of(stage)
    known = stages_of(file, params) if file.is_file() else {}  # each cell asks, and to read all of them takes longer
    if stage not in known:
        raise UserError(f"there is no stage {stage!r}{nearest(stage, stages())}")
    entry = known[stage]
    keys = [filled(key, params) for key in entry.get("params", [])]
    values = {key: value_at(params, key) for key in keys}
    deps = [filled(dep, params) for dep in entry.get("deps", [])]
    return Declared(deps, values, list(known).index(stage) + 1, len(known), file)


def is_code(dependency: str) -> bool:
    """Return whether a dependency names code itself, not data or a file that params.yaml chooses."""
    return dependency.startswith(f"{ROOMS}/") and "${" not in dependency


def filled(text: str, params: Any) -> str:
    return re.sub(r"\$\{([^}]+)\}", lambda match: str(value_at(params, match.group(1))), text)


def names_at(params: Any, path: str) -> list[str]:
    values = value_at(params, path)
    if values is None:
        return []
    if not isinstance(values, dict | list) or not all(isinstance(name, str) for name in values):
        raise UserError(f"{PARAMS}: {path}: names are wanted, in a list or as keys, not {shown(values)}")
    return list(values)


def value_at(values: Any, path: str) -> Any:
    for key in path.split("."):
        values = values.get(key) if isinstance(values, dict) else None
    return values
