"""Whether two built projects have the same values, where paths moved from the older to the newer.

    python tests/same_values.py OLD NEW      # the differences, and how many files were the same

Metric files and tables of a benchmark are compared by their content; DVC's files, pages and pictures of charts are not,
and neither are specs, which say by what code values came about.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

MOVED = (
    (r"(datasets/\w+)/judgments/(\w+)/rules/", r"\1/rules/\2/answers/"),
    (r"(datasets/\w+)/controls/(\w+)/rules/", r"\1/rules/\2/controls/"),
    (r"(datasets/\w+/judgments/.+)/(?=[^/]+$)", r"\1/answers/"),
    (r"(datasets/\w+)/controls/(.+)/(?=[^/]+$)", r"\1/judgments/\2/controls/"),
    (r"(metrics/\w+/[\w.-]+)/summary\.json$", r"\1.json"),
    (r"metrics/(\w+)/[\w.-]+/relations\.json$", r"metrics/relations/\1.json"),
    (r"(metrics/\w+/[\w.-]+)/(?!{reports})([\w]+)\.json$", r"\1/contestants/\2.json"),
)
"""Paths as they were, and as they are; the first that fits holds."""
STEPS = {
    "imagined": "imagine",
    "rewritten": "rewrite",
    "found_text": "find_text",
    "mined_text": "mine_text",
    "synthesized": "synthesize",
    "examined": "examine",
    "admitted": "admit",
    "scored": "score",
    "categorized": "categorize",
    "selected": "select",
    "annotated": "annotate",
    "aligned": "align",
    "translated": "translate",
    "embedded_items": "embed_items",
    "embedded_pictures": "compare_pictures",
    "resembling": "resemble",
    "suspected": "suspect",
    "same_tests": "same_test",
    "held_out": "hold_out",
}
"""Tables of the dataset, and sections about them in metrics/dataset.json, are named as their steps."""
SAME_NAME = ("source_rows", "brainstorm", "seeds", "legible", "prompts", "proofread", "originals", "hashed_pictures")
REPORTS = "board|summary|agreement|corrected|representatives|construction|observer_errors|released|relations"
TABLES = ("answers", "judgments", "controls", "scores", "released", "rewritten")
OF_THE_DATASET = (*STEPS, *SAME_NAME, "release", "provenance")
ROOTS = (
    *(f"datasets/*/{name}" for name in TABLES),
    *(f"datasets/{name}" for name in OF_THE_DATASET),
    *("datasets/boards", "metrics"),
)
SUFFIXES = {".json", ".csv", ".tex", ".md", ".parquet"}


def moved(path: str) -> str:
    root, _, rest = path.removeprefix("datasets/").partition("/")
    if path.startswith("datasets/") and root in STEPS:
        return f"datasets/{STEPS[root]}/{rest}"
    for before, after in MOVED:
        found = re.sub(before.replace("{reports}", f"(?:{REPORTS})\\.json"), after, path)
        if found != path:
            return found
    return path


def files(project: Path) -> Iterator[str]:
    for root in ROOTS:
        for folder in project.glob(root):
            for path in sorted(folder.rglob("*")):
                if path.is_file() and path.suffix in SUFFIXES:
                    yield str(path.relative_to(project))


def content(path: Path) -> Any:
    if path.suffix == ".parquet":
        table = pq.read_table(path)
        return table.select([name for name in table.column_names if name != "spec"]).to_pylist()
    if path.suffix != ".json":
        return path.read_bytes()
    found = json.loads(path.read_text())
    if path.name == "_manifest.json":
        return {key: found.get(key) for key in ("rows", "statuses")}
    if path.name == "dataset.json":
        return renamed(found)
    if path.name == "leaderboard.json":  # relations between boards are there too now
        return {key: value for key, value in found.items() if ".relations." not in key and ".spec." not in key}
    return {key: value for key, value in found.items() if not key.startswith("spec.")}


def renamed(values: Any) -> Any:
    if not isinstance(values, dict):
        return values
    return {STEPS.get(key, key): renamed(value) for key, value in values.items()}


def is_empty(path: Path) -> bool:
    """Whether a file holds nothing, or belongs to a table without rows: of cells that had nothing to do."""
    manifest = path.parent / "_manifest.json"
    if manifest.is_file():
        return content(manifest)["rows"] == 0
    return path.suffix == ".json" and content(path) == {}


def differences(old: Path, new: Path) -> Iterator[str]:
    same = 0
    for path in files(old):
        now = new / moved(path)
        if not now.is_file() and not is_empty(old / path):
            yield f"{path}: there is no {moved(path)}"
        elif now.is_file() and content(old / path) != content(now):
            yield f"{path}: {moved(path)} has other content"
        else:
            same += now.is_file()
    yield f"{same:,} files have the same content"


if __name__ == "__main__":
    said = [*differences(Path(sys.argv[1]), Path(sys.argv[2]))]
    print("\n".join(said))
    sys.exit(len(said) > 1)
