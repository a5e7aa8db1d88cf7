"""The stages of pipeline files one after the other in one process, as `dvc repro` runs each in its own: what they write
is the same, and starting them takes longer than what they do on a small edition.

    python -m tests.end_to_end.without_dvc dvc.yaml:world stages/editions/dvc.yaml:gir_propose
"""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from gamut.project.pipeline import all_variables
from gamut.project.validation import read_yaml


def commands(pipeline: str, last: str, params: Any) -> Iterator[list[str]]:
    """The command of every cell, as words, in the order of the file, up to a stage."""
    stages = read_yaml(Path(pipeline))["stages"]
    for name in [*stages][: [*stages].index(last) + 1]:
        matrix = stages[name].get("matrix", {})
        for values in product(*(among(values, params) for values in matrix.values())):
            words = stages[name]["cmd"]
            for key, value in zip(matrix, values, strict=True):
                words = words.replace(f"${{item.{key}}}", value)
            yield words.split()


def among(values: str, params: Any) -> list[str]:
    """What a matrix goes over: `${contestants}`."""
    found = params
    for key in re.fullmatch(r"\$\{(.+)\}", values)[1].split("."):  # type: ignore[index]
        found = found[key]
    return list(found)


if __name__ == "__main__":
    cells = [one for until in sys.argv[1:] for one in commands(*until.split(":"), all_variables())]
    for _, _, module, *cell in cells:
        sys.argv = [module, *cell]
        if "records" in sys.modules:  # of tests/guard/within, where what stages read is written down
            sys.modules["records"].begin(" ".join(["python", "-m", *sys.argv]))
        for name in [name for name in sys.modules if name.partition(".")[0] in ("gamut", "stages")]:
            del sys.modules[name]  # a stage refuses code that it does not declare, and that was imported
        try:
            runpy.run_module(module, run_name="__main__")
        except SystemExit as ended:
            if ended.code:
                raise
