"""Checks values from files against models; an error names file, path and the nearest right value."""

from __future__ import annotations

import pickle
import typing
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from gamut.project.errors import UserError, in_one_line, nearest_choice, system_refusal
from gamut.project.inputs import regular_file


class Strict(BaseModel):
    """Checked values: no unknown keys, no conversions, no changes."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


MOST_SHOWN = 200
"""Characters of a wrong value that are shown."""


def read_yaml(path: Path) -> Any:
    try:
        return parse_yaml(regular_file(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path} does not exist: run this in the project's top folder") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8 text ({error.reason} at byte {error.start})") from None
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else "?"
        raise UserError(f"{path}, line {line}: {str(error.problem).splitlines()[0]}") from None
    except RecursionError:
        raise UserError(f"{path} cannot be read: its values are nested too deeply") from None
    except OSError as error:
        raise UserError(system_refusal(error) or f"{path} cannot be read: {error}") from None
    except (YAMLError, ValueError, LookupError, TypeError, AttributeError) as error:  # also for a tag that does not fit
        raise UserError(f"{path} cannot be read: {str(error).splitlines()[0]}") from None


def parse_yaml(text: str) -> Any:
    """Return the plain values of a YAML text, which is parsed once. Raises as ruamel.yaml does, and RecursionError."""
    return pickle.loads(_pickled_yaml(text))  # a copy, in a tenth of the time of copy.deepcopy


@lru_cache(maxsize=8)
def _pickled_yaml(text: str) -> bytes:
    """The C parser is five times as fast; if it objects, the other one is used, which gives better errors."""
    try:
        return pickle.dumps(YAML(typ="safe", pure=False).load(text))
    except (YAMLError, ValueError, LookupError, TypeError, AttributeError):
        return pickle.dumps(YAML(typ="safe", pure=True).load(text))


Checked = typing.TypeVar("Checked", bound=BaseModel)


def validate_values(model: type[Checked], values: Any, path: Path, *under: str) -> Checked:
    """Check values; `under` are the keys above them."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        lines = [_line(model, dict(e), path, under) for e in error.errors(include_url=False)]
        raise UserError("\n".join(dict.fromkeys(lines))) from None


def require_once(texts: Iterable[str]) -> None:
    """Raise ValueError for the first text that occurs twice."""
    times = Counter(texts)
    if twice := next((text for text, count in times.items() if count > 1), None):
        raise ValueError(f"{twice!r} occurs {times[twice]} times")


def require_distinct(values: list[Any]) -> list[Any]:
    """Raise ValueError if a value occurs twice."""
    for position, value in enumerate(values):
        if value in values[:position]:
            raise ValueError(f"{value!r} occurs twice")
    return values


def read_checked(model: type[Checked], path: Path) -> Checked:
    return validate_values(model, read_yaml(path), path)


def check_values(model: type[Checked], values: Any, path: Path, others: Mapping[Path, Any] | None = None) -> Checked:
    """Check the keys of a model, with its BESIDE; `others` are files that were read already, by their paths."""
    own = {key: values[key] for key in model.model_fields if key in values} if isinstance(values, Mapping) else values
    for name, place in (getattr(model, "BESIDE", {}) if isinstance(own, dict) else {}).items():
        of_file = read_yaml(place.file) if others is None or place.file not in others else others[place.file]
        if not isinstance(of_file, Mapping) or of_file.get(place.key) is None:
            raise UserError(f"{place.file}: {place.key}: this key is missing")
        kind: Any = model.model_fields[name].annotation
        own[name] = validate_values(kind, of_file[place.key], place.file, place.key)
    return validate_values(model, own, path)


def _line(model: type[BaseModel], error: Mapping[str, Any], path: Path, under: Sequence[str] = ()) -> str:
    """Return one mistake as `file: path: value …; did you mean …`."""
    location, known = _walk(model, error["loc"])
    location = [*under, *location]
    where, value = ".".join(location), error["input"]
    value_text = "" if model.model_config.get("hide_input_in_errors") else f"{show_value(value)} "
    if not where and error["type"] != "value_error":
        return f"{path} must contain keys with values, not {show_value(value)}"
    kind, context = error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        return f"{path}: {where}: unknown key{nearest_choice(location[-1], known)}"
    if kind == "missing":
        there = ": profiles/defaults.yaml may have it" if path.name == "params.yaml" and len(location) <= 2 else ""
        return f"{path}: {where}: this key is missing{there}"
    if kind == "value_error":
        named = [str(path), where, "" if isinstance(value, Mapping) else value_text.rstrip()] if where else [str(path)]
        return ": ".join([*filter(None, named), str(context["error"])])
    if kind == "union_tag_not_found":
        return f"{path}: {where}.kind: this key is missing"
    if kind == "union_tag_invalid":
        tags = [tag.strip(" '") for tag in context["expected_tags"].split(",")]
        return f"{path}: {where}.kind: unknown kind {context['tag']!r}{nearest_choice(context['tag'], tags)}"
    if kind == "literal_error":
        choices = [choice.strip(" '") for choice in context["expected"].replace(" or ", ",").split(",")]
        name = where.removesuffix(".[key]")
        return f"{path}: {name}: {value_text}is not known{nearest_choice(value, choices)}"
    if location[-1:] == ["key_variable"]:  # this may be the key itself
        return (
            f"{path}: {where}: the name of an environment variable is expected, such as MY_KEY (capitals, digits and _)"
        )
    if location[-1:] == ["url"]:  # the same
        return f"{path}: {where}: http(s)://host:port/path is expected, without user, password or query"
    if location[-1:] == ["revision"]:
        return (
            f"{path}: {where}: {show_value(value)}: expected a commit (40 hex digits) or a folder's digest (sha256-…)"
        )
    if kind == "string_pattern_mismatch":
        return f"{path}: {where.removesuffix('.[key]')}: {value_text}does not match {context['pattern']}"
    message = error["msg"][0].lower() + error["msg"][1:]
    return f"{path}: {where}: {value_text}is not right: {message}"


def show_value(value: object) -> str:
    text = repr(value)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"


def _walk(model: Any, location: Sequence[str | int]) -> tuple[list[str], list[str]]:
    """Follow an error's location: return it without union tags, and the keys that are known where it ends."""
    path: list[str] = []
    known: list[str] = []
    for step in location:
        model = _unwrap(model)
        members = [_unwrap(m) for m in typing.get_args(model)] if _is_union(model) else []
        tagged = [m for m in members if isinstance(m, type) and step in _tags(m)]
        if tagged:
            model = tagged[0]
            continue
        if members:  # a plain union adds its member's name to the location
            continue
        path.append(in_one_line(step))
        if isinstance(model, type) and issubclass(model, BaseModel):
            known = list(model.model_fields)
            field = model.model_fields.get(str(step))
            model = field.annotation if field else None
        else:
            arguments = typing.get_args(model)
            model = arguments[-1] if arguments else None
    return path, known


def _unwrap(annotation: Any) -> Any:
    """Return the type of an annotation without metadata, and without None if there is one other type."""
    while True:
        arguments = [one for one in typing.get_args(annotation) if one is not type(None)]
        if typing.get_origin(annotation) is Annotated or (_is_union(annotation) and len(arguments) == 1):
            annotation = arguments[0]
        else:
            return annotation


def _is_union(annotation: Any) -> bool:
    return isinstance(annotation, type(int | str)) or typing.get_origin(annotation) is typing.Union


def _tags(model: type) -> tuple[Any, ...]:
    if not issubclass(model, BaseModel) or "kind" not in model.model_fields:
        return ()
    return typing.get_args(model.model_fields["kind"].annotation)
