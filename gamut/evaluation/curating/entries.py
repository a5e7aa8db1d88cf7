"""Reads a released file that is a list of JSON objects. Fields are corrected where that is safe.

An entry that cannot become an item raises `NoItemError` in the field with the problem. It is always reported.
"""

from __future__ import annotations

import codecs
import difflib
import json
import math
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, TypeGuard

import orjson

from gamut.evaluation.curating.findings import Findings
from gamut.project.errors import UserError
from gamut.project.inputs import DoubledObject, json_object, regular_file

MOST_BYTES = 100_000_000
LONGEST_ID = 200
LONGEST_SHOWN = 10_000
"""Characters that are kept of an entry that cannot be written."""
ALIKE = 0.85
"""Least similarity of a misspelt term and the meant one."""
Entry = dict[str, Any]


class NoItemError(ValueError):
    """An entry cannot become an item, since its field has this defect. `why`: explains it, if `found` does not."""

    def __init__(self, field: str, defect: str, found: Any, why: str | None = None) -> None:
        super().__init__(f"{field}: {found!r:.80}" + ("" if why is None else f": {why}"))
        self.finding = (field, defect, found)


def bytes_of(path: Path, wanted: str) -> bytes:
    """Return the bytes of a released file. UserError if it does not exist, or is too large."""
    if not path.is_file():
        raise UserError(f"{path}: is not a file: name a file with {wanted}")
    if (size := path.stat().st_size) > MOST_BYTES:
        raise UserError(f"{path}: has {size:,} bytes, but at most {MOST_BYTES:,} are read")
    return regular_file(path).read_bytes().removeprefix(codecs.BOM_UTF8)


def entries_of(path: Path) -> list[Any]:
    """Return the list in a file, in order of its entries' ids. UserError if it is not a list."""
    content = bytes_of(path, "a list of JSON objects")
    try:
        found = json.loads(
            content.decode(errors="surrogateescape"),  # invalid UTF-8 affects only its own entry
            object_pairs_hook=json_object,
            parse_constant=lambda name: None,  # NaN and Infinity, which Python writes
            parse_float=lambda text: number if math.isfinite(number := float(text)) else None,
        )
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: not JSON ({error}): fix it, or fetch it again") from None
    if not isinstance(found, list):
        raise UserError(f"{path}: is not a list: a list of JSON objects is expected")
    return sorted(found, key=sort_key)


def require_sound(entry: Any) -> None:
    """NoItemError for an entry that has a key twice in one object, or cannot be written as JSON again."""
    left = [entry]
    while left:
        value = left.pop()
        if isinstance(value, DoubledObject):
            raise NoItemError("entry", "type", value.keys_twice[0], "the key occurs twice in an object")
        if isinstance(value, dict | list):
            left += value.values() if isinstance(value, dict) else value
    if as_writable(entry) is not entry:
        raise NoItemError("entry", "type", ascii(entry), "half a character, too large a number, or nested too deeply")


def json_content(content: bytes) -> Any:
    """Return the content of a JSON text, or its beginning if it cannot be written again."""
    try:
        return orjson.loads(orjson.dumps(orjson.loads(content)))
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return content[:LONGEST_SHOWN].decode(errors="replace")


def as_writable(entry: Any) -> Any:
    """Return an entry, or its ASCII form where it cannot be written as JSON."""
    try:
        orjson.dumps(entry)
    except orjson.JSONEncodeError:
        return ascii(entry)[:LONGEST_SHOWN]
    return entry


def sort_key(entry: Any) -> tuple[int, int, str, bytes]:
    """Entries with numbers come first, then those with names, then those without an id."""
    row_id, content = id_of(entry), orjson.dumps(as_writable(entry), option=orjson.OPT_SORT_KEYS)
    if isinstance(row_id, int):
        return 0, row_id, "", content
    return 1 if row_id is not None else 2, 0, row_id or "", content


def id_of(entry: Any) -> str | int | None:
    """Return an entry's id, a whole number or a text that can be printed; None where it has none."""
    row_id = entry.get("id") if isinstance(entry, dict) else None
    if isinstance(row_id, str):
        return row_id if row_id.strip() == row_id and row_id.isprintable() and 0 < len(row_id) <= LONGEST_ID else None
    return row_id if isinstance(row_id, int) and not isinstance(row_id, bool) else None


def read_term(
    entry: Entry, key: str, known: Collection[str], findings: Findings, synonyms: Mapping[str, str] = {}
) -> str:
    """Return the known term that the entry means. NoItemError if none is similar."""
    value = entry.get(key)
    if not isinstance(value, str):
        raise NoItemError(key, "type", value)
    if value in known:
        return value
    plain = " ".join(value.casefold().split())
    close = difflib.get_close_matches(synonyms.get(plain, plain), known, 1, ALIKE)
    if not close:
        raise NoItemError(key, "term", value)
    findings.say(key, "term", value, close[0])
    return close[0]


def read_text(entry: Entry, key: str) -> str:
    """Return a text; NoItemError for a blank one, and for anything else."""
    value = entry.get(key)
    if not isinstance(value, str) or not value.strip():
        raise NoItemError(key, "type", value, "a text is expected")
    return value


def read_joined_text(entry: Entry, key: str, between: str, findings: Findings) -> str:
    """Return a text that may be empty; one that was put into a list is taken out of it."""
    value = entry.get(key)
    if isinstance(value, str):
        return value
    if value is not None and not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
        raise NoItemError(key, "type", value)
    whole = between.join(one for one in value or () if one.strip())
    findings.say(key, "type", value, whole)
    return whole


def read_texts(entry: Entry, key: str, findings: Findings) -> list[str]:
    """Return a list of texts, none blank; a text alone is put into one."""
    value = entry.get(key)
    if are_texts(value):
        return list(value)
    if value is not None and not (isinstance(value, str) and value.strip()):
        raise NoItemError(key, "type", value)
    found = [] if value is None else [value]
    findings.say(key, "type", value, f"a list of {len(found)}")
    return found


def are_texts(value: Any) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(one, str) and one.strip() for one in value)


def texts_in(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        value = list(value.values())
    parts = value if isinstance(value, list) else []
    return [value] if isinstance(value, str) else [text for part in parts for text in texts_in(part)]
