"""Write docs/messages.txt: all that the program says to a person, to be read in a row.

    python docs/messages.py

Errors and printed lines of all modules, as they stand in the code; … stands for what is filled in. tests/test_docs.py
holds the page to the code, so that a new message is read beside the others before it is committed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).with_suffix(".txt")
SAID_BY = ("UserError", "ModelDied", "UnusableError", "ValueError", "print", "wrapped_text", "warn")
"""Functions and errors whose first argument a person reads."""
FEWEST_WORDS = 4
"""What has fewer is a name, a number or a frame of other messages."""


def words_of(node: ast.expr) -> str:
    """Return a text as it stands in the code, what is filled in as …"""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(words_of(part) for part in parts)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return words_of(left) + words_of(right)
        case ast.IfExp(body=one, orelse=other):
            return f"{words_of(one)} / {words_of(other)}"
    return "…"


def messages_in(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and node.args:
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            said = " ".join(words_of(node.args[0]).split())
            if name in SAID_BY and len(said.split()) >= FEWEST_WORDS:
                yield said


def text() -> str:
    blocks = []
    for path in sorted([*ROOT.glob("gamut/**/*.py"), *ROOT.glob("stages/**/*.py")]):
        if found := [*dict.fromkeys(messages_in(path))]:
            blocks.append("\n".join([str(path.relative_to(ROOT)), *(f"  {said}" for said in found)]))
    return "\n\n".join(blocks) + "\n"


if __name__ == "__main__":
    PAGE.write_text(text(), "utf-8")
