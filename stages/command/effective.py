"""All values that a build goes by, and where each comes from: a line of params.yaml, or the default of a class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any, NamedTuple

from pydantic import BaseModel
from ruamel.yaml import YAML

from stages.command.yaml_text import Place, flowing, node_at
from stages.leaderboard.rooms import rooms
from stages.project.inputs import regular
from stages.project.pipeline import PARAMS
from stages.publish.parameters import DATASET, Everything


class Effective(NamedTuple):
    """A value by its keys; `of`: the class whose default it is, None where params.yaml says it."""

    place: Place
    value: Any
    of: str | None


def lines(parameters: Everything) -> Iterator[str]:
    root = YAML().compose(regular(PARAMS).read_text(encoding="utf-8"))
    for place, value, of in effective(parameters):
        node = node_at(root, place) if of is None else None
        origin = f"default of {of}" if of else f"{PARAMS}, line {node.start_mark.line + 1}" if node else str(PARAMS)
        yield f"{'.'.join(place)}: {flowing(value)}  # {origin}"


def effective(parameters: Everything) -> Iterator[Effective]:
    yield from of_model(parameters.dataset, ())
    benchmarks = {name: rooms()[name].benchmark.block(params) for name, params in parameters.benchmarks.items()}
    contestants = next((params.contestants for params in parameters.benchmarks.values()), {})
    yield from of_value(contestants, ("contestants",), None)
    for name, block in benchmarks.items():
        yield from of_model(block, (name,))
    for product in (DATASET, *benchmarks):
        named = parameters.publish[product].model_fields_set if product in parameters.publish else set()
        yield from of_model(parameters.publication(product), ("publish", product), named)


def of_model(model: BaseModel, place: Place, named: Set[str] | None = None) -> Iterator[Effective]:
    for name, field in type(model).model_fields.items():
        of = None if name in (model.model_fields_set if named is None else named) else type(model).__name__
        yield from of_value(getattr(model, name), (*place, field.alias or name), of)


def of_value(value: Any, place: Place, of: str | None) -> Iterator[Effective]:
    if isinstance(value, BaseModel):
        yield from of_model(value, place)
    elif isinstance(value, Mapping) and value:
        for name, one in value.items():
            yield from of_value(one, (*place, str(name)), of)
    elif isinstance(value, list) and any(isinstance(one, BaseModel) for one in value):
        for number, one in enumerate(value):
            yield from of_value(one, (*place, str(number)), of)
    else:
        yield Effective(place, value, of)
