"""A person's own pictures with their masks as cases of perception."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from gamut.evaluation.construction.slots import unpack_case
from gamut.project.errors import UserError
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows
from stages.gir.construction.list_regions import list_regions
from stages.gir.construction.steps import GIR
from tests import constructing
from tests.fakes import jpeg
from tests.gir.construction.small_maker import list_perceptions, params_of, stripes

LINE = "a.jpg,a.png,The fox that looks back.,a walk in May,CC0"


def listed(*lines: str, mask: bytes = b"") -> list[Row]:
    list_perceptions(*lines, mask=mask)
    list_regions(constructing.slots_at(GIR, params_of(), "list_regions"))
    return list(read_rows(Path("datasets/gir/draft/v1/list_regions")))


def test_every_line_is_a_case_in_order(project: Path) -> None:
    """Of four stripes of the mask the second and fourth are lighter than 127: half of the picture."""
    chinese = LINE.replace("The fox that looks back.", "看着后面的狐狸。")
    first, second = listed(LINE, "", chinese, mask=stripes([127, 128, 0, 255]))
    assert first["prompt"].startswith("The fox that looks back. Paint exactly that region in pure green (0, 255, 0),")
    assert second["prompt"].startswith("看着后面的狐狸。 Paint")
    assert unpack_case(first)["proof"]["share"] == 0.5
    picture, mask = first["images"]
    assert (picture["name"], picture["role"], picture["image"]["bytes"]) == (
        "input_1",
        "input",
        jpeg("green", (40, 20)),
    )
    assert (mask["name"], mask["role"], mask["origin"]) == ("mask_1", "mask", "a walk in May; licence: CC0")
    assert np.unique(np.asarray(Image.open(io.BytesIO(mask["image"]["bytes"])))).tolist() == [0, 255]


def test_without_a_list_there_is_none(project: Path) -> None:
    list_regions(constructing.slots_at(GIR, params_of(), "list_regions"))
    assert not list(read_rows(Path("datasets/gir/draft/v1/list_regions")))


@pytest.mark.parametrize(
    ("line", "mask", "said"),
    [
        (LINE.replace("CC0", " "), b"", "each of image, mask, description, origin, licence needs a value"),
        (LINE.replace("back.", "back"), b"", "description: a full stop is expected at its end"),
        (LINE.replace("a.png", "b.png"), b"", "'b.png' is not a file below datasets/gir/pictures/v1"),
        (LINE.replace("a.jpg", "../../../../params.yaml"), b"", ".* is not a file below"),
        (LINE.replace("a.jpg", "perception.csv"), b"", "perception.csv is not a picture"),
        (LINE, stripes([0, 127]), "a.png has only one colour, so it marks no region"),
        (LINE, stripes([255, 200]), "a.png has only one colour"),
        (LINE, stripes([0, 255], (40, 30)), "a.png has 40x30 pixels, but its picture has 40x20"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(project: Path, line: str, mask: bytes, said: str) -> None:
    Path("params.yaml").write_text("seed: 0")
    with pytest.raises(UserError, match=rf"perception\.csv, line 2: {said}"):
        listed(line, mask=mask)
