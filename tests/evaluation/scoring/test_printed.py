"""Tables of scores are printed whole, in a terminal within its width."""

from __future__ import annotations

import pytest
from rich.table import Table
from rich.text import Text

from gamut.evaluation.scoring.printed import break_name, print_table


def test_a_narrow_terminal_breaks_no_name(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    table = Table("setting", "measure", "of")
    table.add_row("interleaved", "visual_consistency", "judges: world, world_strict")
    print_table(table)
    [row] = [line for line in capsys.readouterr().out.splitlines() if "interleaved" in line]
    assert "visual_consistency" in row and "judges: world, world_strict" in row


def board(*numbers: str) -> Table:
    table = Table(title="Own benchmark", title_justify="left", caption="a note " * 20, caption_justify="left")
    table.add_column("rank", no_wrap=True)
    table.add_column("contestant", overflow="fold")
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    for name in ("careful", "control_input_copied", "hasty"):
        table.add_row("1-3", name, "77.0 0.0–100.0", *(f"{place}.5" for place in range(1, len(numbers))))
    return table


NUMBERS = ("overall", "checklist", "rubric", "alignment", "aesthetics", "instruction_following.gap", "scored")


def test_what_has_no_place_in_a_terminal_stands_below(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each part names the rows; no number is broken, no column lost, none twice."""
    monkeypatch.setenv("COLUMNS", "80")
    print_table(board(*NUMBERS))
    whole = capsys.readouterr().out
    assert "control_input_copied" in whole and max(map(len, whole.splitlines())) > 80  # a file takes it all
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    print_table(board(*NUMBERS[:3]))
    assert "│ control_input_copied " in capsys.readouterr().out  # what fits is as it was
    print_table(board(*NUMBERS[:4]))
    assert "  control_input_copied " in capsys.readouterr().out  # and what fits without lines stays in one
    for width, parts in (("80", 2), ("60", 3)):
        monkeypatch.setenv("COLUMNS", width)
        print_table(board(*NUMBERS))
        said = Text.from_ansi(capsys.readouterr().out).plain
        assert max(map(len, said.splitlines())) <= int(width)
        heads = {head: said.split().count(head) for head in ("rank", "careful", "scored", *NUMBERS[:5], "note")}
        assert heads == {"rank": parts, "careful": parts, "note": 20} | dict.fromkeys((*NUMBERS[:5], "scored"), 1)
        assert [said.count(f" {place}.5") for place in range(1, 7)] == [3] * 6 and said.count("77.0 0.0–100.0") == 3
        assert said.count("control_input_ ") == parts and "instruction_" in said.split()


def test_names_are_broken_at_their_words() -> None:
    assert break_name("gain.symbolic_constraint", 16) == "gain.symbolic_\nconstraint"
    assert break_name("overall", 3) == "overall" and break_name("", 3) == "" and break_name("..a", 1) == "..\na"
    assert break_name("RS\nGap", 16) == "RS\nGap"
