"""Items with pictures come in from files, and what is wrong is one line."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gamut.evaluation.curating import freeze
from gamut.evaluation.curating.freeze import import_apart, import_items
from gamut.evaluation.defining import picture_shards
from gamut.evaluation.defining.editions import Item, origin_path, path_of, pictures_path, read_edition, read_origin
from gamut.evaluation.defining.pictures import pictures_of
from gamut.project.errors import UserError
from gamut.publish.products import withheld_reason
from stages.prism.curation import CURATION
from tests.evaluation.small_pictures import ORIGIN, png
from tests.fakes import claiming

CAT, DOG = png(1), png(2)
BENCHMARK = replace(CURATION.benchmark, item=Item, stratum=lambda item: "style")
ZOO = replace(CURATION, benchmark=BENCHMARK, released=None, items_of=None)
"""Any items at all, in the default layout."""


def picture(file: str, name: str = "one", **others: Any) -> dict[str, Any]:
    return {"name": name, "role": "input", "file": file} | others


def write_files(*images: dict[str, Any], folder: str = "zoo") -> Path:
    """A file with one item that has these pictures, and two picture files."""
    path = Path(folder, "items.jsonl")
    (path.parent / "pictures").mkdir(parents=True, exist_ok=True)
    (path.parent / "pictures/cat.png").write_bytes(CAT)
    (path.parent / "dog.png").write_bytes(DOG)
    path.write_text(json.dumps({"id": "a/1", "prompt": "put <image:one> there", "images": images}) + "\n")
    return path


def imported(path: Path, images: Path | None = None, version: str = "v1") -> list[str]:
    return list(import_items(ZOO, path, version, images))


def test_without_a_known_licence_an_edition_is_not_published_again(project: Path) -> None:
    said = imported(write_files())
    assert "the licence is unknown: `gamut publish` refuses the edition until this file allows it" in said[-1]
    path = origin_path("prism", "v1")
    unknown = read_origin(path)
    assert unknown is not None and not unknown.redistributable
    why = f"its licence is unknown: {path} must name one that allows it, and say that it is redistributable"
    assert withheld_reason("prism", "v1", []) == why
    path.write_text(ORIGIN.model_copy(update={"licence": " Unknown"}).model_dump_json())
    assert withheld_reason("prism", "v1", []) == why, "whatever else is said"
    path.write_text(ORIGIN.model_dump_json())
    assert withheld_reason("prism", "v1", []) is None
    imported(write_files())
    assert read_origin(path) == ORIGIN, "what a person wrote stays"
    path.unlink()
    imported(write_files())
    assert read_origin(path) == unknown, "once more without one"


def test_pictures_come_in_with_what_they_are(project: Path) -> None:
    path = write_files(picture("pictures/cat.png"), picture("dog.png", "other", role="reference", origin="page 3"))
    Path("zoo/items.origin.json").write_text(ORIGIN.model_dump_json())
    said = imported(path)
    assert said[0].endswith("v1.jsonl: 1 item (1 style)")
    assert said[2].startswith("datasets/edition_images/prism/v1: ")
    assert said[2].endswith(" bytes of pictures: `git add` them too")
    [item] = read_edition("prism", "v1", Item)
    assert [(p.name, p.role, p.width, p.height, p.media_type, p.origin) for p in item.images] == [
        ("one", "input", 64, 64, "image/png", None),
        ("other", "reference", 64, 64, "image/png", "page 3"),
    ]
    assert [p.data for p in pictures_of("prism", "v1").of(item).values()] == [CAT, DOG]
    assert read_origin(origin_path("prism", "v1")) == ORIGIN
    assert "unchanged: it was frozen before" in imported(path)[0]


def test_an_item_that_can_be_put_to_nobody_comes_in_and_is_counted(project: Path) -> None:
    path = write_files(picture("pictures/cat.png"))
    others = {"prompt": "See <image:two>.", "unusable": "its picture was never published"}
    path.write_text(path.read_text() + json.dumps({"id": "a/2", **others}) + "\n")
    assert imported(path)[0].endswith("v1.jsonl: 2 items, of which 1 cannot be asked (2 style)")
    assert [item.unusable for item in read_edition("prism", "v1", Item)] == [None, others["unusable"]]


def file_of(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(200_000_000)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: None, "there is no file 'x.png' in zoo"),
        (file_of(CAT[:-30]), "'x.png' cannot be decoded"),
        (file_of(claiming(60_000, 60_000)), "'x.png' claims"),
        (sparse, "'x.png' has 200,000,000 bytes, but at most 100,000,000 are read"),
        (lambda path: path.symlink_to("/etc/hostname"), "'x.png' lies outside of zoo: copy the picture there"),
        (os.mkfifo, "there is no file 'x.png' in zoo"),
    ],
)
def test_pictures_that_cannot_be_used_are_named(project: Path, make: Callable[[Path], object], words: str) -> None:
    path = write_files(picture("x.png"))
    make(Path("zoo/x.png"))
    with pytest.raises(UserError, match=rf"^zoo/items\.jsonl, line 1: {words}.*: fix it$") as error:
        imported(path)
    assert "\n" not in str(error.value)
    assert not Path("datasets").exists(), "nothing half done"


@pytest.mark.parametrize(
    "file", ["../secret.png", "/etc/hostname", "pictures/../../secret.png", "a\0/../../secret.png"]
)
def test_nothing_is_read_outside_of_the_folder(project: Path, file: str) -> None:
    path = write_files(picture(file))
    Path("secret.png").write_bytes(CAT)
    with pytest.raises(UserError, match=r"line 1: .* lies outside of zoo: copy the picture there: fix it$"):
        imported(path)


@pytest.mark.parametrize(
    ("images", "words"),
    [
        ([picture("dog.png"), picture("dog.png")], "images: two pictures have the name 'one'"),
        ([{"name": "one", "role": "input"}], "images: each has to be an object with name, role and file"),
        ([picture("dog.png", sha256="0" * 64)], f"'dog.png' has the sha256 .*, but the line says '{'0' * 64}'"),
        ([picture("dog.png", width=65)], "'dog.png' has the width 64, but the line says 65"),
    ],
)
def test_what_is_said_of_pictures_has_to_be_true(project: Path, images: list[Any], words: str) -> None:
    with pytest.raises(UserError, match=rf"^zoo/items\.jsonl, line 1: {words}.*: fix it$"):
        imported(write_files(*images))


def test_a_folder_of_pictures_that_nobody_needs_is_refused(project: Path) -> None:
    with pytest.raises(UserError, match=r"^--images zoo: no item of zoo/items\.jsonl has a picture: leave it out$"):
        imported(write_files(), Path("zoo"))
    with pytest.raises(UserError, match=r"^--images none: this is not a folder: name the folder of the pictures$"):
        imported(write_files(), Path("none"))
    with pytest.raises(UserError, match=r"^--images zoo: captions have no pictures: leave it out$"):
        list(import_items(CURATION, Path("captions"), "v1", Path("zoo")))


def test_defects_are_looked_for_where_a_layout_does(project: Path) -> None:
    path = write_files()
    with pytest.raises(UserError, match=r"^--strict: gamut does not look for defects in items\.jsonl: leave it out$"):
        list(import_items(ZOO, path, "v1", strict=True))
    with pytest.raises(UserError, match=r"^--out out: gamut does not look for defects in items\.jsonl: name a version"):
        list(import_apart(ZOO, path, Path("out")))
    assert not Path("out").exists()


def test_many_bytes_are_for_dvc(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []
    codes = [1, 0]
    monkeypatch.setattr(picture_shards, "MOST_IN_GIT", 100)
    monkeypatch.setattr(picture_shards.pipeline, "run_dvc", lambda *words: (asked.append(words), codes.pop(0))[1])
    path, folder = write_files(picture("dog.png")), str(pictures_path("prism", "v1"))
    with pytest.raises(UserError, match=f"^{folder}: the edition is frozen, but `dvc add {folder}` failed: fix that"):
        imported(path)
    assert path_of("prism", "v1").exists()
    said = imported(path)
    assert asked == [("add", "--quiet", folder)] * 2
    assert f"`git add {folder}.dvc datasets/edition_images/prism/.gitignore`" in said[1]


def test_a_proposal_brings_its_pictures_along(project: Path) -> None:
    row = {
        "id": "a-0",
        "prompt": "p",
        "images": [{"name": "x", "role": "mask", "origin": None, "image": {"bytes": CAT}}],
    }
    pictures: dict[str, bytes] = {}
    rows = [
        freeze.take_pictures(row, pictures),
        freeze.take_pictures({"id": "b", "prompt": "q", "images": None}, pictures),
    ]
    one, other = freeze.items_of(ZOO, rows)
    assert one.images[0].name == "x" and list(pictures) == [one.images[0].sha256] and not other.images
    assert "images" not in other.model_dump(exclude_unset=True)
    row["images"] = [{"name": "x", "role": "mask", "origin": None, "image": {"bytes": CAT[:9]}}]
    with pytest.raises(UserError, match=r"^'a-0': its picture 'x' is not a picture in a known format$"):
        freeze.take_pictures(row, {})
    row["images"] = [{"name": "x", "role": "other", "origin": None, "image": {"bytes": CAT}}]
    with pytest.raises(UserError, match=r"^'a-0': its picture 'x': role: Input should be 'input', 'reference'"):
        freeze.take_pictures(row, {})
