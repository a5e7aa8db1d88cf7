"""A benchmark's curation, as the commands use it: what the benchmark is, and how its editions are made.

The benchmark's own stages propose an edition, and a person reviews and freezes it. Or an edition is imported from
published files. Both can go to the Hugging Face Hub with a card.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from gamut.evaluation.construction.parameters import Params
from gamut.evaluation.curating.layout import Layout, json_lines
from gamut.evaluation.defining.benchmark import Benchmark, Block, Kind
from gamut.evaluation.defining.editions import UNKNOWN, Item, Origin
from gamut.project.code import PROJECT, ROOT
from gamut.project.validation import Strict, read_checked
from gamut.tables.columns import Row


class Card(Strict):
    """The part of an edition's card that only this benchmark can write, in the file card.yaml of its folder.

    `proposed`, `imported`: how such items were made. Items are counted by the keys `counted`. `fields`: the meaning of
    the items' own keys. `citation`: a file of BibTeX.
    """

    what: str
    scored: str
    proposed: str = ""
    imported: str = ""
    counted: Sequence[str]
    fields: Mapping[str, str]
    limits: Sequence[str] = ()
    tags: Sequence[str] = ()
    citation: str | None = None


RELEASED = "released"  # what profiles call the edition of published items


class Published(Strict):
    """Where a benchmark's items were published, and how many, by stratum; in the file published.yaml of its folder.

    `repo`: the dataset on the Hub, if it is one. `files`: patterns of the needed files, below the first folder that has
    any; `gamut import` reads `source` and `images` of them. `licence`: as its README says it; `redistributable`:
    whether that allows publishing items again. `by_hand`: how to get the files otherwise. `lacks`: fields that no item
    has.
    """

    place: str
    by_hand: str
    sizes: Mapping[str, int]
    licence: str = UNKNOWN
    redistributable: bool = False
    repo: str | None = None
    files: Sequence[str] = ()
    source: str = ""
    images: str | None = None
    lacks: Sequence[str] = ()

    def origin(self, commit: str) -> Origin:
        return Origin(source=self.place, revision=commit, licence=self.licence, redistributable=self.redistributable)


@dataclass(frozen=True)
class Curation(Generic[Block, Kind]):
    """All that the library knows of a benchmark.

    * `texts`: columns of a proposal that a reviewer may rewrite; `beside`: columns that are only shown.
    * `among`: the column within which no text may occur twice, such as the track; `repeatable`: texts that may.
    * `objections`: problems of a rewritten row, from its new texts by name.
    * `items_of`: makes items of accepted rows; by default a row's columns are its item's keys.
    * `released`: files in which the benchmark was published elsewhere.
    * `proposing`: the parameters for proposing items; `is_proposed`: whether an item was proposed here.
    * `warning`: a paragraph above an edition's card; `withheld`: why items may not be published, or None.
    * `block`: the text of its block, for a benchmark that is in params.yaml only after an import.
    """

    benchmark: Benchmark[Block, Kind]
    texts: Sequence[str] = ("prompt",)
    beside: Sequence[str] = ()
    among: str | None = None
    repeatable: Sequence[str] = ()
    objections: Callable[[Row, Mapping[str, str]], Iterator[str]] = lambda row, texts: iter(())
    items_of: Callable[[Sequence[Row]], list[Kind]] | None = None
    released: Layout[Kind] | None = None
    proposing: type[Params] | None = None
    is_proposed: Callable[[Item], bool] = lambda item: True
    warning: Callable[[Sequence[Item], Any], str] = lambda items, params: ""
    withheld: Callable[[Sequence[Item]], str | None] = lambda items: None
    block: Callable[[str, Mapping[str, Any]], str] | None = None

    @property
    def name(self) -> str:
        return self.benchmark.name

    @property
    def card(self) -> Card:
        return read_checked(Card, ROOT / PROJECT / self.name / "card.yaml")

    @property
    def published(self) -> Published | None:
        path = ROOT / PROJECT / self.name / "published.yaml"
        return read_checked(Published, path) if path.exists() else None

    def origins(self, items: Sequence[Item]) -> str:
        """Return how items were made: proposed here, imported, or both."""
        proposed, card = [*map(self.is_proposed, items)], self.card
        return "\n\n".join([card.proposed] * any(proposed) + [card.imported] * (not all(proposed)))

    @property
    def layout(self) -> Layout[Kind]:
        """Return the files from which editions are imported: the released ones, else one JSON object per line."""
        return self.released or json_lines(self.benchmark.item)

    def items(self, accepted: Sequence[Row]) -> list[Kind]:
        if self.items_of is not None:
            return self.items_of(accepted)
        kind = self.benchmark.item
        return [kind.model_validate({name: row[name] for name in kind.model_fields if name in row}) for row in accepted]
