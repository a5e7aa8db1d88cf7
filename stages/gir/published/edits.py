"""Published edits: jigsaws, Sudokus and regions to be painted, as far as files say what is right.

`VisualPuzzle/{question,solution}/<id>.png`; `VisualLogic/{question,answer}/<id>.png` and `VisualLogic/sudoku/<id>.json`
with `grid_size` and the two grids; `ReasoningPerception/{image,mask}/<id>.png`. Folders of inputs may have each other's
names. Prompts may say of a jigsaw `rows` and `columns`, else these are found in the pictures, as is a Sudoku's frame.
Of jigsaws and Sudokus there may be no prompts: all are put in the same words.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from stages.evaluation.curating.entries import Entry, NoItemError, text
from stages.evaluation.curating.findings import Findings
from stages.evaluation.defining.editions import EditionPicture, Role
from stages.gir.instructions import JIGSAW, REGION, SUDOKU
from stages.gir.published.files import NAMES, Source, below, by_id, first_text, one_line, picture, pictures_in
from stages.gir.published.grids import frame_of, tiling_of
from stages.gir.shared.items import Frame, Task
from stages.gir.shared.measures.overlap import INSIDE
from stages.project.inputs import repeated_keys
from stages.tables.images import upright_rgb

INPUTS = ("question", "image", "input", "puzzle")
RIGHT: Mapping[Task, tuple[Role, tuple[str, ...]]] = {
    "jigsaw": ("solution", ("solution", "answer")),
    "sudoku": ("solution", ("answer", "solution")),
    "perception": ("mask", ("mask",)),
}
"""The role of what is right, and folders in which it may lie, by task."""
GRIDS = "sudoku"
PUZZLE = ("puzzle", "question", "problem", "initial", "quiz", "grid", "board")
ANSWER = ("solution", "answer", "solved", "ground_truth")
EMPTY = (".", "_", "-", "*", "0", "")
BETWEEN = "|+,;/"
"""Signs that may part cells."""
MOST_BYTES = 1_000_000
Pairs = Mapping[str, tuple[str | None, str | None]]
"""The input of each case and what is right, by plain id: paths below the root, None for a picture that is not there."""


def pairs_of(source: Source, task: Task) -> Pairs:
    """Return the pictures of a task by plain id."""
    inputs, right = (pictures_in(source, folder_of(source, task, names)) for names in (INPUTS, RIGHT[task][1]))
    return {id: (inputs.get(id), right.get(id)) for id in {**inputs, **right}}


def folder_of(source: Source, task: Task, names: Sequence[str]) -> str:
    """Return the first folder of these names that is there, below the root; where none is, the first."""
    there = (name for name in names if (source.root / NAMES[task] / name).is_dir())
    return f"{NAMES[task]}/{next(there, names[0])}"


def grids_in(source: Source) -> dict[str, Path]:
    """Return the files of grids by plain id."""
    paths = below(source, f"{NAMES['sudoku']}/{GRIDS}")
    return by_id(source, ((path.stem, path) for path in paths if path.suffix.lower() == ".json"))


def pictures_of(
    source: Source, task: Task, id: str, pair: tuple[str | None, str | None], said: Findings
) -> tuple[list[EditionPicture], str | None]:
    """Return the two pictures of a case, and why it cannot be used for want of one."""
    role, folders = RIGHT[task]
    wanted: tuple[tuple[Role, Sequence[str]], ...] = (("input", INPUTS), (role, folders))
    found = [
        picture(source, file, f"{role}_1", role, f"{folder_of(source, task, names)}/{id}.png", said)
        for file, (role, names) in zip(pair, wanted, strict=True)
    ]
    why = [one for one in found if isinstance(one, str)]
    return [one for one in found if not isinstance(one, str)], "; ".join(why) or None


def jigsaw_of(
    source: Source, id: str, pair: tuple[str | None, str | None], entry: Entry, said: Findings
) -> dict[str, Any]:
    """Return what an item of a jigsaw has."""
    pictures, why = pictures_of(source, "jigsaw", id, pair, said)
    rows, columns = said_tiling(entry) or (0, 0)
    if not rows and why is None:
        question, solution = (pixels(source, one) for one in pictures)
        found = tiling_of(question, solution)
        if found is None:
            raise NoItemError("rows", "type", None, "its tiles are not those of the solution: say rows and columns")
        rows, columns = found
    plain = JIGSAW.format(rows=rows or "some", columns=columns or "some")  # of a case that can be put to nobody
    prompt = text(entry, "prompt") if "prompt" in entry else plain
    return {"prompt": prompt, "rows": rows, "columns": columns, "images": pictures, "unusable": why}


def said_tiling(entry: Entry) -> tuple[int, int] | None:
    """Return rows and columns that an entry says, None where it says neither."""
    said = {"rows": entry.get("rows"), "columns": entry.get("columns", entry.get("cols"))}
    if all(value is None for value in said.values()):
        return None
    numbers = [value for value in said.values() if isinstance(value, int) and 1 <= value <= 100]
    if len(numbers) < len(said):
        raise NoItemError("rows", "type", said)
    return numbers[0], numbers[1]


def sudoku_of(
    source: Source, id: str, pair: tuple[str | None, str | None], entry: Entry, said: Findings
) -> dict[str, Any]:
    """Return what an item of a Sudoku has; a frame that is not seen is the whole picture."""
    puzzle, answer = (grid_of(*first_of(entry, keys)) for keys in (PUZZLE, ANSWER))
    size = math.isqrt(len(puzzle))
    if entry.get("grid_size", size) != size:
        raise NoItemError("grid_size", "count", entry["grid_size"], f"the grid has {len(puzzle)} cells")
    pictures, why = pictures_of(source, "sudoku", id, pair, said)
    frame = None
    if why is None:
        frame = frame_of(pixels(source, pictures[0]), size)
        if frame is None:
            frame = Frame(0.0, 0.0, 1.0, 1.0)
            said.say("frame", "assumed", "no grid is seen in the picture", "the whole picture")
    prompt = text(entry, "prompt") if "prompt" in entry else SUDOKU.format(size=size)
    return {
        "prompt": prompt,
        "puzzle": puzzle,
        "answer": answer,
        "frame": frame,
        "images": pictures,
        "unusable": why,
    }


def grid_entry(path: Path) -> Entry:
    """Return the object in a file of grids; NoItemError where there is none."""
    if not path.is_file():
        raise NoItemError(GRIDS, "type", path.name, "is no file: one with a JSON object is wanted")
    if path.stat().st_size > MOST_BYTES:
        size = f"has {path.stat().st_size:,} bytes, at most {MOST_BYTES:,} are read"
        raise NoItemError(GRIDS, "type", path.name, size)
    content = path.read_bytes()
    try:
        found = orjson.loads(content)
        orjson.dumps(found)  # what is nested more deeply than that could not be written again
    except (orjson.JSONDecodeError, orjson.JSONEncodeError) as error:
        raise NoItemError(GRIDS, "type", path.name, f"not JSON ({error})") from None
    if not isinstance(found, dict) or (twice := repeated_keys(content)):
        why = f"{twice[0]!r:.80} stands twice" if isinstance(found, dict) else "is no object"
        raise NoItemError(GRIDS, "type", path.name, f'{why}: one with "grid_size", "puzzle" and "solution" is wanted')
    return found


def first_of(entry: Entry, keys: Sequence[str]) -> tuple[str, Any]:
    """Return the first of some keys that an entry has, and its value; NoItemError where it has none."""
    for key in keys:
        if key in entry:
            return key, entry[key]
    raise NoItemError(keys[0], "type", None, f"none of {', '.join(keys)} is there")


def grid_of(key: str, value: Any) -> str:
    """Return a grid as digits row by row, 0 for an empty cell; NoItemError for what is none.

    It may be rows, or all cells, in lists or texts; empty are 0, null, "", ".", "_", "-" and "*".
    """
    rows = value if isinstance(value, list) else [value]
    parts = [list(row) if isinstance(row, list) else signs_of(row) for row in rows]
    digits = [digit_of(cell) for part in parts for cell in part]
    even = len({len(part) for part in parts}) == 1
    whole = "".join(digit for digit in digits if digit is not None)
    if not even or len(whole) != len(digits) or math.isqrt(len(whole)) ** 2 != len(whole) or not whole:
        raise NoItemError(key, "type", value, "is no square grid of digits")
    return whole


def signs_of(row: Any) -> list[Any]:
    """Return the signs of a text that stand for cells; a blank text, and what is none, is one cell."""
    if not isinstance(row, str) or not row.strip():
        return [row]
    return [sign for sign in row if not sign.isspace() and sign not in BETWEEN]


def digit_of(cell: Any) -> str | None:
    """Return a cell as a digit, None for what is none."""
    if cell is None or (isinstance(cell, str) and cell.strip() in EMPTY):
        return "0"
    if isinstance(cell, int) and not isinstance(cell, bool) and 0 <= cell <= 9:
        return str(cell)
    if isinstance(cell, str) and len(cell.strip()) == 1 and cell.strip() in "123456789":
        return cell.strip()
    return None


def region_of(
    source: Source, id: str, pair: tuple[str | None, str | None], entry: Entry, said: Findings
) -> dict[str, Any]:
    """Return what an item of a region has; NoItemError for a mask that is empty, or unlike the picture in size."""
    pictures, why = pictures_of(source, "perception", id, pair, said)
    if why is None:
        image, mask = (pixels(source, one) for one in pictures)
        if image.shape != mask.shape:
            sizes = " and ".join(f"{one.shape[1]}x{one.shape[0]}" for one in (image, mask))
            raise NoItemError("mask_1", "count", sizes, "picture and mask are to have one size, in pixels")
        if not (mask > INSIDE).any():
            raise NoItemError("mask_1", "blank", pictures[1].origin, "nothing is marked in it, so this is no case")
    key, described = first_text(entry, ("prompt", "description", "text", "question"))
    prompt = asked(described)
    if prompt != described:
        said.say(key, "assumed", "it does not say in which colour", REGION)
    return {"prompt": prompt, "images": pictures, "unusable": why}


def asked(description: str) -> str:
    """Return what a contestant is asked: a description that does not say so is to be painted in green."""
    if "green" in description.casefold():
        return description
    sentence = one_line(description)
    return f"{sentence if sentence.endswith(('.', '!', '?')) else f'{sentence}.'} {REGION}"


def pixels(source: Source, picture: EditionPicture) -> NDArray[np.uint8]:
    """Return the pixels of a picture: height, width, 3."""
    return np.asarray(upright_rgb(source.pictures[picture.sha256]))
