"""A step of the dataset as a record, and what follows from it: its table, its parameters, its stage in dvc.yaml, and
how it runs. A step that `Asks` (asks.py) asks a model a question about each record, one that `Decides` applies a rule
to a table, and one that `Makes` does neither.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import pyarrow as pa
from pydantic import create_model

from gamut.pipeline.entries import Entry, Out
from gamut.pipeline.shards import ByShard, make_shards
from gamut.project.code import OWN, is_module
from gamut.project.pipeline import PIPELINE
from gamut.project.stage import main
from gamut.project.validation import Strict
from gamut.tables.columns import Row, count_values
from gamut.tables.reading import cut_into_slices, shard_columns, shard_names, shard_rows

OPERATIONAL = {"max_failures"}
"""Keys that do not change results: a block with only such keys may be left out of params.yaml."""
Rule = Callable[[Row], Row]
"""Returns the decision about a row: its id, `reason` (None: it stays) and the step's other columns."""


class StepParameters(Strict):
    """The part of params.yaml that a step gets: only the keys that its record names."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


class Figure(NamedTuple):
    """A number that `gamut estimate` assumes: its meaning, and its source."""

    value: float
    meaning: str
    origin: str


@dataclass(frozen=True)
class Step:
    """The fields of all steps. Blanks separate what it `reads`: tables by their steps' names, of which it reads a shard
    for the shard of the same name; and by path, inputs and tables (`datasets/seeds`) that it reads as a whole. Its
    `parameters` are keys of params.yaml, its own block first, each with its type; `base` has those shared with others.
    If it does not run again on a change of whole blocks, `tracked` has its keys. Its outputs are `outs`, if not only
    its table. With `by_shard` it makes each shard of the tables `tables` by itself, or, if `in_order`, from all shards
    of its wave and of earlier waves. Then, or instead, `run` is called; it is None if the step's module has it.

    For cards and pages, `passes` describes in words a row that it keeps, and `left` the rows that remain.
    """

    name: str
    _: KW_ONLY
    reads: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    base: type[Strict] = StepParameters
    tracked: Sequence[str] | None = None
    outs: Sequence[Out] = ()
    metrics: Sequence[Out] = ()
    module: str = ""
    remark: str = ""
    passes: str = ""
    left: str = ""
    by_shard: Callable[[Any], ByShard] | None = None
    in_order: bool = False
    tables: Mapping[str, pa.Schema] = field(default_factory=dict)
    run: Callable[[Any], None] | None = None

    @property
    def table(self) -> Path:
        return Path("datasets", self.name)

    def carry_out(self, params: Any) -> None:
        if self.by_shard is not None:
            make_shards(self, self.by_shard(params), self.parameters_of, params)
        else:
            assert self.run is not None, f"{self.name} stands in its module"
        self.finish(params)

    def finish(self, params: Any) -> None:
        """Finish the step after its shards are made."""
        if self.run is not None:
            self.run(params)

    def parameters_of(self, values: Any) -> Callable[[str], Any] | None:
        """Return what would count for a shard with these values of params.yaml. Raise ValueError if they do not fit."""
        return self.work_of(values).parameters if self.by_shard is not None else None

    def tell(self, params: Any) -> tuple[str, Any]:
        """Return what another process needs to know the step and its parameters: its module, and their values."""
        return module_of(self), params.model_dump(include=set(parameters_of_step(self).model_fields))

    def work_of(self, values: Any) -> ByShard:
        assert self.by_shard is not None
        return self.by_shard(parameters_of_step(self).model_validate(values))

    def read(self) -> list[str]:
        return self.reads.split()

    def dependencies(self) -> list[str]:
        return [one if "/" in one else f"datasets/{one}" for one in self.read()]

    def tables_by_shard(self) -> set[str]:
        """Return the paths of tables that are read shard by shard, under the same name."""
        return {f"datasets/{one}" for one in self.read() if "/" not in one}

    def keys(self) -> list[str]:
        """Return the keys whose change makes the step run again."""
        if self.tracked is not None:
            return [*self.tracked]
        own = [key for key, type_ in self.parameters.items() if not may_be_left_out(type_)]
        return [*self.base.model_fields, *own]


@dataclass(frozen=True)
class Makes(Step):
    """A step that neither asks nor decides about rows."""


@dataclass(frozen=True, kw_only=True)
class Decides(Step):
    """A step that decides whether rows stay, in a column, and why not, in `reason`. A shard's `rule` decides about rows
    of the table `about`, of which it gets `columns`; None is for a step that `run`s as a whole. What it leaves out is
    named by `of`. For `gamut estimate`, `share` is the part of a column's rows that is expected to stay.
    """

    schema: pa.Schema
    about: str = ""
    columns: Sequence[str] = ()
    rule: Callable[[Any, str], Rule] | None = None
    of: str = "row"
    share: Mapping[str, Figure] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tables", {self.name: self.schema})
        if self.rule is not None:
            object.__setattr__(self, "by_shard", self.decide)

    def read(self) -> list[str]:
        return [*([self.about] if self.about else []), *super().read()]

    def decide(self, params: Any) -> ByShard:
        table, rule_of = Path("datasets", self.about), self.rule
        assert rule_of is not None

        def make(shard: str) -> Iterator[Sequence[Sequence[Row]]]:
            rule = rule_of(params, shard)
            for _, _, rows in cut_into_slices(shard, shard_rows(table, shard, ["id", *self.columns])):
                yield [[rule(row) for row in rows]]

        return ByShard(shard_names(table), make)

    def finish(self, params: Any) -> None:
        if self.by_shard is not None:
            say_decisions(self.table)
        super().finish(params)


def say_decisions(folder: Path) -> None:
    """Print how many rows of a deciding step's table stayed, and why the others did not."""
    reasons: Counter[str | None] = Counter()
    for _, table in shard_columns(folder, ["reason"]):
        for reason, count in count_values(table["reason"]).items():
            reasons[reason_key(reason) if reason else None] += count
    left_out = [f"{count:,} {reason}" for reason, count in reasons.most_common() if reason]
    words = f"left out: {', '.join(left_out)}" if left_out else "none is left out"
    print(f"{folder.name}: {reasons[None]:,} of {reasons.total():,} pass, {words}")


def reason_key(reason: str) -> str:
    """Return a reason without its details, as in metrics."""
    return reason.partition(": ")[0]


def may_be_left_out(type_: Any) -> bool:
    return isinstance(type_, type) and issubclass(type_, Strict) and type_.model_fields.keys() <= OPERATIONAL


def parameter_fields(steps: Sequence[Step]) -> dict[str, Any]:
    """Return the fields of steps' parameters for `create_model`; optional ones have defaults."""
    every = {key: type_ for step in steps for key, type_ in step.parameters.items()}
    return {key: (type_, type_() if may_be_left_out(type_) else ...) for key, type_ in every.items()}


@cache
def parameters_model(base: type[Strict], keys: tuple[tuple[str, Any], ...]) -> type[Strict]:
    return create_model(base.__name__, __base__=base, **parameter_fields([Step("", parameters=dict(keys))]))


def parameters_of_step(step: Step) -> type[Strict]:
    """Return the model of a step's parameters, which does not check other steps' values."""
    return parameters_model(step.base, tuple(step.parameters.items()))


def stage_of(step: Step, code: Sequence[str] = ()) -> Entry:
    """Return a step's stage; `code` is the code that it imports (`code.declared_code`)."""
    return Entry(
        step.name,
        module_of(step),
        code,
        step.dependencies(),
        step.keys(),
        step.outs or [str(step.table)],
        step.metrics,
        remark=step.remark,
    )


def module_of(step: Step) -> str:
    own = f"{OWN}.{step.name}"
    return step.module or (own if is_module(own) else f"stages.dataset.{step.name}")


def start(
    step: Step, run: Callable[[Any], None] | None = None, before: Callable[[Any], None] | None = None
) -> NoReturn:
    """Run a step as its stage; `python -m` of its module ends here."""
    entry = stage_of(step).values(PIPELINE)
    main(step.name, run or step.carry_out, parameters_of_step(step), before=before, record=entry)
