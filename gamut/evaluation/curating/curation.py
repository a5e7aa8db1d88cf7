"""A benchmark's curation, as the commands see it: what the benchmark is, and how its editions come about.

An edition is proposed by the benchmark's own stages, reviewed by a person and frozen; or it is imported from files that
were published elsewhere. It goes to the Hugging Face Hub with a card.
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
    """What the card of an edition says that only this benchmark can say, in the file card.yaml of its folder.

    `proposed`, `imported`: how such items came about. Items are counted by the keys `counted`; `fields`: the meaning of
    its items' own keys; `citation`: a file of BibTeX.
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
    """Where a benchmark's items were published, and how many, by stratum, in the file published.yaml of its folder.
    `repo`: a data set of the Hub, if it is one; `files`: patterns of what is wanted of it, below whichever folder has
    the first; `source`, `images`: what of these `gamut import` takes. `licence`: as its README says it; whether that
    allows to publish items again. `by_hand`: how they come here otherwise. `lacks`: fields that no item has.
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
    """All that the house knows of a benchmark.

    `texts`: the columns of a proposal that a reviewer may rewrite, `beside` them those that are shown too. `among`: the
    column within which no text may stand twice, such as the track; `repeatable`: texts that may, such as a right
    answer. `objections`: what speaks against a row as rewritten, with its new texts by name. `items_of`:
    from the accepted rows to items; where left out, a row's columns are its item's keys. `released`: files in which the
    benchmark was published elsewhere. `proposing`: the parameters by which it proposes items.
    `is_proposed`: whether an item is one of those; `warning`: a paragraph in front of an edition's card. `withheld`:
    why items may not be published, or None. `block`: of a benchmark that stands in params.yaml only where somebody
    brings items: its block as text, by an edition and the values there.
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
        """Return how items came about: those that were proposed here, those that were imported, or both."""
        proposed, card = [*map(self.is_proposed, items)], self.card
        return "\n\n".join([card.proposed] * any(proposed) + [card.imported] * (not all(proposed)))

    @property
    def layout(self) -> Layout[Kind]:
        """Return the files in which editions come in: the released ones, else a JSON object a line."""
        return self.released or json_lines(self.benchmark.item)

    def items(self, accepted: Sequence[Row]) -> list[Kind]:
        if self.items_of is not None:
            return self.items_of(accepted)
        kind = self.benchmark.item
        return [kind.model_validate({name: row[name] for name in kind.model_fields if name in row}) for row in accepted]
