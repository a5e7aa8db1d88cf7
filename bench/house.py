"""The budgets of the code: its size, cells of the laptop, and processor seconds of the suite against 7f727af.

    python bench/house.py                       # what is here, counted
    python bench/house.py --suite A.json B.json # two runs of the suite on one machine: `--time` wrote them
    python bench/house.py --time FILE           # run `make test` in this folder, and write its processor seconds

The last line is JSON. It ends with 1 where a budget is not held, of `gamut/` and `stages/` together. Wanted are 62,000
lines and a median of 110. It is held at what was reached, and falls; it rose once, by 1,700 lines, with the Python
interface, verdicts, pages that show pictures, and pages on the Hub, by 900 with kind unified, by 1,550 with kind
python, published items by name, `gamut export`, `gamut add judge`, and tables of papers, by 2,900 with training,
knowledge studies, and what recipes do to boards, by 1,600 with finished shards, `follow`, encodings, and one
`max_cost`, by 630 with kept pictures, sizes, several pictures a prompt, pairs, and exports to trainers, and
by 120 with `safety`.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[0] = str(ROOT)  # a script of this folder is called as a module of Python's

from statistics import median

from gamut.project import pipeline
from gamut.project.validation import read_yaml

BUDGETS = {"lines": 73_450, "files": 584, "median": 120, "longest": 450, "cells": 90, "suite": 0.6}


def imported(tree: ast.AST) -> int:
    """Return how many lines of a module are imports."""
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
    return sum((node.end_lineno or node.lineno) - node.lineno + 1 for node in nodes)


def code_figures() -> dict[str, float]:
    texts = [file.read_text(encoding="utf-8") for root in ("gamut", "stages") for file in (ROOT / root).rglob("*.py")]
    lines = [text.count("\n") for text in texts]
    written = sum(bool(line.strip()) for text in texts for line in text.splitlines())
    imports = sum(imported(ast.parse(text)) for text in texts)
    return {
        "lines": sum(lines),
        "files": len(texts),
        "median": median(lines),
        "longest": max(lines),
        "imports": round(imports / written, 4),
    }


def cells() -> int:
    """Return how many cells `dvc repro` has with the shipped parameters."""
    os.chdir(ROOT)
    there = read_yaml(pipeline.PARAMS)
    files = [file for file in pipeline.pipeline_files() if file == pipeline.PIPELINE or file.parent.name in there]
    return sum(len(pipeline.stages_of(file, there)) for file in files)


def suite_seconds() -> float:
    """Run the suite and return its processor seconds; it ends with 1 where a test fails."""
    if subprocess.run(["make", "test"], cwd=ROOT).returncode:
        sys.exit("the suite fails: its seconds say nothing")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return round(used.ru_utime + used.ru_stime, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time", type=Path, metavar="FILE")
    parser.add_argument("--suite", type=Path, nargs=2, metavar=("BEFORE", "NOW"))
    options = parser.parse_args()
    if options.time:
        options.time.write_text(json.dumps({"seconds": suite_seconds()}))
    found = code_figures() | {"cells": cells()}
    if options.suite:
        before, now = (json.loads(file.read_text())["seconds"] for file in options.suite)
        found["suite"] = round(now / before, 4)
    over = [name for name, most in BUDGETS.items() if found.get(name, 0) > most]
    print(json.dumps(found | {"over": over}))
    sys.exit(bool(over))


if __name__ == "__main__":
    main()
