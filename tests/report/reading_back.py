"""Numbers read back from pages: every `<data>` with the file and key that it says it is of.

lacking, wrong = compared(numbers(pages), {"board": json.loads(...), "careful": json.loads(...)})
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.report.html import tree

Numbers = dict[str, dict[str, set[float]]]
"""By file and key, every value that stands for it."""


def numbers(pages: Iterable[Path]) -> Numbers:
    """The numbers of metric files on some pages."""
    found: Numbers = {}
    for path in pages:
        for one in tree(path).all("data"):
            if "data-file" in one.attributes:
                found.setdefault(one["data-file"], {}).setdefault(one["data-key"], set()).add(float(one["value"]))
    return found


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
