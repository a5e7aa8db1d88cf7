"""What the stages of a project read, against what their dvc.yaml declares: code, data, parameters.

    with_tracing(project, folder).run("dvc", "repro")  # its stages write down what they read: within/sitecustomize.py
    require_declared(project.folder, folder)

Each finding is a line such as `prism.pages: reads datasets/edition_images/prism/small`, without cells of a matrix.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import chdir
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ruamel.yaml import YAML

from gamut.project import pipeline
from gamut.project.build_progress import outputs
from gamut.project.code import path_of
from tests.end_to_end.project import Project
from tests.paths import ROOT

WITHIN = Path(__file__).with_name("within")

ALLOWED = {
    r"(stages/editions/)?params\.yaml": "by its keys, see below",
    r"run\.toml": "where and how fast models run changes no result",
    r"\.store(/.*)?": "what models said, by fingerprint of the request; finished shards, by what they are made from",
    r"datasets/\.\w+\.new(/.*)?": "shards of its own table while they are made",
    r"\.(dvc|git)(/.*)?": "what DVC and git note of their own; how far a build is",
    r"(.*/)?dvc\.(yaml|lock)": "which stage this is, and how far a build is",
    r"(.*/)?\.(dvc|git)ignore": "which benchmarks are left out of a build",
    r"datasets/editions/.*\.origin\.json": "written with its edition, which is declared; not every one has it",
}
"""What may be read without being declared, each with its reason. The other rules are `is_own`, `is_of_the_world`,
`is_of_a_route`, `is_picture_of_an_item`, `is_on_the_pages` and `is_free`.
"""
OPERATIONAL = {"max_failures": "how much may fail before a stage does: no value that it gives depends on it"}
"""Parameters, in whatever block, that may be read without being declared, each with its reason."""
WHO_IS_ASKED = re.compile(r"\w+\.(judges|observers|rewriters|describers|writers)")
OF_JUDGES = re.compile(r"(\w+)\.(repeats|judge\.one_by_one)")
"""Keys that params.yaml may lack: then they are refused there where no stage asks whom they would name, or where there
are no judges.
"""
WORLD, EMBEDDED, PAGES, EDITIONS = "datasets/world", "gamut/world", "report/benchmarks", "datasets/editions"
PLAYERS = "datasets/players"


class Reading(NamedTuple):
    """What the processes of one cell read, by kind, with the files of parameters that they found, as JSON."""

    command: str
    values: str
    reads: dict[str, set[str]]


class Declaration(NamedTuple):
    """What a cell declares, keys of other files than params.yaml as `file: key`."""

    deps: list[str]
    params: list[str]
    outs: list[str]


def with_tracing(project: Project, folder: Path) -> Project:
    """The project with an environment in which stages write what they read into a folder, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    path = f"{WITHIN}{os.pathsep}{project.environment['PYTHONPATH']}"
    return replace(project, environment=project.environment | {"GAMUT_TEST_READS": str(folder), "PYTHONPATH": path})


def readings(folder: Path) -> list[Reading]:
    """One for each cell and its files of parameters: its processes, and its runs, together."""
    found: dict[tuple[str, str], Reading] = {}
    for file in sorted(folder.iterdir()):
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        if len(lines) > 1:
            (_, command), (_, values), *rest = lines
            reading = found.setdefault((command, values), Reading(command, values, {}))
            for kind, value in rest:
                reading.reads.setdefault(kind, set()).add(value)
    return list(found.values())


def findings(project: Path, folder: Path) -> list[str]:
    """What cells read and do not declare."""
    undeclared: set[str] = set()
    with chdir(project):
        found = readings(folder)
        cells = {values: commands(values) for values in {reading.values for reading in found}}
        for reading in found:
            if reading.command in cells[reading.values]:  # not such as a command that makes no table
                name, says = cells[reading.values][reading.command]
                undeclared |= {f"{name}: {line}" for line in undeclared_reads(reading, says)}
    return sorted(undeclared)


def commands(values: str) -> dict[str, tuple[str, Declaration]]:
    """All cells by their commands, for the text of their files of parameters."""
    params, found = parsed(values), {}
    for file in pipeline.pipeline_files():
        known = pipeline.variables({path: params[path] for path in pipeline.read_values(file)})
        for name, cell in pipeline.stages_of(file, known).items():
            found[cell["cmd"]] = name.partition("@")[0], declaration(cell, known)
    return found


def parsed(values: str) -> dict[Path, Any]:
    return {Path(path): YAML(typ="safe").load(text) for path, text in json.loads(values).items()}


def declaration(cell: Mapping[str, Any], known: Mapping[str, Any]) -> Declaration:
    keys = pipeline.parameters(cell.get("params", ()))
    params = (key if file == pipeline.PARAMS else f"{file}: {key}" for file, key in keys)
    listed = (cell.get("deps", ()), params, map(str, outputs(cell)))
    return Declaration(*([pipeline.fill_variables(one, known) for one in of] for of in listed))


def covers(one: str, path: str) -> bool:
    return path == one or path.startswith(f"{one}/")


def undeclared_reads(reading: Reading, says: Declaration) -> Iterator[str]:
    code = {path for module in reading.reads.get("code", ()) if (path := code_of(module))}
    for said, kind, paths in (
        ("imports", "code", code),
        ("reads", "file", reading.reads.get("file", set())),
        ("lists", "folder", reading.reads.get("folder", set())),
    ):
        for path in paths:
            if not any(covers(dep, path) for dep in says.deps) and not is_allowed(kind, path, says):
                yield f"{said} {path}"
    values = parsed(reading.values)[pipeline.PARAMS]
    for key in reading.reads.get("value", ()):
        if not any(key == one or key.startswith(f"{one}.") for one in says.params) and not is_free(key, values, says):
            yield f"parameter {key}"


def code_of(module: str) -> str:
    """The file of a module; nothing for a name that is none, or for a package, whose file has no code."""
    file = path_of(module)
    there = (root / file for root in (Path.cwd(), ROOT))  # a project may be without code of its own
    return file if any(one.is_file() for one in there) else ""


def is_allowed(kind: str, path: str, says: Declaration) -> bool:
    rules = (is_of_the_world, is_on_the_pages)
    if kind != "code":
        rules = (*rules, is_of_a_route, is_picture_of_an_item, partial(is_own, kind), partial(is_searched, kind))
    return any(rule(path, says) for rule in rules)


def is_searched(kind: str, path: str, _: Declaration) -> bool:
    """By Python, for modules, of which the imports are seen; or by name in the table above."""
    module = (covers("gamut", path) or covers("stages", path)) and (kind == "folder" or path.endswith(".py"))
    return module or any(re.fullmatch(pattern, path) for pattern in ALLOWED)


def is_own(kind: str, path: str, says: Declaration) -> bool:
    """What the stage makes itself, under the name that it has until it is finished too; and the folder in which it
    lies: what killed runs left there is looked for.
    """
    beside = kind == "folder" and any(str(Path(out).parent) == path for out in says.outs)
    return beside or any(covers(out, path) or covers(f"{out}.new", path) for out in says.outs)


def is_of_the_world(path: str, says: Declaration) -> bool:
    """The embedded world: its version is declared. What it reads of frozen editions is of a kind of its own."""
    return covers(EMBEDDED, path) and any(covers(WORLD, dep) or covers(PLAYERS, dep) for dep in says.deps)


def is_of_a_route(path: str, says: Declaration) -> bool:
    """Source rows that go one route: of their shards the digests are declared."""
    return covers("datasets/source_rows", path) and any(covers("datasets/routes", dep) for dep in says.deps)


def is_picture_of_an_item(path: str, says: Declaration) -> bool:
    """Of an edition that is declared, whose items name their pictures by sha256."""
    editions = (dep.removesuffix(".jsonl") for dep in says.deps if covers(EDITIONS, dep))
    return any(covers(edition.replace(EDITIONS, "datasets/edition_images", 1), path) for edition in editions)


def is_on_the_pages(path: str, says: Declaration) -> bool:
    """The first page repeats what the pages of benchmarks show, and follows them."""
    benchmarks = "|".join(one.parent.name for one in pipeline.BENCHMARKS.glob("*/curation.py"))
    shown = rf"(stages|params|metrics|datasets/editions)/({benchmarks})/.*"
    return PAGES in says.deps and bool(re.fullmatch(shown, path))


def is_free(key: str, values: Any, says: Declaration) -> bool:
    """A parameter that is operational, or does not stand in params.yaml and is refused there; or of a benchmark whose
    pages are declared.
    """
    of_judges = OF_JUDGES.fullmatch(key)
    nobody = of_judges and pipeline.value_at(values, f"{of_judges[1]}.judges") is None
    refused = (nobody or WHO_IS_ASKED.fullmatch(key)) and pipeline.value_at(values, key) is None
    return (
        key.rpartition(".")[2] in OPERATIONAL
        or bool(refused)
        or is_on_the_pages(f"params/{key.replace('.', '/')}", says)
    )


def require_declared(project: Path, folder: Path, about: str = "") -> None:
    """AssertionError for what a stage read undeclared, and for a stage of this folder of stages/ (of all, without one)
    of which no cell was seen.
    """
    found = findings(project, folder)
    assert not found, "\n".join(["read and not declared:", *found])
    assert not unseen_commands(project, folder, about), "no cell of these was seen"


def unseen_commands(project: Path, folder: Path, about: str = "") -> list[str]:
    """The commands of stages, of this folder of stages/ or of all, of which no cell has run; of a matrix each."""
    with chdir(project):
        texts = {str(path): path.read_text() for path in (pipeline.PARAMS, pipeline.EDITIONS) if path.is_file()}
        cells = commands(json.dumps(texts))
    seen = {cells[one.command][0] for one in readings(folder) if one.command in cells}
    wanted = {one: name for one, (name, _) in cells.items() if not about or name.startswith(f"{about}.")}
    return [one for one, name in wanted.items() if name not in seen]
