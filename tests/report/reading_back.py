"""Numbers read back from pages: every `<data>` with the file and key that it says it is of, or that its row says what
all of them have in common: the file, and what their keys begin with.

lacking, wrong = compared(numbers(pages), {"board": json.loads(...), "careful": json.loads(...)})
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.report.page_tree import Element, tree

Numbers = dict[str, dict[str, set[float]]]
"""By file and key, every value that stands for it."""


def numbers(pages: Iterable[Path]) -> Numbers:
    """The numbers of metric files on some pages."""
    found: Numbers = {}
    for path in pages:
        for file, key, value in said_in(tree(path)):
            found.setdefault(file, {}).setdefault(key, set()).add(value)
    return found


def said_in(element: Element, file: str = "", keys: str = "") -> Iterator[tuple[str, str, float]]:
    """File, key and value of every number in an element, around which `file` and `keys` are said."""
    for one in element.inside:
        if isinstance(one, Element):
            if one.tag == "data" and "data-key" in one.attributes:
                own = one.attributes.get("data-file")
                if own or file:
                    yield own or file, one["data-key"] if own else f"{keys}{one['data-key']}", float(one["value"])
            around = (one["data-file"], one["data-keys"]) if "data-keys" in one.attributes else (file, keys)
            yield from said_in(one, *around)


def compared(found: Numbers, files: Mapping[str, Mapping[str, Any]]) -> tuple[set[str], set[str]]:
    """Of metric files by their stems, the numbers that stand on no page, and what stands there and is not in the file
    or not so, each as `file: key`.
    """
    lacking, wrong = set[str](), set[str]()
    for name, file in files.items():
        told = found.get(name, {})
        there = {key: value for key, value in file.items() if not isinstance(value, str)}
        lacking |= {f"{name}: {key}" for key in there.keys() - told.keys()}
        wrong |= {f"{name}: {key}" for key, values in told.items() if values != {there.get(key)}}
    return lacking, wrong
