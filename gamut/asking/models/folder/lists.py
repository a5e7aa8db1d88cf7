"""Lists of pictures with their prompts, a line each: `{"prompt": …, "image_path": …, "id": …}`.

EvalScope takes pictures made elsewhere in this form (`general_t2i`), and notes those it made in its reviews
(`sample_score.sample_metadata`). A prompt tells what a picture answers, because ids are those of the list's author. An
id distinguishes lines with the same prompt, and is used alone if there is no prompt. Paths start at the list, or are of
another machine: only their end counts, as far as it exists in the folder.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gamut.asking.models.folder.paths import different_paths, find_file, path_below, path_parts, unpadded_key
from gamut.project.errors import UserError, in_one_line
from gamut.project.inputs import parse_json

FORM = '{"prompt": "…", "image_path": "…"}, with or without "id": "…" and "sample": 1'
ENTRY_PLACES = (("sample_score", "sample_metadata"), ("metadata",))
"""Keys of an entry within a line of EvalScope's own files."""


class Entry(BaseModel):
    """A line about a picture; other keys are ignored."""

    model_config = ConfigDict(strict=True)
    image_path: str
    prompt: str | None = None
    id: str | int | None = None
    sample: Annotated[int, Field(ge=0)] = 0


class ListLine(NamedTuple):
    """A line of a list: what it answers, its picture, and in words why it has none; "" if it has one."""

    where: str
    prompt: str | None
    id: str | None
    sample: int
    path: str
    file: Path | None
    absent: str


def normal_text(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip()


def entry_in(line: bytes) -> Mapping[str, Any] | None:
    try:
        whole = parse_json(line)
    except ValueError:
        return None
    if not isinstance(whole, dict):
        return None
    for place in ((), *ENTRY_PLACES):
        entry: Any = whole
        for key in place:
            entry = entry.get(key) if isinstance(entry, dict) else None
        if isinstance(entry, dict) and "image_path" in entry:
            return entry
    return None


def is_entry(line: bytes) -> bool:
    entry = entry_in(line)
    return entry is not None and (entry.get("prompt") is not None or entry.get("id") is not None)


def read_list_line(place: str, where: str, line: bytes, folder: Path, files: Mapping[Path, Path]) -> ListLine:
    """Read a line of a list. `place` is its position in errors, `where` its position in rows."""
    try:
        entry = Entry.model_validate(entry_in(line))
    except ValidationError:
        raise UserError(f"{place}: is not a line {FORM}") from None
    if entry.prompt is None and entry.id is None:
        raise UserError(f"{place}: has neither a prompt nor an id to say what its picture answers: add one")
    file, absent = find_picture(where, entry.image_path, folder, files)
    prompt, id = entry.prompt, entry.id
    return ListLine(
        where,
        None if prompt is None else normal_text(prompt),
        None if id is None else normal_text(str(id)),
        entry.sample,
        entry.image_path,
        file,
        absent,
    )


def find_picture(where: str, path: str, folder: Path, files: Mapping[Path, Path]) -> tuple[Path | None, str]:
    label = in_one_line(path)
    if ".." in path_parts(path):
        return None, f"{where}: its picture {label} is outside the folder: put it there, and fix its path"
    meant = path_below(path, folder)
    found = files.get(meant) if meant is not None else find_file(path, Path(where.rpartition(":")[0]).parent, files)
    return found, "" if found else f"{where}: there is no file for its picture {label}"


class PictureLists(NamedTuple):
    lines: Sequence[ListLine]
    by_prompt: Mapping[tuple[str, int], Sequence[ListLine]]
    by_id: Mapping[tuple[str, int], Sequence[ListLine]]
    padded: Mapping[tuple[str, int], Sequence[ListLine]]

    @property
    def files(self) -> set[Path]:
        return {line.file for line in self.lines if line.file is not None}

    def answer(self, record: str, sample: int, prompt: str | None, texts: str) -> ListLine | None:
        """Return the line that answers a record, without a file if several could; None if no line does.

        `prompt` is that of a painting, otherwise None; `texts` are all texts of the request.
        """
        place = normal_text(record), sample
        by_id = self.by_id.get(place) or self.padded.get(place, [])
        if prompt is None:
            lines = [line for line in by_id if line.prompt is None or line.prompt in normal_text(texts)]
        else:
            lines = list(self.by_prompt.get((normal_text(prompt), sample), []))
            if not name_one_picture(lines):
                with_ids = [(line, line.id) for line in lines if line.id]
                exact = [line for line, id in with_ids if is_called(normal_text(record), id)]
                lines = (
                    exact
                    or [line for line, id in with_ids if is_called(normal_text(record), unpadded_key(id))]
                    or lines
                )
            lines = lines or [line for line in by_id if line.prompt is None]
        if name_one_picture(lines):
            return lines[0] if lines else None
        both = " and ".join(line.where for line in lines[:2])
        what = "prompt" if prompt is not None else "id"
        fix = 'give them ids of the items, or "sample": 0, 1, … if both answer one item'
        return lines[0]._replace(file=None, absent=f"{both} have one {what} and two pictures: {fix}")


def name_one_picture(lines: Sequence[ListLine]) -> bool:
    return len({line.file or line.where for line in lines}) < 2


def is_called(record: str, id: str) -> bool:
    return record == id or record.endswith(f"/{id}")


def index_lines(lines: Iterable[ListLine]) -> PictureLists:
    """Index lines by what they answer. If two different paths mean the same file, neither line counts."""
    all_lines = list(lines)
    by_file: dict[Path, dict[str, ListLine]] = defaultdict(dict)
    for line in all_lines:
        if line.file is not None:
            by_file[line.file].setdefault(line.path, line)
    unlike = {file: both for file, some in by_file.items() if (both := different_paths(list(some)))}
    apart = {file: [by_file[file][path] for path in both] for file, both in unlike.items()}
    usable_lines = [line if line.file not in apart else ambiguous_line(line, apart[line.file]) for line in all_lines]
    by_prompt, by_id, padded = defaultdict(list), defaultdict(list), defaultdict(list)
    for line in usable_lines:
        if line.prompt is not None:
            by_prompt[line.prompt, line.sample].append(line)
        if line.id is not None:
            by_id[line.id, line.sample].append(line)
            if unpadded_key(line.id) != line.id:
                padded[unpadded_key(line.id), line.sample].append(line)
    return PictureLists(usable_lines, by_prompt, by_id, padded)


def ambiguous_line(line: ListLine, both: Sequence[ListLine]) -> ListLine:
    paths = " and ".join(f"{in_one_line(one.path)} ({one.where})" for one in both)
    fix = "put both pictures into the folder at these paths"
    return line._replace(file=None, absent=f"{line.where}: {paths} both mean {line.file}: {fix}")
