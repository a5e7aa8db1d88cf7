"""Prompts from captions: merged, cleaned, exact duplicates out; every row keeps why it was left out."""

from __future__ import annotations

import hashlib
import re
import unicodedata

import pyarrow as pa

from stages.dataset.joins import CAPTIONS, PROMPTS, Decisions
from stages.params import Params
from stages.stage import main
from stages.tables import Row, slices

SCHEMA = pa.schema(
    [
        pa.field("id", pa.string()),
        pa.field("prompt", pa.string()),
        pa.field("kept", pa.bool_()),
        pa.field("reason", pa.string()),
        pa.field("duplicate_of", pa.string()),
    ]
)


def prompts(params: Params) -> None:
    """Decide about every caption."""
    first_with: dict[bytes, str] = {}
    with Decisions(PROMPTS, SCHEMA) as table:
        for shard, _, rows in slices(CAPTIONS):
            table.write(shard, [decide(row, first_with, params.prompts.max_characters) for row in rows])


def decide(row: Row, first_with: dict[bytes, str], max_characters: int) -> Row:
    """Keep a caption as a prompt, or say why not. `first_with` maps texts so far to the id that had them first."""
    decision = {"id": row["id"], "prompt": None, "kept": False, "reason": None, "duplicate_of": None}
    if row["status"] != "ok":
        return decision | {"reason": f"invalid_input: {row['reason']}"}
    prompt = clean(row["caption"])
    if not is_readable(prompt):
        return decision | {"reason": "invalid_input: nothing readable is in it"}
    if len(prompt) > max_characters:
        return decision | {"reason": f"invalid_input: {len(prompt):,} characters, at most {max_characters:,} are asked"}
    earlier = first_with.setdefault(key(prompt), row["id"])
    if earlier != row["id"]:
        return decision | {"prompt": prompt, "reason": "duplicate", "duplicate_of": earlier}
    return decision | {"prompt": prompt, "kept": True}


def clean(caption: str) -> str:
    """Composed characters (NFC), no control or private characters or lone surrogates, single spaces."""
    composed = unicodedata.normalize("NFC", caption)
    readable = "".join(c if unicodedata.category(c) not in ("Cc", "Co", "Cs") else " " for c in composed)
    return re.sub(r"\s+", " ", readable).strip()


def is_readable(prompt: str) -> bool:
    """Whether there is a character to be seen: more than format characters, marks and spaces."""
    return any(unicodedata.category(character)[0] not in "CMZ" for character in prompt)


def key(prompt: str) -> bytes:
    """What makes two prompts exact duplicates: the text without regard to case, 128 bits of it."""
    return hashlib.sha256(prompt.casefold().encode()).digest()[:16]


if __name__ == "__main__":
    main("prompts", prompts)
