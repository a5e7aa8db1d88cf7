"""Prompts of other benchmarks given as own items, such as those of WISE, GenEval, T2I-CompBench and EvalScope.

One line says what an own item has, and which of the file's keys could be meant. Nothing is converted: what such a
benchmark asks of an answer stands in its scripts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from stages.project.errors import UserError, in_one_line, nearest
from stages.project.inputs import parsed_json

OTHERS: Mapping[str, Collection[str]] = {
    "prompt": ("prompt", "caption", "text", "instruction", "question"),
    "id": ("prompt_id", "item_id", "index", "idx", "key"),
    "groups": ("category", "subcategory", "tag", "tags", "type"),
    "pictures": ("image", "images", "image_path", "input_image"),
    "references": ("reference", "answer", "explanation", "ref_text"),
}
"""What other files call the keys of an own item, in small letters."""
NAMED = 8


def require_own_form(path: Path, lines: Sequence[bytes], keys: Collection[str]) -> None:
    """Raise UserError in one line for a file most of which is in another form: no JSON objects a line, or a key in most
    of its lines that no own item has. A single line is somebody's own, with a mistake.
    """
    objects = [value for line in lines if isinstance(value := json_in(line), dict)]
    listed = json_in(b"\n".join(lines)) if not objects else None
    others = ", ".join(key for key in keys if key != "prompt")
    form = f'an own item is a line {{"prompt": "…"}}, where {others} may stand (docs/own.md)'
    if isinstance(listed, list) and listed and all(isinstance(one, dict) for one in listed):
        found = meant(listed, keys)
        raise UserError(f"{path}: is one JSON list of {len(listed):,}: {form}{found}")
    if len(lines) < 2:
        return
    if not objects:
        raise UserError(f"{path}: no line of it is a JSON object: {form}")
    if found := meant(objects, keys):
        raise UserError(f"{path}: is a file of another form: {form}{found}")


def json_in(line: bytes) -> Any:
    """Return what a JSON text holds, None where it is none."""
    try:
        return parsed_json(line)
    except ValueError:
        return None


def meant(objects: Sequence[Mapping[str, Any]], keys: Collection[str]) -> str:
    """Return in words which keys of most of the objects no own item has, and what each could be; "" where all of them
    are own ones, or misspelt.
    """
    counts = Counter(key for one in objects for key in one)
    unknown = [key for key, count in counts.items() if key not in keys and 2 * count > len(objects)]
    if all("did you mean" in nearest(key, keys) for key in unknown):
        return ""
    named = [f"{in_one_line(key)}{could_be(key, counts)}" for key in unknown[:NAMED]]
    return f"; rename or leave out {', '.join(named)}{', …' if len(unknown) > NAMED else ''}"


def could_be(key: str, there: Collection[str]) -> str:
    """Return which key of an own item another could be, in brackets; "" for none, or one that is there already."""
    own = next((own for own, names in OTHERS.items() if key.casefold() in names and own not in there), None)
    return f" (its {own}?)" if own else ""
