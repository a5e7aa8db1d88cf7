"""The released layout of PRISM-Bench's prompts: `captions/<language>/<track>.jsonl`, line i belongs to image i.

An object a line, with the key `prompt`; images are `<track>/<i>.png`, counted from 0. The released reader skips lines
that it cannot read, which moves all later prompts to other images: here they are errors.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from pathlib import Path

import orjson

from stages.evaluation.curating.layout import texts_alone
from stages.prism.shared.items import PrismItem
from stages.prism.shared.tracks import TRACKS
from stages.project.errors import UserError
from stages.project.files import write_whole
from stages.project.inputs import regular, repeated_keys

LANGUAGES = ("en", "zh")


def read_captions(folder: Path) -> list[PrismItem]:
    """Read all tracks in both languages, in order; a UserError names the file and line of what is not a prompt."""
    items = []
    for track in TRACKS:
        english, chinese = (read_prompts(folder / language / f"{track}.jsonl") for language in LANGUAGES)
        if len(english) != len(chinese):
            raise UserError(f"{folder}: {track} has {len(english)} prompts in English and {len(chinese)} in Chinese")
        pairs = enumerate(zip(english, chinese, strict=True))
        items += [
            PrismItem(id=f"{track}/{n}", track=track, prompt=one, prompt_zh=other, origin=None, row=None)
            for n, (one, other) in pairs
        ]
    return items


def read_prompts(path: Path) -> list[str]:
    """Read one file; blank lines are allowed at its end alone."""
    try:
        lines = regular(path).read_bytes().removeprefix(codecs.BOM_UTF8).rstrip().splitlines()
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}): captions/en and captions/zh are wanted") from None
    prompts = []
    for number, line in enumerate(lines, start=1):
        try:
            prompt = orjson.loads(line)["prompt"]
        except (ValueError, LookupError, TypeError):
            prompt = None
        if not isinstance(prompt, str) or not prompt.strip():
            raise UserError(
                f'{path}, line {number}: is not {{"prompt": "…"}}: mend it, do not remove it: line {number} belongs to '
                f"image {number - 1}"
            )
        if "prompt" in repeated_keys(line):
            raise UserError(f"{path}, line {number}: the key 'prompt' stands twice: keep one of the two")
        prompts.append(prompt)
    return prompts


def write_captions(items: Sequence[PrismItem], folder: Path) -> None:
    """Write items in the released layout. ValueError unless each track's items are numbered from 0 on, in order."""
    for track in TRACKS:
        of_track = [item for item in items if item.track == track]
        if [item.id for item in of_track] != [f"{track}/{number}" for number in range(len(of_track))]:
            raise ValueError(f"{track}: items have to be numbered from 0 on, in order: line i belongs to image i")
        for language in LANGUAGES:
            content = b"".join(orjson.dumps({"prompt": item.prompt_in(language)}) + b"\n" for item in of_track)
            write_whole(folder / language / f"{track}.jsonl", content)


CAPTIONS = texts_alone("captions", read_captions, write_captions)
