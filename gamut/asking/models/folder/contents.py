"""Reads a folder of answers: each answer with its key, and mistakes by file and line.

Links are followed only within the folder: otherwise a folder from elsewhere could make gamut read other files.
"""

from __future__ import annotations

import codecs
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gamut.asking.models.folder.lists import Entry, ListLine, PictureLists, index_lines, is_entry, read_list_line
from gamut.asking.models.folder.paths import (
    PICTURES,
    TEXTS_OF_ITEM,
    compared_path,
    different_paths,
    files_in,
    find_file,
    item_above,
    keyed_path,
    plain_key,
    unpadded_key,
)
from gamut.asking.models.folder.results import RESULTS, results_of
from gamut.project.errors import UserError, in_one_line
from gamut.project.inputs import parse_json, repeated_keys
from gamut.project.plain_text import natural_order
from gamut.project.validation import Strict

ANSWERS = "answers.jsonl"
PROMPTS, GIVEN = "prompts.jsonl", "given"
"""What `gamut export` writes next to answers and is not an answer: prompts, and a folder of their pictures."""
FILES = ("text", "picture")  # kinds of files, in the order in which they make one answer
LINES_LOOKED_AT = 100  # lines from the start of a .jsonl that show what it is


class FolderAnswer(NamedTuple):
    """One answer: its key, and its texts and files (by path in the folder) in order.

    The `kind` is one of FILES, or for a line of ANSWERS or an entry of results its sample (`sample_kind`). Its `where`
    is a file, or file and line. For an entry of results, `absent` is why it has no answer, or ""; for others, None.
    """

    kind: str
    key: str
    where: str
    pieces: tuple[str | Path, ...]
    absent: str | None = None

    @property
    def is_line(self) -> bool:
        return self.pieces != (Path(self.where),)


def sample_kind(sample: int) -> str:
    return f"sample {sample}"


def sample_keys(key: str, sample: int) -> list[str]:
    return [f"{key}_{sample}"] + [key] * (sample == 0)


class Contents(NamedTuple):
    """The content of a folder: files by their paths in it, lists of pictures, and all other answers."""

    files: Sequence[Path]
    lists: PictureLists
    answers: Sequence[FolderAnswer]


def contents_of(name: str, folder: Path, of: str | None = None) -> Contents:
    """Read a folder in order of its files, or only its folders with the name `of`. Raise UserError with file and line
    for a line that is not of its kind.
    """
    files = files_in(name, folder, of)
    if Path(PROMPTS) in files:
        files = [file for file in files if file != Path(PROMPTS) and file.parts[0] != GIVEN]
    by_path = {compared_path(path): path for path in files}
    alike = next((path for path in files if by_path[compared_path(path)] != path), None)
    in_lists, answers, by_item = list[ListLine](), list[FolderAnswer](), defaultdict[str, list[Path]](list)
    for file in files:
        path = keyed_path(file, of)
        key = path.with_suffix("").as_posix()
        if (item := item_above(file, of)) is not None:
            by_item[item].append(file)
        elif file.suffix.lower() in PICTURES:
            answers.append(FolderAnswer("picture", key, file.as_posix(), (file,)))
        elif file.suffix == ".txt":
            answers.append(FolderAnswer("text", key, file.as_posix(), (file,)))
        elif file.suffix == ".jsonl" and most_lines(folder, file, is_entry):
            for where, line in numbered_lines(folder, file):
                place = f"{name}: {folder}/{where}"
                in_lists.append(read_list_line(place, where, line, folder, by_path))
                require_once(place, line, {*Entry.model_fields})
            if alike is not None:
                other = by_path[compared_path(alike)]
                raise UserError(
                    f"{name}: {folder}: the names {alike} and {other} differ only in how letters are encoded: keep one"
                )
        elif path == Path(ANSWERS):
            answers += read_answers(name, folder, file, by_path)
        elif file.suffix == ".jsonl" and "/" not in key and most_lines(folder, file, is_text_line):
            answers += read_texts(name, folder, file)
        elif file.name == RESULTS or file.name.endswith(f"_{RESULTS}"):
            results = results_of(name, folder, file, path.parent.parent, by_path)
            answers += (FolderAnswer(sample_kind(0), *result) for result in results)
    for item, of_item in by_item.items():
        answers += answers_of_item(name, folder, item, of_item)
    return Contents(files, index_lines(in_lists), answers)


def answers_of_item(name: str, folder: Path, item: str, files: Sequence[Path]) -> Iterator[FolderAnswer]:
    """Yield the samples of one item: the texts of `text.json`, and pictures in order of their names."""
    texts = [file for file in files if file.name == TEXTS_OF_ITEM]
    for file in texts:
        for sample, text in enumerate(texts_in(f"{name}: {folder}/{file}", (folder / file).read_bytes())):
            yield FolderAnswer("text", f"{item}_{sample}", f"{file}: text {sample + 1}", (text,))
    pictures = sorted({*files} - {*texts}, key=lambda file: natural_order(file.name))
    for sample, file in enumerate(pictures):
        yield FolderAnswer("picture", f"{item}_{sample}", file.as_posix(), (file,))


def texts_in(place: str, content: bytes) -> list[str]:
    """Return the samples of `{"output_text": …}`, a text or several; no sample if it is null."""
    content = content.removeprefix(codecs.BOM_UTF8)
    try:
        reply = parse_json(content)
    except ValueError as error:
        raise UserError(f"{place}: is not JSON ({error}): fix or remove it") from None
    text = reply.get("output_text") if isinstance(reply, dict) else reply
    texts = [] if text is None else text if isinstance(text, list) else [text]
    if not isinstance(reply, dict) or not all(isinstance(one, str) for one in texts):
        raise UserError(f'{place}: is not an object {{"output_text": "…"}}: fix or remove it')
    require_once(place, content, {"output_text"})
    return texts


def index_answers(name: str, folder: Path, contents: Contents) -> dict[tuple[str, str], FolderAnswer]:
    """Return answers by kind and plain key, without lists. Raise UserError for no answer, or two to one request."""
    answers: dict[tuple[str, str], FolderAnswer] = {}
    in_lists = contents.lists.files
    for answer in contents.answers:
        if answer.kind == "picture" and in_lists.issuperset(answer.pieces):
            continue
        place = answer.kind, plain_key(answer.key)
        twin = answers.setdefault(place, answer)
        if twin is not answer:
            kept = choose_result(twin, answer)
            if kept is None:
                raise twice_error(name, folder, twin, answer)
            answers[place] = kept
    parts = {piece for found in answers.values() if found.is_line for piece in found.pieces}
    for (kind, key), answer in answers.items():
        if kind in FILES:
            others = [answers.get((kind, f"{key}_0"))]
        else:
            keys = sample_keys(key, int(kind.rpartition(" ")[2]))
            files = [answers.get((file, one)) for file in FILES for one in keys]
            others = [file for file in files if file and not parts.issuperset(file.pieces)]
        for other in filter(None, others):
            raise twice_error(name, folder, answer, other)
    if not answers and not contents.lists.lines:
        raise UserError(f"{name}: {folder} holds no picture ({', '.join(PICTURES)}) and no text (.txt, .jsonl)")
    return answers


def index_unpadded(answers: Mapping[tuple[str, str], FolderAnswer]) -> dict[tuple[str, str], FolderAnswer]:
    """Return answers whose keys have leading zeros, by the key without them; two (`07`, `007`) become `absent`."""
    unpadded_answers: dict[tuple[str, str], FolderAnswer] = {}
    for (kind, key), answer in answers.items():
        if (place := (kind, unpadded_key(key))) != (kind, key):
            other = unpadded_answers.setdefault(place, answer)
            if other is not answer:
                unpadded_answers[place] = ambiguous_answer(other, answer)
    return unpadded_answers


def ambiguous_answer(first: FolderAnswer, second: FolderAnswer) -> FolderAnswer:
    return first._replace(absent=f"{first.where} and {second.where} answer one request: keep one")


def choose_result(first: FolderAnswer, second: FolderAnswer) -> FolderAnswer | None:
    """Choose between two entries of results for one item. Return None if they differ or are not such entries.

    An entry with an answer wins: scripts that judge write a failed item again as it was.
    """
    if first.absent is None or second.absent is None:
        return None
    if first.absent or second.absent:
        return second if first.absent and not second.absent else first
    return first if first.pieces == second.pieces else None


def twice_error(name: str, folder: Path, first: FolderAnswer, second: FolderAnswer) -> UserError:
    return UserError(f"{name}: {folder} answers one request twice, {first.where} and {second.where}: keep one")


def most_lines(folder: Path, file: Path, is_meant: Callable[[bytes], bool]) -> bool:
    """Return whether at least half of a file's first lines are such lines.

    So a folder may also hold other files, and a broken line among good ones is an error.
    """
    with (folder / file).open("rb") as content:
        first = [line.removeprefix(codecs.BOM_UTF8) for line in islice(filter(bytes.strip, content), LINES_LOOKED_AT)]
    return bool(first) and 2 * sum(map(is_meant, first)) >= len(first)


def is_text_line(line: bytes) -> bool:
    try:
        entry = parse_json(line)
    except ValueError:
        return False
    return isinstance(entry, dict) and {"id", "text"} <= entry.keys() and "file_name" not in entry


def read_texts(name: str, folder: Path, file: Path) -> Iterator[FolderAnswer]:
    for where, line in numbered_lines(folder, file):
        try:
            entry = parse_json(line)
            id, text = entry["id"], entry["text"]
        except (ValueError, LookupError, TypeError):
            id = text = None
        if type(id) not in (str, int) or not isinstance(text, str):
            raise UserError(f'{name}: {folder}/{where}: is not a line {{"id": "…", "text": "…"}}')
        require_once(f"{name}: {folder}/{where}", line, {"id", "text"})
        yield FolderAnswer("text", f"{file.stem}/{id}", where, (text,))


class TextPart(Strict):
    text: str


class ImagePart(Strict):
    image: str


class Line(BaseModel):
    """A line of answers; other keys are ignored."""

    model_config = ConfigDict(strict=True)
    id: str | int
    parts: list[TextPart | ImagePart]
    sample: Annotated[int, Field(ge=0)] = 0


def read_answers(name: str, folder: Path, listed: Path, files: Mapping[Path, Path]) -> Iterator[FolderAnswer]:
    paths: dict[Path, str] = {}
    for where, line in numbered_lines(folder, listed):
        place = f"{name}: {folder}/{where}"
        try:
            entry = Line.model_validate_json(line)
        except ValidationError:
            form = '{"id": "…", "parts": [{"text": "…"}, {"image": "…"}]}'
            raise UserError(f'{place}: is not a line {form}, with or without "sample": 1') from None
        require_once(place, line, {"id", "parts", "sample", "text", "image"})
        pieces: list[str | Path] = []
        for part in entry.parts:
            if isinstance(part, TextPart):
                pieces += [part.text] * bool(part.text)
                continue
            file = find_file(part.image, listed.parent, files)
            if file is None:
                raise UserError(f"{place}: {in_one_line(part.image)} is not a file in this folder: put it there")
            if different_paths([other := paths.setdefault(file, part.image), part.image]):
                complaint = f"{in_one_line(part.image)} and {in_one_line(other)} of an earlier line both mean {file}"
                raise UserError(f"{place}: {complaint}: put both files into the folder at these paths")
            pieces.append(file)
        yield FolderAnswer(sample_kind(entry.sample), str(entry.id), where, tuple(pieces))


def numbered_lines(folder: Path, file: Path) -> Iterator[tuple[str, bytes]]:
    data = (folder / file).read_bytes().removeprefix(codecs.BOM_UTF8)
    for number, line in enumerate(data.splitlines(), start=1):
        if line.strip():
            yield f"{file}:{number}", line


def require_once(place: str, line: bytes, keys: set[str]) -> None:
    """Raise UserError for a key that occurs twice, because to choose one of them would be a guess."""
    if repeated := keys.intersection(repeated_keys(line)):
        raise UserError(f"{place}: the key {min(repeated)!r} occurs twice: keep one of the two")
