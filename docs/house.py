"""Write docs/house.md: which package is about what, and which may import which.

    python docs/house.py

The words are the packages' own; tests/test_docs.py holds the page to it, tests/test_architecture.py the layers.
"""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).with_suffix(".md")
COLUMN = 24
"""Where the words begin."""
LAYERS = (
    {"gamut.project", "gamut.world"},
    {"gamut.tables", "gamut.texts"},
    {"gamut.asking"},
    {"gamut.pipeline"},
    {"gamut.dataset", "gamut.evaluation", "gamut.training"},
    {"stages"},
    {"gamut.api"},
    {"gamut.publish"},
    {"gamut.report"},
    {"gamut.deciding"},
    {"gamut.command"},
)
"""From the ground up. A module imports from its own layer or below; packages stand for all their modules."""
OPEN = {
    "what a contestant of a benchmark is given": "`stages/<benchmark>/shared`: `benchmark.py` or `prompts.py`",
    "what its judge is asked": "`stages/<benchmark>/shared`: `benchmark.py` or `judging.py`",
    "a step of the dataset: its question or its rule": "`stages/dataset/<step>.py`",
    "the order of steps": "`stages/dataset/pipeline.py`",
    "a threshold, a model, who is measured": "`params.yaml`",
    "why an item or a row got its score": "`gamut show prism style/0`, or its page in `report/`",
    "how values, intervals and ranks follow": "`gamut/evaluation/scoring`",
    "how models are asked": "`gamut/asking`, a folder a kind in `gamut/asking/models`",
    "what a command does": "`gamut/command`",
}
"""What somebody looks for, and where it is."""
TEXT = """\
# The house

`python docs/house.py` writes this page from the code.

`gamut/` is the library: how something is asked, kept, decided, measured and shown. `stages/` is the project: what is
asked and decided. A project is a clone or a fork of this repository. Whoever has a question, a rule or a threshold in
mind opens `stages/` and `params.yaml`, and nothing else.

```
{tree}
```

Imports point down: {layers}. A benchmark's folder imports no other's. The
library imports the project at one door, `gamut/dataset/steps.py`; benchmarks it finds by their folders. `tests/`
mirrors both, and `tests/test_architecture.py` holds this. How stages follow from records, and what a change runs
again: [pipeline.md](pipeline.md).

| to see or change | open |
|---|---|
{table}
"""


def tree() -> str:
    """Return every package down to the second level, each with the first sentence of its docstring."""
    lines = []
    files = [file for root in ("gamut", "stages") for file in ROOT.glob(f"{root}/**/__init__.py")]
    for file in sorted(files, key=lambda file: file.parent.parts):
        parts = file.parent.relative_to(ROOT).parts
        if len(parts) <= 3:
            words = (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").splitlines()[0]
            lines.append(f"{'  ' * (len(parts) - 1) + parts[-1] + '/':{COLUMN}}{words}")
    return "\n".join(lines)


def text() -> str:
    """Return the text of the page."""
    layers = " → ".join(
        ", ".join(f"`{one.removeprefix('gamut.')}`" for one in sorted(layer)) for layer in reversed(LAYERS)
    )
    return TEXT.format(
        tree=tree(), layers=layers, table="\n".join(f"| {what} | {where} |" for what, where in OPEN.items())
    )


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
