"""Captions become prompts: cleaned the same way every time, duplicates named, nothing dropped without a reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.dataset import sources
from stages.dataset.joins import CAPTIONS, PROMPTS
from stages.dataset.prompts import clean, decide, key, prompts
from stages.tables import Row, TableWriter, manifest, read_rows
from tests import fakes


@pytest.mark.parametrize(
    ("caption", "prompt"),
    [
        ("a red cube", "a red cube"),
        ("  a \t red\r\n\n cube ", "a red cube"),
        ("a\x00red\x07cube\x1b[0m", "a red cube [0m"),
        ("\ud800a\udfff red \ue000cube", "a red cube"),
        ("cafe\u0301", "caf\u00e9"),
        ("a\u00a0red\u3000cube\u2028", "a red cube"),
        ("👩\u200d🚀", "👩\u200d🚀"),
        ("", ""),
        ("\x00\n\ud800", ""),
        ("A Red CUBE", "A Red CUBE"),
    ],
)
def test_clean(caption: str, prompt: str) -> None:
    assert clean(caption) == prompt


@given(st.text(st.characters(codec=None)) | st.text(st.sampled_from("e\u0301\x00\n \ud800\ue000ﬁÅ가")))
def test_cleaning_is_done_once(caption: str) -> None:
    once = clean(caption)
    assert clean(once) == once == once.strip()
    once.encode()  # raises on a lone surrogate
    assert "  " not in once and "\n" not in once


def test_keys_know_no_case() -> None:
    assert key("A Red Cube") == key("a red cube") == key("a RED cube") != key("a red cubes")
    assert key("Straße") == key("STRASSE")
    assert key("a red cube").hex() == "9f967626aad3681265acae6ac6a6a2d3" and len(key("")) == 16


def row(number: int, caption: str | None, status: str = "ok", reason: str | None = None) -> Row:
    return {"id": f"w-{number:08d}", "caption": caption, "status": status, "reason": reason}


def decided(*rows: Row, most: int = 20) -> list[tuple[Any, ...]]:
    first_with: dict[bytes, str] = {}
    found = [decide(r, first_with, most) for r in rows]
    assert [f["id"] for f in found] == [r["id"] for r in rows]
    assert all(f["kept"] == (f["reason"] is None) for f in found)
    return [(f["prompt"], f["reason"], f["duplicate_of"]) for f in found]


def test_kept() -> None:
    assert decided(row(0, " a  red cube\n")) == [("a red cube", None, None)]


def test_duplicates_name_the_first() -> None:
    assert decided(row(0, "A red cube"), row(1, "a ball"), row(2, "a RED  cube\n"), row(3, "A red cube")) == [
        ("A red cube", None, None),
        ("a ball", None, None),
        ("a RED cube", "duplicate", "w-00000000"),
        ("A red cube", "duplicate", "w-00000000"),
    ]


def test_length() -> None:
    assert decided(row(0, "x" * 20), row(1, "x" * 21), row(2, "  " + "y" * 20 + "  "), row(3, "é" * 20)) == [
        ("x" * 20, None, None),
        (None, "invalid_input: 21 characters, at most 20 are asked", None),
        ("y" * 20, None, None),
        ("é" * 20, None, None),
    ]
    assert decided(row(0, "x" * 1_000_000))[0][1] == "invalid_input: 1,000,000 characters, at most 20 are asked"


def test_invalid_rows_keep_their_reason() -> None:
    assert decided(row(0, None, "invalid_input", "line 2 is not JSON"), row(1, "\x00 \n")) == [
        (None, "invalid_input: line 2 is not JSON", None),
        (None, "invalid_input: nothing readable is in it", None),
    ]


def test_what_is_left_out_takes_no_text() -> None:
    # the first row is too long; the second, the same text, must not be called its duplicate
    first_with: dict[bytes, str] = {}
    assert not decide(row(0, "a red cube"), first_with, 5)["kept"]
    assert decide(row(1, "a red cube"), first_with, 20)["kept"]


def test_nothing_to_see() -> None:
    assert decided(row(0, "\u200b\u200b\ufeff"))[0][1] == "invalid_input: nothing readable is in it"


def test_the_table(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        row(0, "a"),
        row(1, "A"),
        row(2, None, "invalid_input", "column 'c' is empty"),
        row(5000, "a"),
        row(5001, "b"),
    ]
    with TableWriter(CAPTIONS, sources.SCHEMA) as table:
        table.write("w-00000", rows[:3])
        table.write("w-00001", rows[3:])
        table.write("x-00000", [])
    prompts(fakes.params())
    found = list(read_rows(PROMPTS))
    assert [(r["id"][-4:], r["kept"], r["duplicate_of"]) for r in found] == [
        ("0000", True, None),
        ("0001", False, "w-00000000"),
        ("0002", False, None),
        ("5000", False, "w-00000000"),  # across shards, too
        ("5001", True, None),
    ]
    assert [shard["rows"] for shard in manifest(PROMPTS)["shards"]] == [3, 2, 0]
    assert capsys.readouterr().out == "prompts: 2 of 5 pass, left out: 2 duplicate, 1 invalid_input\n"
