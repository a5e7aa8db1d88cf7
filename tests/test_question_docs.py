"""docs/questions.md says what every reply must satisfy, as the questions have it."""

from __future__ import annotations

import re
import runpy

from tests.paths import ROOT

NAME = re.compile(r"""\bQuestion\(\s*(?:name=)?"([a-z_]+)\"""")


def test_the_page_is_as_the_code_has_it() -> None:
    written = runpy.run_path(str(ROOT / "docs/questions.py"))["page"]()
    assert (ROOT / "docs/questions.md").read_text(encoding="utf-8") == written, "`python docs/questions.py` writes it"


def test_every_question_stands_there() -> None:
    page = (ROOT / "docs/questions.md").read_text(encoding="utf-8")
    names = {
        name
        for root in ("gamut", "stages")
        for path in (ROOT / root).rglob("*.py")
        for name in NAME.findall(path.read_text())
    }
    assert len(names) > 25 and [name for name in sorted(names) if f"`{name}`" not in page] == []
