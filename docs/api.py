"""Write docs/api.md: the functions of `import gamut`, and the columns of what they return.

    python docs/api.py

It is read off the code; tests/api/test_api_page.py holds the file to it.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Sequence
from pathlib import Path

import gamut
from gamut.api.frames import IDENTITY
from gamut.evaluation.running import answers, judging
from gamut.evaluation.scoring import scores, tables
from gamut.evaluation.scoring.comparison import Difference
from gamut.project.markdown import code_span

PAGE = Path(__file__).with_suffix(".md")
INTRODUCTION = """\
# In Python

```python
import gamut

gamut.boards()  # who is ahead, on every board
gamut.board("prism").query("name == 'overall'")
gamut.compare("careful", "hasty")
```

Every function reads the project in the current folder (`os.chdir` in a notebook that lies elsewhere). None asks a model
or runs a stage. They work in a clone after `dvc pull` ([sharing.md](sharing.md)).

Texts and numbers come as pandas data frames. Pictures may not fit into memory, so `answers` and `release` are
[Arrow data sets](https://arrow.apache.org/docs/python/dataset.html). `.head(5)` or
`.to_table(columns=["item", "parts"], filter=pyarrow.dataset.field("contestant") == "careful")` reads a part;
`.to_pandas()` makes a data frame of it.

A warning says what was not built with the present parameters. Missing or damaged files raise
`gamut.project.errors.UserError`, which says how to repair it.

[tour.ipynb](tour.ipynb) uses all of them. `python docs/api.py` writes this page from the code.
"""
DIFFERENCE = [one.name for one in dataclasses.fields(Difference) if one.repr]
COLUMNS: dict[str, Sequence[str]] = {
    "board": tables.TIDY,
    "scores": ["contestant", *scores.SCHEMA.names],
    "answers": [*answers.SCHEMA.names, "contestant"],
    "judgments": ["contestant", "judge", *judging.SCHEMA.names],
    "compare": ["benchmark", "metric", "judge", *DIFFERENCE, "trusted"],
    "runs": [*IDENTITY, "…"],
}


def section(name: str) -> str:
    function = getattr(gamut, name)
    words = " ".join((inspect.getdoc(function) or "").split())
    columns = f"\n\nColumns: {', '.join(map(code_span, COLUMNS[name]))}." if name in COLUMNS else ""
    signature = str(inspect.signature(function)).replace("'", "")
    return f"\n## gamut.{name}\n\n```python\ngamut.{name}{signature}\n```\n\n{words}{columns}\n"


def place(name: str) -> tuple[str, int]:
    code = getattr(gamut, name).__code__
    return code.co_filename, code.co_firstlineno


def page() -> str:
    """Return the whole page."""
    return INTRODUCTION + "".join(map(section, sorted(gamut.__all__, key=place)))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
