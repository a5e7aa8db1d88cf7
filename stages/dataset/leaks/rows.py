"""What a dataset's pictures are told by: all their texts, each with what it is."""

from __future__ import annotations

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


def embeddable(texts: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the texts that are embedded, each once: not the Chinese twins, which say the same."""
    once = {text: what for what, text in reversed(texts) if not what.endswith(CHINESE)}
    return [(what, text) for what, text in texts if once.get(text) == what]
