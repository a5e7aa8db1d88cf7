"""Which version of the embedded world this is, part by part: an edit concerns only the parts that import what it edits.

A part is a role, what makes sources and knows the truth about them, or what says items in other words.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
PARTS = {
    "painter": "painting",
    "creator": "contestant",
    "editor": "contestant",
    "judge": "judge",
    "captioner": "captioner",
    "translator": "translator",
    "seed_writer": "writer",
    "writer": "authoring",
    "detector": "observers",
    "image_embedder": "observers",
    "sources": "legacy",
    "truth": "truth",
    "paraphrases": "paraphrasing",
    "sights": "seeing",
}
"""The module that each part begins with."""
IMPORT = re.compile(r"^[ \t]*from \.(?:(\w+) import\b| import (\([^)]*\)|[\w, ]+))", re.MULTILINE)
"""Looked for, as a parsed syntax tree of every module takes every stage a tenth of a second."""


@cache
def revision(part: str) -> str:
    """Return what version of a part this is: sha256 over its modules, the font and the tables of words, 16 digits."""
    digest = hashlib.sha256()
    for path in [
        *(HERE / f"{name}.py" for name in sorted(modules_behind(PARTS[part]))),
        *sorted(HERE.glob("*.t?[tf]")),
    ]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def modules_behind(module: str) -> set[str]:
    """Return the names of a module and of all of this package that it imports, directly or through others."""
    found: set[str] = set()
    queue = [module]
    while queue:
        if (name := queue.pop()) not in found:
            found.add(name)
            queue += imported_by(name)
    return found


@cache
def imported_by(module: str) -> list[str]:
    """Return the modules of this package that a module names in its imports: `from .x import y`, `from . import x`."""
    found = IMPORT.finditer((HERE / f"{module}.py").read_text(encoding="utf-8"))
    return [name for one in found for name in ([one[1]] if one[1] else re.findall(r"(\w+)(?: as \w+)?", one[2]))]
