"""Answers of a model that lie in the published folders, as a folder that a contestant of kind `folder` answers from.

    python -m stages.gapeval.published DIR MODEL OUT

`<item>/<model>/text.json` (`output_text`) and the pictures beside it become `OUT/{und,gen}/<item>_<sample>.…`; without
the folder of a setting where the model answered in one setting alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import orjson

from gamut.evaluation.curating.folders import FolderReading
from gamut.project.errors import UserError, errors_in_one_line, in_one_line, nearest_choice
from gamut.project.files import write_whole
from gamut.project.inputs import regular_file, repeated_keys, stays_within
from stages.gapeval.layout import items_in, models_in, open_folder
from stages.gapeval.shared.items import GapItem

TEXTS = "text.json"
PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")
"""Pictures that a contestant of kind `folder` answers with."""


class Sample(NamedTuple):
    """One sample: of which item and setting, its number, what its file's name ends with, and its bytes."""

    item: str
    setting: str
    sample: int
    end: str
    content: bytes


def write_answers(root: Path, model: str, out: Path) -> str:
    """Write the answers of a model; return a message. UserError where there are none, or `out` exists."""
    if out.exists():
        raise UserError(f"{out} exists: name another folder, or move it away")
    reading = open_folder(root)
    folders = items_in(reading)
    pieces = [piece for folder in folders for piece in samples_in(reading, folder, model)]
    if not pieces:
        known = sorted({name for folder in folders for name in models_in(reading, folder)})
        raise UserError(f"{root}: no answers of {model!r} lie in it{nearest_choice(model, known)}")
    settings = sorted({piece.setting for piece in pieces})
    for piece in pieces:
        name = f"{piece.item}_{piece.sample}{piece.end}"
        write_whole(out / piece.setting / name if len(settings) > 1 else out / name, piece.content)
    counts = ", ".join(f"{sum(piece.setting == setting for piece in pieces):,} in {setting}" for setting in settings)
    return (
        f"{out}: answers of {model}, {counts}, to {len({piece.item for piece in pieces}):,} of {len(folders):,} items"
    )


def samples_in(reading: FolderReading[GapItem], folder: str, model: str) -> Iterator[Sample]:
    if model not in models_in(reading, folder):
        return
    path = reading.root / folder / model / TEXTS
    if path.is_file():
        for sample, text in enumerate(texts_of(path)):
            yield Sample(folder, "und", sample, ".txt", text.encode())
    for sample, name in enumerate(reading.pictures(f"{folder}/{model}")):
        file = reading.root / name
        if file.suffix.lower() not in PICTURE_SUFFIXES:
            raise UserError(f"{in_one_line(file)}: is none of {', '.join(PICTURE_SUFFIXES)}: convert it")
        if not stays_within(reading.root, file):
            raise UserError(f"{in_one_line(file)}: leads out of {reading.root}: copy the picture there")
        yield Sample(folder, "gen", sample, file.suffix.lower(), regular_file(file).read_bytes())
    if reading.findings:
        raise UserError(f"{reading.findings[0].field}: {reading.findings[0].found}")


def texts_of(path: Path) -> list[str]:
    """Return the texts of an answer; none where `output_text` is null."""
    content = regular_file(path).read_bytes().removeprefix(b"\xef\xbb\xbf")
    try:
        reply = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise UserError(f"{path}: not JSON ({error}): mend it, or take it away") from None
    text = reply.get("output_text") if isinstance(reply, dict) else reply
    texts = [] if text is None else text if isinstance(text, list) else [text]
    if not isinstance(reply, dict) or repeated_keys(content) or not all(isinstance(one, str) for one in texts):
        raise UserError(f'{path}: is no object {{"output_text": "…"}}, each key once: mend it, or take it away')
    return texts


if __name__ == "__main__":
    with errors_in_one_line("gapeval.answers: "):
        if len(sys.argv) != 4:
            raise UserError("wanted are DIR, the published folder, MODEL and OUT")
        print(write_answers(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])))
