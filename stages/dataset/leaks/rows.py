"""What a dataset's pictures are told by: all their texts, each with what it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stages.dataset.shared.joins import (
    SELECTED,
    SOURCE_ROWS,
    SYNTHESIZED,
    TRANSLATED,
    english_captions,
    grouped,
)
from stages.evaluation.defining.editions import source_sha256
from stages.tables.columns import Row
from stages.tables.reading import read_shard

CHINESE = "_cn"
"""How it is called what says in Chinese what stands there in English too."""
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")


def described(shard: str) -> Iterator[Row]:
    """Yield selected pictures of a shard with the hash of their source and all their texts, each with what it is:
    `prompt`, `detail`, `detail_cn`, ...
    """
    captions = {row["id"]: row["caption"] for row in read_shard(SOURCE_ROWS, shard, ["id", "caption"])}
    prompts = {row["id"]: row["prompt"] for row in read_shard(SYNTHESIZED, shard, ["id", "prompt"])}
    english = english_captions(shard)
    chinese = grouped(TRANSLATED, shard, ["id", "description", "caption_cn", "status"])
    for row in read_shard(SELECTED, shard, ["id", "kept"]):
        if row["kept"]:
            row_id = row["id"]
            texts = [("prompt", prompts[row_id])]
            texts += [(c["description"], c["caption"]) for c in english.get(row_id, [])]
            translated = [c for c in chinese.get(row_id, []) if c["status"] == "ok"]
            texts += [(f"{c['description']}{CHINESE}", c["caption_cn"]) for c in translated]
            source = source_sha256(captions[row_id], prompts[row_id])
            yield {"id": row_id, "source_sha256": source, "texts": texts}


def captions(texts: Sequence[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """Return texts by what they say: one and its Chinese twin together. A text that stands in several places counts in
    the first.
    """
    first = {text: what for what, text in reversed(texts)}
    found: dict[str, list[tuple[str, str]]] = {}
    for what, text in texts:
        if first[text] == what:
            found.setdefault(what.removesuffix(CHINESE), []).append((what, text))
    return list(found.values())


def passages(text: str) -> list[str]:
    """Return what is embedded of a text: the whole and, where there are several, each of its sentences. One of them may
    tell a short item of which the whole, with all that it says beside, does not remind.
    """
    sentences = (sentence.strip() for sentence in SENTENCE_END.split(text))
    return list(dict.fromkeys([text.strip(), *filter(None, sentences)]))
