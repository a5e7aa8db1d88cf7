"""The code that something depends on: the files of a module and of all that it imports, and one digest of them.

Stages declare these files in dvc.yaml; specs of scores and the identity of the embedded world hold their digest.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import product
from pathlib import Path

from gamut.project.errors import UserError, in_one_line
from gamut.project.inputs import stays_within

ROOT = Path(__file__).parents[2]
"""The folder with the library and the project."""
LIBRARY, PROJECT = "gamut", "stages"
OWN = f"{PROJECT}.mine"
"""The user's own steps. To import this package is to import all of its modules, which no file names."""
OWN_MODELS = f"{PROJECT}/mine/models"
"""The folder of Python files that models of kind `python` name; no module of the project imports them."""
WORLD = f"{LIBRARY}.world"
"""The embedded world: other code depends on it through the files that the stage `world` writes."""
SPLIT = ("dataset", "evaluation", "report", "command")
"""Packages of the library on whose sub-packages stages depend one by one, as not all of these decide answers."""
CELLS = "bodies"
"""A package of modules that stages run; each stage depends on its own module."""
PACKAGE = re.compile(
    r'\s*(?:""".*?"""\s*)?(?:from gamut.project.process import prepare_process\s*prepare_process\(\)\s*)?', re.DOTALL
)
"""The content allowed in a package's own file: a docstring, and the first calls of a process that runs a module."""
FOR_TYPES = re.compile(r"^if TYPE_CHECKING:\n(?:[ \t].*\n|\n)+", re.MULTILINE)
OURS = rf"(?:{LIBRARY}|{PROJECT})\b[\w.]*"
ANY_IMPORT = re.compile(
    r"(?:^|[:;])[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]*(\([^)]*\)|[^;\n]*)|import[ \t]+([^;\n]*))",
    re.MULTILINE,
)
"""Any import: its origin and names, or its modules. Text that only looks like an import finds no file."""
IMPORT = re.compile(rf"^[ \t]*(?:from ({OURS}|\.\w*) import (\([^)]*\)|.*)|import ({OURS}))", re.MULTILINE)


def files_of(*modules: str) -> list[str]:
    """Return the files of these modules and of all that they import, directly or through others, also within functions,
    as paths from ROOT. Own files of packages are left out, because they hold only a docstring.
    """
    seen: set[str] = set()
    queue = [*modules]
    while queue:
        if (name := queue.pop()) in seen:
            continue
        seen.add(name)
        if is_module(name):
            queue += imported_by(name)
        elif is_module(f"{name}.__init__"):
            require_no_code(name)
    return sorted(path_of(name) for name in seen if is_module(name))


@cache
def require_no_code(package: str) -> None:
    """Raise UserError if a package's own file holds code, because no stage would see its changes."""
    file = path_of(f"{package}.__init__")
    if not PACKAGE.fullmatch((ROOT / file).read_text(encoding="utf-8")):
        raise UserError(f"{file} contains code, whose changes no stage would see: move it to a module next to it")


@cache
def imported_by(module: str) -> Sequence[str]:
    """Return a module's imports from this project (modules, packages, names), without those for the type checker."""
    text = FOR_TYPES.sub("", (ROOT / path_of(module)).read_text(encoding="utf-8"))
    package, found = module.rpartition(".")[0], list[str]()
    for source, names, alone in IMPORT.findall(text):
        origin = alone or (f"{package}{source}".removesuffix(".") if source.startswith(".") else source)
        if module.startswith(WORLD) or not origin.startswith(WORLD):
            found += [origin, *(f"{origin}.{name}" for name in re.findall(r"(\w+)(?: as \w+)?", names))]
    if OWN in found:
        found += own_modules()
    return found


def own_modules() -> list[str]:
    """Return the modules of `stages/mine`, by name."""
    return sorted(f"{OWN}.{file.stem}" for file in (ROOT / path_of(OWN).removesuffix(".py")).glob("[!_]*.py"))


@cache
def is_module(name: str) -> bool:
    return (ROOT / path_of(name)).is_file()


def path_of(module: str) -> str:
    return f"{module.replace('.', '/')}.py"


def digest_of_file(file: Path) -> str:
    """Return `sha256-…` of a Python file outside of the project's own code, and of its imports from the same folder.
    Raise UserError if it does not exist, or if a link leads any of it out of this project.
    """
    if not file.is_file():
        raise UserError(f"the file {in_one_line(file)} does not exist: put it there")
    beside = files_beside(file)
    if led := next((one for one in beside if not stays_within(Path.cwd(), one)), None):
        raise UserError(f"{in_one_line(led)}: this link leads out of the project: put the file itself there")
    return f"sha256-{digest_of((str(one.relative_to(file.parent)) for one in beside), file.parent)}"


def files_beside(file: Path) -> list[Path]:
    """Return a Python file and its imports from its own folder, directly or through others, with files of packages.
    Imports by a name that is only known at run time are not found.
    """
    seen, queue = set[Path](), [file]
    while queue:
        if (one := queue.pop()) not in seen:
            seen.add(one)
            queue += [path for path in importable(one, file.parent) if path.is_file()]
    return sorted(seen)


def importable(file: Path, folder: Path) -> Iterator[Path]:
    """Yield the paths that a file's imports would have in `folder`: modules, and own files of packages above them."""
    text = file.read_text(encoding="utf-8", errors="replace").replace("\\\n", " ")
    for source, names, alone in ANY_IMPORT.findall(text):
        dots = len(source) - len(source.lstrip("."))
        origins = [source[dots:]] if source else [part.split()[0] for part in alone.split(",") if part.strip()]
        starts = [file.parents[dots - 1]] if dots else [folder, Path()]  # the project's own folder is on the path too
        for start, origin, name in product(starts, origins, ["", *re.findall(r"\w+", names)]):
            steps = [step for step in (*origin.split("."), name) if step]
            for place in (start.joinpath(*steps[:n]) for n in range(not dots, len(steps) + 1)):
                if place.is_relative_to(folder):
                    yield from (place / "__init__.py", place.with_name(f"{place.name}.py"))


def digest_of(files: Iterable[str], root: Path | None = None) -> str:
    """Return the sha256 over the names and bytes of files, which are paths from `root` (by default ROOT)."""
    digest = hashlib.sha256()
    for file in sorted(files):
        content = ((root or ROOT) / file).read_bytes()
        digest.update(f"{file} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def declared_code(*modules: str) -> list[str]:
    """Return the code that a stage declares if it runs or imports these modules, as paths from the project. Packages of
    the library are declared as a whole.
    """
    return sorted({unit(file) for file in files_of(*modules)})


def whole(code: Sequence[str], *packages: str) -> list[str]:
    """Return the dependencies with each of these packages as one dependency, for stages that ask no model."""
    found = {next((one for one in packages if file.startswith(f"{one}/")), file) for file in code}
    return sorted(found)


def unit(file: str) -> str:
    """Return the dependency that a file belongs to: the file itself, or a package as a whole."""
    root, folder, *inner = file.split("/")
    if root == LIBRARY and folder not in SPLIT and inner:
        return f"{root}/{folder}"
    if len(inner) > 1 and inner[0] != CELLS:
        return f"{root}/{folder}/{inner[0]}"
    return file
