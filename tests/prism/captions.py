"""Prompts in the released layout of PRISM-Bench, written for tests."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from stages.prism.shared.items import TRACKS, PrismItem


def write_captions(items: Iterable[PrismItem], folder: Path) -> None:
    items = list(items)
    for language in ("en", "zh"):
        (folder / language).mkdir(parents=True, exist_ok=True)
        for track in TRACKS:
            prompts = [item.prompt_in(language) for item in items if item.track == track]
            lines = (json.dumps({"prompt": prompt}, ensure_ascii=False) + "\n" for prompt in prompts)
            (folder / language / f"{track}.jsonl").write_text("".join(lines), encoding="utf-8")
