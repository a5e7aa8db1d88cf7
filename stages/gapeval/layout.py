"""The released layout of GapEval: a folder an item, `data_<n>`, with `prompt.json`, pictures, and answers of models.

`read` takes the folder that these lie in; `gapeval.origin.json` beside it says where it comes from. An item is called
as its folder. Answers inside are left where they are: `published/answers.py` makes a contestant of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from stages.asking.requests import Picture
from stages.evaluation.curating.entries import NoItemError
from stages.evaluation.curating.findings import Finding, Findings
from stages.evaluation.curating.layout import Imported, Layout, Reading
from stages.evaluation.curating.picture_files import PictureFiles
from stages.evaluation.defining.editions import ORIGIN, Origin, read_origin, write_origin
from stages.gapeval.published.entries import fields_of, item_of
from stages.gapeval.published.folders import GIVEN, PROMPT, REFERENCE, content_of, items_in, plain
from stages.gapeval.shared.items import GapItem
from stages.project.errors import UserError
from stages.project.files import write_json, write_whole

NAME = "gapeval"
FOLDERS = {"question": GIVEN[0], "reference": REFERENCE}
"""Where pictures of a role are written."""


def read(path: Path, images: Path | None) -> Imported[GapItem]:
    """Read all items, in order of their folders, and what is wrong with them; UserError for what is no such folder."""
    if images is not None:
        raise UserError(f"--images {images}: pictures lie in the items' folders: leave it out")
    found = Reading[GapItem]()
    folders, others = items_in(path, found.findings)
    if not folders:
        raise UserError(f"{path}: there are no items in it: folders data_<n>, each with a {PROMPT}, are wanted")
    files, taken = PictureFiles(path), dict[str, str]()
    found.findings += [Finding(None, name, "key", "a folder that is no item's") for name in others]
    for folder in folders:

        def make(said: Findings, folder: Path = folder) -> GapItem:
            if (twin := taken.setdefault(plain(folder.name), folder.name)) != folder.name:
                raise NoItemError("id", "duplicate", folder.name, f"it cannot be told from {twin!r}: rename one")
            return item_of(path, folder, files, said)

        found.add(folder.name, content_of(path, folder), make)
    origin = read_origin(path.with_name(f"{path.name}{ORIGIN}"))
    return Imported(found.items, files, origin, found.findings, found.odd)


def write(items: Sequence[GapItem], pictures: Mapping[str, Picture], origin: Origin | None, path: Path) -> None:
    """Write items as they were released, and where they come from beside the folder; ValueError for ids that cannot be
    folders' names, or cannot be told apart.
    """
    taken = dict[str, str]()
    for item in items:
        name = str(item.id)
        if not re.fullmatch(r"[^/\0.][^/\0]{0,199}", name):
            raise ValueError(f"id {name!r} can be no folder's name")
        if (twin := taken.setdefault(plain(name), name)) != name:
            raise ValueError(f"items {twin!r} and {name!r} could not be told apart as folders")
        write_json(path / name / PROMPT, dict(fields_of(item)))
        for role, folder in FOLDERS.items():
            shown = item.of_role(role)
            for number, picture in enumerate(shown, start=1):
                end = picture.media_type.removeprefix("image/").replace("jpeg", "jpg")
                file = f"{number:0{len(str(len(shown)))}d}.{end}"
                write_whole(path / name / folder / file, pictures[picture.sha256].data)
    if origin is not None:
        write_origin(origin, path.with_name(f"{NAME}{ORIGIN}"))


FOLDER: Layout[GapItem] = Layout(NAME, read, write)
