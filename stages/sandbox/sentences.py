"""The phrasebook (phrasebook.txt): families of twin sentences, of which captions are made.

`# name` opens a family; each English sentence is followed by its Chinese twin after `=`, and an indented line goes on
with the one above. A family's sentences say the same in other words; no sentence stands twice in either language, so
that a translation leads back to where it came from.
"""

from __future__ import annotations

from pathlib import Path

from .phrases import Twin

_BOOK = Path(__file__).with_name("phrasebook.txt")


def _read_book() -> dict[str, tuple[Twin, ...]]:
    families: dict[str, list[Twin]] = {}
    name, english, chinese = "", "", ""
    for line in [*_BOOK.read_text(encoding="utf-8").strip().splitlines(), "# "]:
        if not line.startswith(("= ", "  ")) and chinese:
            families.setdefault(name, []).append(Twin(english, chinese))
            chinese = ""
        if line.startswith("# "):
            name = line[2:]
        elif line.startswith("= "):
            chinese = line[2:]
        elif line.startswith("  "):
            english, chinese = (english, chinese + line[2:]) if chinese else (f"{english} {line[2:]}", chinese)
        else:
            english = line
    return {name: tuple(twins) for name, twins in families.items()}


FAMILIES: dict[str, tuple[Twin, ...]] = _read_book()
FORMS = ("prompt", "composition", "entity", "text", "imaginative", "style", "abstract", "detail", "long")
