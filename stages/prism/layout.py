"""The released layout of PRISM-Bench's prompts: `captions/<language>/<track>.jsonl`, where line i belongs to image i.

The released reader skips lines that it cannot read, which shifts all later prompts. Here they are entries without an
item.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from pathlib import Path

from gamut.evaluation.curating.entries import NoItemError, json_content
from gamut.evaluation.curating.findings import Findings
from gamut.evaluation.curating.layout import ImportedItems, Layout, Reading
from gamut.project.errors import UserError
from gamut.project.inputs import parse_json, regular_file, repeated_keys
from stages.prism.shared.items import TRACKS, PrismItem

LANGUAGES = ("en", "zh")


def read_captions(folder: Path, images: Path | None) -> ImportedItems[PrismItem]:
    """Read all tracks in both languages, in order. UserError for a missing file, or unequal numbers of lines."""
    if images is not None:
        raise UserError(f"--images {images}: captions have no pictures: leave it out")
    found = Reading[PrismItem]()
    for track in TRACKS:
        english, chinese = (lines_of(folder / language / f"{track}.jsonl") for language in LANGUAGES)
        if len(english) != len(chinese):
            raise UserError(f"{folder}: {track} has {len(english)} prompts in English, but {len(chinese)} in Chinese")
        for number, both in enumerate(zip(english, chinese, strict=True)):

            def make(findings: Findings, id: str = f"{track}/{number}", both: Sequence[bytes] = both) -> PrismItem:
                one, other = (prompt_in(line, language) for line, language in zip(both, LANGUAGES, strict=True))
                values = {"id": id, "track": id.partition("/")[0], "prompt": one, "prompt_zh": other}
                return PrismItem.model_validate(values | {"origin": None, "row": None})

            found.add(f"{track}/{number}", [*map(json_content, both)], make)
    return ImportedItems(found.items, findings=found.findings, odd=found.odd)


def lines_of(path: Path) -> list[bytes]:
    """Return the lines of a file, without blank ones at its end."""
    try:
        return regular_file(path).read_bytes().removeprefix(codecs.BOM_UTF8).rstrip().splitlines()
    except OSError as error:
        raise UserError(
            f"{path}: cannot be read ({error.strerror}): captions/en and captions/zh are expected"
        ) from None


def prompt_in(line: bytes, language: str) -> str:
    """Return the prompt of a line. NoItemError if it has none."""
    try:
        prompt = parse_json(line)["prompt"]
    except (ValueError, LookupError, TypeError):
        prompt = None
    if not isinstance(prompt, str) or not prompt.strip():
        raise NoItemError(language, "type", line.decode(errors="replace"), 'is not {"prompt": "…"}')
    if "prompt" in repeated_keys(line):
        raise NoItemError(language, "type", "prompt", "the key occurs twice")
    return prompt


CAPTIONS: Layout[PrismItem] = Layout("captions", read_captions)
