"""docs/api.md says what `import gamut` offers, as the code has it."""

from __future__ import annotations

import runpy

import gamut
from tests.paths import ROOT


def test_the_page_is_as_the_code_has_it() -> None:
    written = runpy.run_path(str(ROOT / "docs/api.py"))["page"]()
    assert (ROOT / "docs/api.md").read_text(encoding="utf-8") == written, "`python docs/api.py` writes it"
    assert all(f"## gamut.{name}\n" in written for name in gamut.__all__)
