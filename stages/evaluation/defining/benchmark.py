"""What a benchmark is: the one record that its room hands to the stages and commands that all benchmarks share.

Plain data and pure functions: who is put to the test on what, what a judge is asked, and what is reported. Answers,
scores, intervals, ranks, controls, agreement and comparison follow from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from stages.asking.requests import Part
from stages.evaluation.defining.editions import Item, path_of, read_edition
from stages.evaluation.defining.inquiries import Inquiry, Pictures, Put, Sighting
from stages.evaluation.defining.measures import Reported, Scale
from stages.evaluation.defining.parameters import BenchmarkParameters, Params
from stages.evaluation.defining.pictures import EditionPictures, pictures_of
from stages.project.errors import UserError, nearest

NAME = re.compile(r"[A-Za-z0-9_-]+")
"""Of benchmarks, strata, measures and sides, which become parts of keys and ids."""
RESERVED = ("overall", "coverage", "rank_best", "rank_worst", "tie_group", "left_out")
ENDS = ("_lo", "_hi", "_n")


Block = TypeVar("Block", bound=BenchmarkParameters)
Kind = TypeVar("Kind", bound=Item)


@dataclass(frozen=True)
class Benchmark(Generic[Block, Kind]):
    """A benchmark, as stages and commands see it.

    `name`: of its folder in stages/ and of its block in params.yaml; `title`: as people call it. `params`: the class
    that checks its part of params.yaml. `item`: the class of its items.
    `sides`: the forms in which an item is put to contestants, such as languages; `put`: what a contestant is given of
    an item on a side, and what it is to answer with. Those are asked whose class can answer so. `reference`: what would
    be a right answer, where one is known: as a control of judges, it must score high.
    `strata`, of which every item is in one (`stratum`): how many items each has is fixed by design, and the bootstrap
    draws within them. A column of scores is a stratum and a measure.
    `measures`: what answers are judged for, with its scale; `inquiries`: what a judge is asked about an item's answer;
    `sightings`: what observers that are no judges are to find in it.
    `reported`: combinations of column means; `shown`: those on boards, the first of which ranks; `profile`: those that
    the board's picture and `gamut compare` add.
    """

    name: str
    title: str
    params: type[Params]
    item: type[Kind]
    sides: Callable[[Block], Sequence[str]]
    put: Callable[[Kind, str, Pictures], Put]
    strata: Sequence[str]
    stratum: Callable[[Kind], str]
    measures: Mapping[str, Scale]
    inquiries: Callable[[Kind, str], Sequence[Inquiry]]
    reported: Reported
    shown: Sequence[str]
    profile: Sequence[str] = ()
    reference: Callable[[Kind, str, Pictures], Sequence[Part]] = lambda item, side, pictures: ()
    sightings: Callable[[Kind, str], Sequence[Sighting]] = lambda item, side: ()

    def __post_init__(self) -> None:
        """Raise UserError for a record that contradicts itself."""
        if self.name not in self.params.model_fields:
            raise UserError(f"{self.title}: params has no field {self.name!r}, the benchmark's block of params.yaml")
        for name in (self.name, *self.strata, *self.measures):
            if not NAME.fullmatch(name):
                raise UserError(
                    f"{self.title}: {name!r} is to be a name: letters, digits, '_' and '-' (keys have dots)"
                )
            if name in RESERVED or name.endswith(ENDS):
                raise UserError(f"{self.title}: {name!r} means something else in metrics: choose another name")
        if both := set(self.strata) & set(self.measures):
            raise UserError(f"{self.title}: {min(both)!r} is a stratum and a measure: rename one of them")
        for name in (*self.shown, *self.profile):
            if name not in self.reported:
                raise UserError(f"{self.name}: {name!r} is shown, but not reported{nearest(name, self.reported)}")
        for name, factors in self.reported.items():
            if factors.shape != (len(self.columns),):
                raise UserError(f"{self.name}: {name!r} has no factor for each stratum and measure")

    @property
    def columns(self) -> list[tuple[str, str]]:
        """Return every stratum and measure."""
        return list(product(self.strata, self.measures))

    @property
    def highest(self) -> float:
        """Return the highest value of what is ranked by."""
        best = [self.measures[measure].highest for _, measure in self.columns]
        return round(float(self.reported[self.shown[0]] @ np.array(best)), 6)  # not 99.99999999999999

    @property
    def answers(self) -> Path:
        """Return where each contestant's answers lie."""
        return Path("datasets", self.name, "answers")

    @property
    def observations(self) -> Path:
        """Return where it lies what each judge said of each contestant's answers."""
        return Path("datasets", self.name, "observations")

    @property
    def controls(self) -> Path:
        """Return where it lies what each judge said of the controls."""
        return Path("datasets", self.name, "controls")

    @property
    def scores(self) -> Path:
        """Return where each contestant's scores lie."""
        return Path("datasets", self.name, "scores")

    def block(self, params: Params) -> Block:
        """Return the benchmark's own block of params.yaml."""
        block: Block = getattr(params, self.name)
        return block

    def edition(self, params: Params) -> Path:
        """Return the frozen edition that params.yaml names."""
        return path_of(self.name, self.block(params).edition)

    def items(self, params: Params) -> list[Kind]:
        """Return the items of that edition; a UserError when it is not there, cannot be read, or has an item that does
        not fit the record.
        """
        block = self.block(params)
        items, sides = read_edition(self.name, block.edition, self.item), self.sides(block)
        if wrong := [side for side in sides if not NAME.fullmatch(side)]:
            raise UserError(f"{self.name}: {wrong[0]!r} cannot be a side: letters, digits, '_' and '-' can")
        for item in items:
            if mistake := self.misfit(item, sides):
                raise UserError(f"{self.edition(params)}: item {item.id!r} does not fit {self.name!r}: {mistake}")
        return items

    def pictures(self, params: Params) -> EditionPictures:
        """Return the pictures of that edition, each read when it is asked for."""
        return pictures_of(self.name, self.block(params).edition)

    def misfit(self, item: Kind, sides: Sequence[str]) -> str | None:
        """Return why an item cannot be measured: it is in no stratum, or not every measure is asked about once."""
        if (stratum := self.stratum(item)) not in self.strata:
            return f"there is no stratum {stratum!r}{nearest(stratum, self.strata)}"
        for side in sides:
            asked = [measure for inquiry in self.inquiries(item, side) for measure in inquiry.measures]
            if sorted(asked) != sorted(self.measures):
                return f"a judge is asked about {', '.join(asked)}, and the measures are {', '.join(self.measures)}"
        return None

    def metrics(self, params: Params) -> Path:
        """Return where the metrics of that edition lie."""
        return Path("metrics", self.name, self.block(params).edition)

    def strata_of(self, items: Sequence[Kind]) -> NDArray[np.int64]:
        """Return the stratum of each item as a number, in the order of `strata`."""
        return np.array([self.strata.index(self.stratum(item)) for item in items], np.int64)


def benchmark_of(name: str) -> Benchmark[Any, Any]:
    """Return a benchmark's record: what stages/<name>/benchmark.py calls <NAME>, in capitals. UserError where there is
    none.
    """
    where = f"stages.{name}.benchmark"
    if not NAME.fullmatch(name) or find_spec(f"stages.{name}") is None or find_spec(where) is None:
        raise UserError(f"there is no benchmark {name!r}: its record would stand in stages/{name}/benchmark.py")
    record = getattr(import_module(where), name.upper(), None)
    if not isinstance(record, Benchmark):
        raise UserError(f"stages/{name}/benchmark.py: there is no record {name.upper()} in it")
    return record
