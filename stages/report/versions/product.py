"""The rows of a release or an edition in two versions, and where the pages of those that differ lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from stages.publish.differences import Differences
from stages.publish.differences_shown import by_count
from stages.report.site.texts import address

KINDS = ("added", "removed", "changed")
ROWS_PER_PAGE = 50


class Product(NamedTuple):
    """The rows of a release or an edition in both versions. `before`, `after`: what they are called there; `found`:
    what `gamut diff` counts, or `why` they are not compared; `is_wrong`: something is to be mended first.
    """

    name: str
    title: str
    before: str
    after: str
    found: Differences | None = None
    why: str = ""
    is_wrong: bool = False

    @property
    def folder(self) -> str:
        """Return where its pages lie."""
        return address(f"rows-{self.name}")

    @property
    def columns(self) -> list[tuple[str, int]]:
        """Return columns and in how many rows they changed, most first."""
        return by_count(self.found) if self.found else []

    def ids(self, kind: str) -> Sequence[str]:
        """Return the rows of one kind."""
        found: Sequence[str] = getattr(self.found, kind) if self.found else ()
        return found

    def pages(self, kind: str) -> int:
        """Return how many pages its rows of one kind fill."""
        return -(-len(self.ids(kind)) // ROWS_PER_PAGE)
