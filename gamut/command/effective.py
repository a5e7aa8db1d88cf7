"""All values that a build uses, and where each comes from: a line of params.yaml, or the default of a class. Also the
keys that params.yaml lacks: DVC refuses a key that a stage lists if it has only a default.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel
from ruamel.yaml import YAML

from gamut.command.yaml_text import Place, flow_value, node_at
from gamut.evaluation.curating.benchmarks import curations
from gamut.project import pipeline
from gamut.project.inputs import regular_file
from gamut.project.pipeline import EDITIONS, PARAMS
from gamut.project.roles import MAY_BE_NULL
from gamut.publish.parameters import DATASET, Everything


class EffectiveValue(NamedTuple):
    """A value with its keys. `of`: the class whose default it is, None if params.yaml sets it."""

    place: Place
    value: Any
    of: str | None


def effective_lines(parameters: Everything) -> Iterator[str]:
    root = YAML().compose(regular_file(PARAMS).read_text(encoding="utf-8"))
    for place, value, of in effective_values(parameters):
        node = node_at(root, place) if of is None else None
        origin = f"default of {of}" if of else f"{PARAMS}, line {node.start_mark.line + 1}" if node else str(PARAMS)
        yield f"{'.'.join(place)}: {flow_value(value)}  # {origin}"


def effective_values(parameters: Everything) -> Iterator[EffectiveValue]:
    yield from model_values(parameters.dataset, ())
    yield from nested_values(parameters.contestants, ("contestants",), None)
    for name, params in parameters.benchmarks.items():
        yield from model_values(curations()[name].benchmark.block(params), (name,))
    for product in (DATASET, *parameters.benchmarks):
        named = parameters.publish[product].model_fields_set if product in parameters.publish else set()
        yield from model_values(parameters.publication(product), ("publish", product), named)


def model_values(model: BaseModel, place: Place, named: Set[str] | None = None) -> Iterator[EffectiveValue]:
    for name, field in type(model).model_fields.items():
        of = None if name in (model.model_fields_set if named is None else named) else type(model).__name__
        yield from nested_values(getattr(model, name), (*place, field.alias or name), of)


def nested_values(value: Any, place: Place, of: str | None) -> Iterator[EffectiveValue]:
    if isinstance(value, BaseModel):
        yield from model_values(value, place)
    elif isinstance(value, Mapping) and value:
        for name, one in value.items():
            yield from nested_values(one, (*place, str(name)), of)
    elif isinstance(value, list) and any(isinstance(one, BaseModel) for one in value):
        for number, one in enumerate(value):
            yield from nested_values(one, (*place, str(number)), of)
    else:
        yield EffectiveValue(place, value, of)


def absent_keys(parameters: Everything, params: Any = None) -> Iterator[tuple[Path, str, str]]:
    """Yield the keys that stages list but params.yaml (or `params`) lacks: file, key, and how to fix it."""
    files_by_key = dict[tuple[Path, str], Path]()
    for file in filter(Path.is_file, pipeline.pipeline_files()):
        values = pipeline.read_values(file, params)
        for entry in pipeline.declared_entries(file).values():
            for path, key in pipeline.parameters(entry.get("params", ())):
                if "${" not in key and (lacking := first_missing_key(values.get(path), key)):
                    files_by_key.setdefault((path, lacking), file)
            for key in re.findall(r"\$\{(roles\.\w+)\}", str(entry)):
                if pipeline.value_at(values[PARAMS], key) is None:
                    files_by_key.setdefault((PARAMS, key), file)
    for (path, key), file in files_by_key.items():
        above, _, name = key.rpartition(".")
        given = default_of(parameters, path, key)
        line, where = "SLUG" if given is ... else flow_value(given), f"below `{above}`" if above else f"into {path}"
        yield path, key, f"DVC refuses {file} without this key: put `{name}: {line}` {where}"


def first_missing_key(values: Any, key: str) -> str | None:
    names = key.split(".")
    for depth, name in enumerate(names, start=1):
        if not isinstance(values, dict) or name not in values:
            return ".".join(names[:depth])
        values = values[name]
    return None


def default_of(parameters: Everything, path: Path, key: str) -> Any:
    """Return a key's default as plain data; `...` if a person has to choose."""
    folder, *rest = key.split(".")
    value: Any = parameters.contestants if folder == "contestants" else getattr(parameters.dataset, folder, ...)
    if path == EDITIONS:
        value = parameters.proposing[folder].propose if folder in parameters.proposing else {"editions": []}
    elif folder in parameters.benchmarks:
        value = curations()[folder].benchmark.block(parameters.benchmarks[folder])
    for one in rest:
        value = getattr(value, one, ...)
    if folder == "roles" and value is None and rest[0] not in MAY_BE_NULL:
        return ...
    return value.model_dump(mode="json") if isinstance(value, BaseModel) else value
