"""What has to change on the Hub so that it holds a version, and in which commits: pure functions.

A version is one commit where it can be. A large one is several: shards first, under paths that no earlier version
names, then everything that makes them a version: a reader of the branch sees the old version until the last commit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from stages.publish.files import IMAGES, MANIFEST, PICTURES, PROVENANCE, File
from stages.publish.hub import Held
from stages.publish.products import DATA

MOST_FILES = 100
"""The most files that one commit adds (the Hub advises 50 to 100)."""
SHARDS = (DATA, IMAGES, PROVENANCE)
OWN_FOLDERS = (*SHARDS, PICTURES)
OWN_FILES = (MANIFEST, "README.md")
HARMLESS = (".gitattributes", "README.md", "LICENSE", "LICENSE.md", "LICENSE.txt")
"""What may stand in a repository before its first version."""


@dataclass(frozen=True)
class Plan:
    """Files that the Hub does not hold as they are here, and paths of gamut's that this version does not have."""

    add: Sequence[File]
    delete: Sequence[str]

    @property
    def size(self) -> int:
        return sum(file.size for file in self.add)

    @property
    def paths(self) -> list[str]:
        return [*(file.path for file in self.add), *self.delete]

    def __bool__(self) -> bool:
        return bool(self.add or self.delete)


def plan(files: Sequence[File], held: Mapping[str, Held]) -> Plan:
    """Return what is to be added and deleted; what somebody else put beside gamut's own files stays."""
    paths = {file.path for file in files}
    add = [file for file in files if file.path not in held or not held[file.path].is_like(file)]
    return Plan(add, [path for path in sorted(held) if is_own(path) and path not in paths])


def is_own(path: str) -> bool:
    return path.startswith(OWN_FOLDERS) or path in OWN_FILES


def foreign(held: Mapping[str, Held]) -> list[str]:
    """Return what somebody else has put there; shards are gamut's own where their paths name their bytes, as those
    of a large first version that was interrupted.
    """
    return [path for path, file in sorted(held.items()) if path not in HARMLESS and not file.is_named_by(path)]


def commits(whole: Plan) -> Iterator[Plan]:
    """Yield the commits, in their order: one, or new shards `MOST_FILES` at a time and then all the rest."""
    shards = [file for file in whole.add if file.path.startswith(SHARDS) and not file.path.endswith(".json")]
    if len(whole.add) <= MOST_FILES:
        shards = []
    for start in range(0, len(shards), MOST_FILES):
        yield Plan(shards[start : start + MOST_FILES], [])
    first = {file.path for file in shards}
    yield Plan([file for file in whole.add if file.path not in first], whole.delete)
