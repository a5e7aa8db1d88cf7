"""Replies as a hosted model would give them, by the schema that was asked for: texts as long as the question wants,
scores that mostly pass, placeholder pictures. It thinks first, and counts tokens in its own way. The same request has
the same reply.
"""

from __future__ import annotations

import hashlib
import io
import random
import re
from collections.abc import Mapping
from typing import Any

import orjson
from PIL import Image

from gamut.asking.requests import Chat, Paint, Reply, Request, parts_of, pictures_of

WORDS = ("a", "quiet", "harbour", "at", "dawn", "wooden", "boats", "under", "clouds", "near", "stone", "steps", "gulls")
SIGNS = "清晨的港口停着几条木船石阶旁有海鸥灯光映在水面远处是山"
LENGTHS = {
    "rewrite_text": (40, 90),
    "imagine": (20, 60),
    "brainstorm": (15, 40),
    "generation_chain_of_thought": (150, 220),
}
CAPTION, SENTENCE = (30, 80), (12, 30)
TOKENS_PER_WORD, TOKENS_PER_SIGN, TOKENS_PER_PICTURE, THINKING = 1.3, 0.9, 765, 250


def plausible_reply(request: Request) -> Reply:
    texts, pictures = "\n".join(part for part in parts_of(request) if isinstance(part, str)), pictures_of(request)
    chance = random.Random(hashlib.sha256(b"".join([texts.encode(), *pictures])).digest())
    read = tokens(texts) + TOKENS_PER_PICTURE * len(pictures)
    if isinstance(request, Paint):
        image = Image.frombytes("RGB", (16, 16), chance.randbytes(3 * 16 * 16))
        out = io.BytesIO()
        image.resize((request.width, request.height)).save(out, "PNG")
        return Reply(out.getvalue(), "stop", read)
    assert isinstance(request, Chat)
    if request.name == "same_test":
        found: Any = {"close": [], "others": [int(number) for number in re.findall(r"^<test_(\d+)>$", texts, re.M)]}
    else:
        found = filled(request.schema, request.schema, request.name, chance)
    said = orjson.dumps(found)
    return Reply(said, "stop", read, tokens(said.decode()) + THINKING)


def tokens(text: str) -> int:
    signs = sum("\u4e00" <= sign <= "\u9fff" for sign in text)
    return round(TOKENS_PER_WORD * len(text.split()) + TOKENS_PER_SIGN * signs)


def filled(schema: Mapping[str, Any], whole: Mapping[str, Any], name: str, chance: random.Random, key: str = "") -> Any:
    if "$ref" in schema:
        schema = whole["$defs"][schema["$ref"].rpartition("/")[2]]
    if "enum" in schema:
        return schema["enum"][-1]
    match schema.get("type"):
        case "object":
            return {one: filled(of, whole, name, chance, one) for one, of in schema["properties"].items()}
        case "array":
            count = schema.get("minItems", 1)
            return [filled(schema["items"], whole, name, chance, key) for _ in range(count)]
        case "integer":
            return chance.choices([9, 8, 4], [5, 4, 2])[0]
        case "boolean":
            return False
    if key == "translation":
        return "".join(chance.choices(SIGNS, k=round(1.6 * chance.randint(*CAPTION)))) + ' "OPEN"'
    words = LENGTHS.get(name, CAPTION if key == "caption" else SENTENCE)
    said = " ".join(chance.choices(WORDS, k=chance.randint(*words)))
    return f'{said} and a sign that says "OPEN"' if name == "caption_text" else said
