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
    "what a benchmark gives to a contestant": "`stages/<benchmark>/shared`: `benchmark.py` or `prompts.py`",
    "the questions to its judge": "`stages/<benchmark>/shared`: `benchmark.py` or `judging.py`",
    "a step of the dataset: its question or its rule": "`stages/dataset/<step>.py`",
    "the order of steps": "`stages/dataset/pipeline.py`",
    "a threshold, a model, who is measured": "`params.yaml`",
    "why an item or a row got its score": "`gamut show prism style/0`, or its page in `report/`",
    "how values, intervals and ranks follow": "`gamut/evaluation/scoring`",
    "how gamut asks models": "`gamut/asking`; `gamut/asking/models/opening.py` says which module opens each kind",
    "what a command does": "`gamut/command`",
}
"""What somebody looks for, and where it is."""
TEXT = """\
# The house

`python docs/house.py` writes this page from the code.

`gamut/` is the library: it asks, keeps, decides, measures and shows. `stages/` is the project: its questions and its
rules. A project is a clone or a fork of this repository. To change a question, a rule or a threshold, open
`stages/` and `params.yaml`. One exception: the checklist's instruction of AEGIS and `own`,
`gamut/evaluation/running/checklists.py`.

```
{tree}
```

Imports point down: {layers}.

* A benchmark's folder imports no other benchmark.
* The library imports the project in one place, `gamut/dataset/steps.py`. It finds benchmarks by their folders.
* `tests/test_architecture.py` checks these rules. Tests lie in folders of the same names in `tests/`.
* [pipeline.md](pipeline.md) says how stages follow from records, and what a change runs again.

| to see or change | open |
|---|---|
{table}
"""


def tree() -> str:
    """Return every package with the first sentence of its docstring, and the names of the packages in it."""
    lines = []
    files = [
        file
        for root in ("gamut", "stages")
        for file in (ROOT / root / "__init__.py", *ROOT.glob(f"{root}/*/__init__.py"))
    ]
    for file in sorted(files, key=lambda file: file.parent.parts):
        parts = file.parent.relative_to(ROOT).parts
        words = (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").splitlines()[0]
        lines.append(f"{'  ' * (len(parts) - 1) + parts[-1] + '/':{COLUMN}}{words}")
        inner = sorted(f"{one.parent.name}/" for one in file.parent.glob("*/__init__.py"))
        if len(parts) == 2 and inner:
            lines.append(f"{'':{COLUMN}}  {' '.join(inner)}")
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
