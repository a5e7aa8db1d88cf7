"""Tables that lie in a collecting folder though no cell of params.yaml makes them any more.

A stage that depends on such a folder, say all contestants' scores, would otherwise depend on what was measured here
once and nowhere else: DVC hashes the folder whole.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator
from pathlib import Path


def delete_unwanted(folder: Path, wanted: Collection[str]) -> None:
    """Delete the sub-folders of a collecting folder that are not `wanted` (`contestant`, `contestant/judge` or deeper),
    and say so. Files, links and what lies inside a wanted table stay.
    """
    removed = list(unwanted_folders(folder, wanted))
    for path in removed:
        shutil.rmtree(path)
    if removed:
        names = ", ".join(str(path.relative_to(folder)) for path in removed)
        print(f"{folder}: deleted what no cell of params.yaml makes: {names}", flush=True)


def unwanted_folders(folder: Path, wanted: Collection[str]) -> Iterator[Path]:
    """Yield unwanted sub-folders; of one that leads to a wanted table, its own unwanted ones."""
    if folder.is_symlink() or not folder.is_dir():
        return
    for path in sorted(path for path in folder.iterdir() if path.is_dir() and not path.is_symlink()):
        inside = {rest for name, _, rest in (one.partition("/") for one in wanted) if name == path.name}
        if not inside:
            yield path
        elif "" not in inside:
            yield from unwanted_folders(path, inside)
