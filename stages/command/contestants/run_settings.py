"""run.toml with blocks added: where models of params.yaml are."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path

from stages.project.errors import UserError
from stages.project.settings import Settings
from stages.project.validation import validated


def with_models(path: Path, text: str, blocks: Mapping[str, Mapping[str, str]]) -> str:
    """Return the text of run.toml with a block for each model; UserError where a model has another block already."""
    known = tomllib.loads(text).get("models", {})
    for slug, block in blocks.items():
        if known.get(slug, {}).items() >= block.items():
            continue
        if slug in known:
            raise UserError(f"{path}: [models.{slug}] is there already and says something else: mend it by hand")
        lines = [
            f"[models.{slug}]",
            *(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in block.items()),
        ]
        text = "\n".join([*([text.rstrip("\n"), ""] if text.strip() else []), *lines, ""])
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UserError(
            f"{path}: nothing can be added to it ({error}): put in by hand [models.{', models.'.join(blocks)}]"
        ) from None
    validated(Settings, values, path)
    return text
