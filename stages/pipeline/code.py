"""Which code a stage depends on: the files that its module can import, packages of the library whole."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

ROOT = "stages"
HERE = Path(__file__).parents[2]
"""Where that folder lies."""
WORLD = "stages.sandbox"
"""Stages depend on the embedded world by the files that `world` writes of it."""
SPLIT = ("evaluation", "report", "command")
"""Packages of the library whose own packages are depended on one by one, since not all of them decide answers."""
CELLS = "bodies"
"""A package of modules that stages run: each depends on its own."""


def declared_code(*modules: str) -> list[str]:
    """Return what a stage declares that runs one of these modules and imports the others, as paths from the project."""
    return sorted({unit(file) for file in closure(modules)})


def whole(code: Sequence[str], *packages: str) -> list[str]:
    """Return dependencies of code in which each of these packages stands as one: for what asks nobody."""
    found = {next((one for one in packages if file.startswith(f"{one}/")), file) for file in code}
    return sorted(found)


def unit(file: Path) -> str:
    """Return the dependency that stands for a file: the file, or a package as a whole."""
    room, *inner = file.parts[1:]
    library = not is_room(room)
    if library and room not in SPLIT and inner:
        return f"{ROOT}/{room}"
    if len(inner) > 1 and inner[0] != CELLS:
        return f"{ROOT}/{room}/{inner[0]}"
    return str(file)


@cache
def is_room(name: str) -> bool:
    """Return whether a folder of stages holds modules of the project, each with a stage or record of its own."""
    return name == "dataset" or (HERE / ROOT / name / "room.py").is_file()


def closure(modules: tuple[str, ...]) -> set[Path]:
    """Return the files that these modules import, and what those import; not the embedded world, nor packages whose
    file is a mere docstring.
    """
    found: set[str] = set()
    queue = list(modules)
    while queue:
        name = queue.pop()
        if name in found or name == ROOT or name.startswith(WORLD):
            continue
        found.add(name)
        queue += [*imports(name), name.rpartition(".")[0]]
    return {file for name in found if (file := path_of(name)) and not is_docstring(file)}


@cache
def imports(module: str) -> tuple[str, ...]:
    file = path_of(module)
    return tuple(imported(ast.parse((HERE / file).read_bytes()))) if file else ()


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield modules of this project that a module names, wherever in it; not those for the type checker alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == ROOT:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == ROOT)
        else:
            yield from imported(node)


def path_of(module: str) -> Path | None:
    """Return a module's file; None where the name is no module, such as a function's."""
    path = Path(*module.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if (HERE / file).is_file()), None)


@cache
def is_docstring(file: Path) -> bool:
    body = ast.parse((HERE / file).read_bytes()).body
    return file.name == "__init__.py" and all(isinstance(node, ast.Expr) for node in body)
