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
from gamut.tables.columns import Row


@dataclass(frozen=True)
class Card:
    """What the card of an edition says that only this benchmark can say. Items are counted by the keys `counted`;
    `fields`: the meaning of its items' own keys; `warning`: a paragraph in front of all; `citation`: BibTeX.
    """

    what: str
    scored: str
    made: Callable[[Sequence[Item]], str]
    counted: Sequence[str]
    fields: Mapping[str, str]
    limits: Sequence[str] = ()
    tags: Sequence[str] = ()
    warning: Callable[[Sequence[Item], Any], str] = lambda items, params: ""
    citation: str | None = None


RELEASED = "released"
"""What profiles call the edition of published items."""


@dataclass(frozen=True)
class Published:
    """Where a benchmark's items were published, and how many of them, by stratum; `lacks`: fields that none has.

    `repo`: a data set of the Hub, None where there is none; `files`: patterns of what is wanted of it, below whichever
    folder has the first; `source`, `images`: what of these `gamut import` takes. `licence`: as its README says it,
    `redistributable` whether it allows to publish items again. `by_hand`: in words, how they come here otherwise.
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


def no_objections(*_: object) -> Iterator[str]:
    return iter(())


@dataclass(frozen=True)
class Curation(Generic[Block, Kind]):
    """All that the house knows of a benchmark.

    `texts`: the columns of a proposal that a reviewer may rewrite, `beside` them those that are shown too. `among`: the
    column within which no text may stand twice, such as the track; `repeatable`: texts that may, such as a right
    answer. `objections`: what speaks against a rewritten row, given as proposed and as the review has it. `items_of`:
    from the accepted rows to items; where left out, a row's columns are its item's keys. `released`: files in which the
    benchmark was published elsewhere, `published`: where. `proposing`: the parameters by which it proposes items.
    `withheld`: why items may not be published, or None. `block`: of a benchmark that stands in params.yaml only where
    somebody brings items: its block as text, by an edition and the values there.
    """

    benchmark: Benchmark[Block, Kind]
    card: Card
    texts: Sequence[str] = ("prompt",)
    beside: Sequence[str] = ()
    among: str | None = None
    repeatable: Sequence[str] = ()
    objections: Callable[[Row, Mapping[str, str]], Iterator[str]] = no_objections
    items_of: Callable[[Sequence[Row]], list[Kind]] | None = None
    released: Layout[Kind] | None = None
    published: Published | None = None
    proposing: type[Params] | None = None
    withheld: Callable[[Sequence[Item]], str | None] = lambda items: None
    block: Callable[[str, Mapping[str, Any]], str] | None = None

    @property
    def name(self) -> str:
        return self.benchmark.name

    @property
    def layout(self) -> Layout[Kind]:
        """Return the files in which editions come in: the released ones, else a JSON object a line."""
        return self.released or json_lines(self.benchmark.item)

    def items(self, accepted: Sequence[Row]) -> list[Kind]:
        if self.items_of is not None:
            return self.items_of(accepted)
        kind = self.benchmark.item
        return [kind.model_validate({name: row[name] for name in kind.model_fields if name in row}) for row in accepted]
