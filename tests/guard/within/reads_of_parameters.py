"""Values of files of parameters that this process reads, by dotted paths: attributes of checked blocks, plain values.

`value`: one was read, or the keys of a block; `block`: a block was taken, whatever was read of it. What validators read
when the file is loaded is left out, and so is what a stage looks up to know what it declares. In processes that a
stage starts nothing is seen of this.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from records import PARAMETERS, change_module, record

STARTING = {f"gamut.project.{name}" for name in ("stage", "pipeline", "parameters", "build_progress", "staleness")}
"""Modules that read these files whole: of a block that is checked, its reader is seen."""
blocks: dict[int, tuple[Any, dict[str, str]]] = {}
"""Checked blocks by identity, each with the paths of its fields."""


def trace() -> None:
    change_module("gamut.project.validation", change_validation)


def change_validation(module: Any) -> None:
    strict, read_yaml, check = module.Strict, module.read_yaml, module.check_values
    get, dump, copy = strict.__getattribute__, strict.model_dump, strict.model_copy

    def __getattribute__(self: Any, name: str) -> Any:
        value = get(self, name)
        if name[:1] != "_" and id(self) in blocks and name in blocks[id(self)][1]:
            record_value(value, blocks[id(self)][1][name])
        return value

    def __iter__(self: Any) -> Any:
        return ((name, getattr(self, name)) for name in type(self).model_fields)

    def model_dump(self: Any, **how: Any) -> Any:
        handed_on = sys._getframe(1).f_globals["__name__"] == "gamut.pipeline.steps"  # whole, to other processes
        for name, path in {} if handed_on else blocks.get(id(self), (None, {}))[1].items():
            if name in (how.get("include") or {name}) and name not in (how.get("exclude") or ()):
                record("value", path)
        return dump(self, **how)

    def model_copy(self: Any, **how: Any) -> Any:
        found = copy(self, **how)
        if id(self) in blocks:
            blocks[id(found)] = (
                found,
                {name: path for name, path in blocks[id(self)][1].items() if name not in (how.get("update") or ())},
            )
        return found

    def read(path: Path) -> Any:
        values = read_yaml(path)
        noted = str(path) in PARAMETERS and sys._getframe(1).f_globals["__name__"] not in STARTING
        return note_blocks(values, PARAMETERS[str(path)]) if noted else values

    def checked(model: Any, values: Any, path: Path, others: Any = None) -> Any:
        found = check(model, values, path, others)
        return note_blocks(found, "") if str(path) in PARAMETERS else found

    for one in (__getattribute__, __iter__, model_dump, model_copy):
        setattr(strict, one.__name__, one)
    module.read_yaml, module.check_values = read, checked


def note_blocks(value: Any, path: str) -> Any:
    """A value with what it holds known by its path; of plain blocks a copy that tells what is read."""
    if hasattr(type(value), "model_fields"):
        within = value.__dict__
        aliases = {name: field.alias or name for name, field in type(value).model_fields.items()}
        for name, place in getattr(value, "BESIDE", {}).items():
            aliases[name] = f"{PARAMETERS[str(place.file)]}{place.key}"
        blocks[id(value)] = value, {name: join_path(path, aliases[name]) for name in within if name in aliases}
        for name, one in within.items():
            within[name] = note_blocks(one, join_path(path, aliases.get(name, name)))
    elif isinstance(value, dict):
        return Block({key: note_blocks(one, join_path(path, str(key))) for key, one in value.items()}, path)
    elif isinstance(value, list):
        return [note_blocks(one, path) for one in value]
    return value


def join_path(path: str, key: str) -> str:
    return f"{path}{key}" if path in PARAMETERS.values() else f"{path}.{key}"


def record_value(value: Any, path: str) -> None:
    """Of a block its values tell themselves what is read."""
    if not isinstance(value, dict) and id(value) not in blocks:
        record("value", path)


class Block(dict[str, Any]):
    """Plain values by key, which tell what is read; to others who walk over them they are known by all keys."""

    def __init__(self, values: dict[str, Any], path: str) -> None:
        super().__init__(values)
        self.path = path

    def __getitem__(self, key: str) -> Any:
        value = super().__getitem__(key)
        record_value(value, join_path(self.path, key))
        return value

    def get(self, key: str, default: Any = None) -> Any:
        value = super().get(key, default)
        record_value(value, join_path(self.path, key))
        return value

    def __contains__(self, key: object) -> bool:
        record_value(super().get(str(key)), join_path(self.path, str(key)))
        return super().__contains__(key)

    def walked(self) -> None:
        if self.path not in PARAMETERS.values():
            record("value", self.path)

    def __iter__(self) -> Any:
        self.walked()
        return super().__iter__()

    def __len__(self) -> int:
        self.walked()
        return super().__len__()

    def keys(self) -> Any:
        self.walked()
        return super().keys()

    def values(self) -> Any:
        self.walked()
        return super().values()

    def items(self) -> Any:
        self.walked()
        return super().items()

    def __eq__(self, other: object) -> bool:
        self.walked()
        return super().__eq__(other)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> Any:
        return dict, (dict(super().items()),)
