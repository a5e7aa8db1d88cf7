"""Published prompts of pictures: how many of what, what lies where, which words.

`NumericalReasoning.json`: `task` has `objects` and `number`. `SpatialLayout.json`: `task` has `objects`, names or lists
of names (groups), or a mapping from names of groups to their members; `colors`, in the same order, where there are any;
and `relative_position`, of which subject and object are a name, a list of names, the name of a group, or a place among
all names. `TextRendering.json`: `text`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stages.evaluation.curating.entries import Entry, NoItemError, text
from stages.evaluation.curating.findings import Findings
from stages.gir.published.files import one_line

DIRECTIONS = {
    **dict.fromkeys(("left", "left of", "to the left of"), "left"),
    **dict.fromkeys(("right", "right of", "to the right of"), "right"),
    **dict.fromkeys(("above", "up", "over", "on top of"), "above"),
    **dict.fromkeys(("below", "down", "under", "beneath"), "below"),
}


def quantity_of(entry: Entry, said: Findings) -> dict[str, Any]:
    """Return objects and numbers of an entry as its item has them; NoItemError where it has none."""
    task = task_of(entry)
    objects = [label_of("task.objects", one) for one in listed_under(task, "objects")]
    numbers = [number_of(f"task.number.{place}", one, said) for place, one in enumerate(listed_under(task, "number"))]
    if len(objects) != len(numbers):
        raise NoItemError("task.number", "count", f"{len(numbers)} numbers for {len(objects)} objects")
    return {"objects": objects, "numbers": numbers}


def text_of(entry: Entry, said: Findings) -> dict[str, Any]:
    """Return the lettering of an entry as its item has it, held out too."""
    lettering = text(entry, "text")
    return {"lettering": lettering, "texts": [lettering]}


def spatial_of(entry: Entry, said: Findings) -> dict[str, Any]:
    """Return objects and relations of an entry as its item has them: with colours a label is "red car".

    NoItemError for relations of what is no object or group, or of which two are called so.
    """
    task = task_of(entry)
    groups = groups_of(task.get("objects"), said)
    names = [name for _, members in groups for name in members]
    labels = coloured(names, task.get("colors"))
    called: dict[str, list[tuple[str, ...]]] = {}
    for name, label in zip(names, labels, strict=True):
        for one in {name, label}:
            called.setdefault(one, []).append((label,))
    left = iter(labels)
    for group, members in groups:
        own = tuple(itertools.islice(left, len(members)))
        if group is not None:
            called.setdefault(group, []).append(own)
    relations = []
    for number, one in enumerate(listed_under(task, "relative_position")):
        where = f"task.relative_position.{number}"
        if not isinstance(one, dict):
            raise NoItemError(where, "type", one)
        subject, thing = (meant(f"{where}.{key}", one.get(key), called, labels) for key in ("subject", "object"))
        direction = direction_of(f"{where}.direction", one.get("direction"), said)
        relations.append({"subject": subject, "direction": direction, "object": thing})
    return {"objects": labels, "relations": relations}


def task_of(entry: Entry) -> dict[str, Any]:
    """Return what is to be checked."""
    task = entry.get("task")
    if not isinstance(task, dict):
        raise NoItemError("task", "type", task)
    return task


def listed_under(task: Mapping[str, Any], key: str) -> list[Any]:
    """Return a list that has something in it."""
    value = task.get(key)
    if not isinstance(value, list) or not value:
        raise NoItemError(f"task.{key}", "type", value)
    return value


def label_of(where: str, value: Any) -> str:
    """Return the name of an object."""
    if not isinstance(value, str) or not value.strip():
        raise NoItemError(where, "type", value)
    return one_line(value)


def number_of(where: str, value: Any, said: Findings) -> int:
    """Return how many; a number in words of digits, and 3.0, are taken for it."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    whole = isinstance(value, float) and value >= 0 and value.is_integer()
    digits = isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) <= 9
    if not whole and not digits:
        raise NoItemError(where, "type", value)
    said.say(where, "type", value, int(value))
    return int(value)


def groups_of(objects: Any, said: Findings) -> list[tuple[str | None, list[str]]]:
    """Return groups with their members, in order: a name alone is one of its own, and only a mapping names groups."""
    if isinstance(objects, dict):
        said.say("task.objects", "assumed", f"{len(objects)} groups by their names")
        named: list[tuple[str | None, Any]] = [(one_line(name), members) for name, members in objects.items()]
    elif isinstance(objects, list):
        named = [(None, members) for members in objects]
    else:
        raise NoItemError("task.objects", "type", objects)
    found = []
    for place, (name, value) in enumerate(named):
        members = value if isinstance(value, list) else [value]
        if not members:
            raise NoItemError(f"task.objects.{place}", "type", value)
        found.append((name, [label_of(f"task.objects.{place}", one) for one in members]))
    return found


def coloured(names: list[str], colours: Any) -> list[str]:
    """Return names with the colour of each in front; colours may be parted into groups, and be empty."""
    if colours is None or colours == []:
        return names
    flat = list(flattened(colours))
    if len(flat) != len(names):
        raise NoItemError("task.colors", "count", f"{len(flat)} colours for {len(names)} objects")
    return [one_line(f"{colour or ''} {name}") for colour, name in zip(flat, names, strict=True)]


def flattened(colours: Any) -> Iterator[str | None]:
    """Yield colours in order."""
    if not isinstance(colours, list):
        raise NoItemError("task.colors", "type", colours)
    for one in colours:
        for colour in one if isinstance(one, list) else [one]:
            if colour is not None and not isinstance(colour, str):
                raise NoItemError("task.colors", "type", colours)
            yield colour


def meant(
    where: str, value: Any, called: Mapping[str, Sequence[tuple[str, ...]]], labels: Sequence[str]
) -> tuple[str, ...]:
    """Return the labels that one end of a relation means."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(labels):
        return (labels[value],)
    members = value if isinstance(value, list) and value else [value]
    found: list[str] = []
    for one in members:
        if not isinstance(one, str):
            raise NoItemError(where, "type", value)
        known = called.get(one_line(one), [])
        if len(known) != 1:
            raise NoItemError(where, "term", f"{one!r}, of which there are {len(known)}")
        found += known[0]
    return tuple(found)


def direction_of(where: str, value: Any, said: Findings) -> str:
    """Return a direction as it is meant."""
    plain = " ".join(value.casefold().replace("_", " ").split()) if isinstance(value, str) else ""
    if plain not in DIRECTIONS:
        raise NoItemError(where, "term", value)
    if DIRECTIONS[plain] != value:
        said.say(where, "term", value, DIRECTIONS[plain])
    return DIRECTIONS[plain]
