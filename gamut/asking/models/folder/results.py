"""Files of results as released scripts write them: a JSON list of items.

An entry has `id`, `output_text`, in which `<image>` marks a picture, and `output_image_path_list` (or
`output_image_path`); other keys are ignored. Paths are those of another machine. An `output_text` of `failed` is no
answer, and an item may occur twice, as in a file that a judge wrote.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from gamut.asking.models.folder.paths import find_file
from gamut.project.errors import UserError, in_one_line
from gamut.project.inputs import parse_json, repeated_keys

RESULTS = "results.json"  # what the name of such a file is, or ends with behind a `_`
FAILED, PICTURE_MARKER = "failed", "<image>"


class Entry(BaseModel):
    """An item of a file of results; its text may be in a list of one."""

    model_config = ConfigDict(strict=True)
    id: str | int
    output_text: str | list[str] | None = None
    output_image_path_list: list[str] | None = None
    output_image_path: str | None = None


class Result(NamedTuple):
    """An entry: its key, its position, its texts and files, and why these are no answer; "" if they are one."""

    key: str
    where: str
    pieces: tuple[str | Path, ...]
    absent: str


def results_of(name: str, folder: Path, file: Path, above: Path, files: Mapping[Path, Path]) -> Iterator[Result]:
    """Yield the entries of a file of results; nothing for another JSON file. Raise UserError with file and entry for a
    broken entry.

    `above`, the folder above the task's, such as a setting's, precedes the ids: `<setting>/<task>/results.json`.
    """
    data = (folder / file).read_bytes().removeprefix(codecs.BOM_UTF8)
    try:
        entries = parse_json(data)
    except ValueError as error:
        raise UserError(f"{name}: {folder}/{file}: is not JSON ({error}): write it again") from None
    if not isinstance(entries, list) or not any(map(is_entry, entries)):
        return
    if repeated := {*Entry.model_fields}.intersection(repeated_keys(data)):
        raise UserError(f"{name}: {folder}/{file}: the key {min(repeated)!r} occurs twice in an entry: keep one")
    for number, content in enumerate(entries, start=1):
        where = f"{file}: entry {number}"
        place = f"{name}: {folder}/{where}"
        try:
            entry = Entry.model_validate(content)
        except ValidationError:
            form = '{"id": …, "output_text": "…", "output_image_path_list": ["…"]}'
            raise UserError(f"{place}: is not an entry {form}") from None
        key = str(entry.id) if above == Path() else f"{above.as_posix()}/{entry.id}"
        yield Result(key, where, *answer_pieces(place, where, entry, files))


def is_entry(content: Any) -> bool:
    return isinstance(content, dict) and any(key in content for key in Entry.model_fields if key != "id")


def answer_pieces(
    place: str, where: str, entry: Entry, files: Mapping[Path, Path]
) -> tuple[tuple[str | Path, ...], str]:
    """Return texts and pictures in order, and why there is no answer; "" if there is one.

    A picture without a marker comes last. A marker without a picture stays in its text, where judges see it.
    """
    text = entry.output_text
    if isinstance(text, list):
        if len(text) > 1:
            raise UserError(f"{place}: has {len(text)} texts: keep the one that is the answer")
        text = "".join(text)
    paths = [*(entry.output_image_path_list or ())]
    paths += [path for path in [entry.output_image_path] if path and path not in paths]
    pictures: list[Path] = []
    for path in paths:
        file = find_file(path, Path(where.partition(": ")[0]).parent, files)
        if file is None and text == FAILED:
            continue
        if file is None:
            return (), f"{where}: there is no file for its picture {in_one_line(path)}"
        pictures.append(file)
    if text == FAILED:
        return tuple(pictures), f"{where} says that it failed"
    texts = (text or "").split(PICTURE_MARKER, len(pictures))
    pieces: list[str | Path] = []
    for number, said in enumerate(texts):
        pieces += [said] * bool(said.strip())
        pieces += pictures[number : number + 1]
    return (*pieces, *pictures[len(texts) :]), ""
