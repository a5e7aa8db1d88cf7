"""Tables of scores are printed whole."""

from __future__ import annotations

import pytest
from rich.table import Table

from stages.evaluation.scoring.printed import show


def test_a_narrow_terminal_breaks_no_name(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    table = Table("side", "measure", "of")
    table.add_row("interleaved", "visual_consistency", "judges: world, world_strict")
    show(table)
    [row] = [line for line in capsys.readouterr().out.splitlines() if "interleaved" in line]
    assert "visual_consistency" in row and "judges: world, world_strict" in row
