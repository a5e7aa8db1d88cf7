from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from stages.evaluation.construction.slots import case_of
from stages.gir.construction.mask_scenes import mask_of, mask_scenes, read_perceptions, share_of, to_be_found
from stages.gir.construction.steps import GIR
from stages.project.errors import UserError
from stages.tables.images import UnusableError
from stages.tables.reading import read_rows
from tests import constructing
from tests.fakes import encoded, jpeg
from tests.gir.construction.small_maker import DRAFTS, Maker, params_of
from tests.paths import ROOT

FOLDER = "datasets/gir/pictures"
LINE = {
    "image": "a.jpg",
    "mask": "a.png",
    "description": "The fox that looks back.",
    "origin": "a walk in May",
    "licence": "CC0",
}


def grey(levels: list[int], size: tuple[int, int] = (40, 20)) -> bytes:
    stripes = np.repeat(np.array(levels, np.uint8), size[0] // len(levels))
    return encoded(Image.fromarray(np.tile(stripes, (size[1], 1))), "PNG")


def listed(*lines: Any, mask: bytes = b"") -> None:
    folder = Path(FOLDER, "v1")
    folder.mkdir(parents=True)
    (folder / "a.jpg").write_bytes(jpeg("green", (40, 20)))
    (folder / "a.png").write_bytes(mask or grey([0, 255, 0, 0]))
    said = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    (folder / "perception.jsonl").write_text("\n".join(said))


def test_a_mask_is_light_where_the_region_is() -> None:
    """Of four stripes the second and fourth are lighter than 127: half of the picture."""
    mask = mask_of(grey([127, 128, 0, 255]), (40, 20))
    assert np.unique(np.asarray(Image.open(io.BytesIO(mask)))).tolist() == [0, 255]
    assert share_of(mask) == 0.5


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (grey([0, 127]), "is of one colour: there is no region in it"),
        (grey([255, 200]), "is of one colour"),
        (grey([0, 255], (40, 30)), "is 40x30 pixels, its picture 40x20"),
        (b"no picture", "is not a picture"),
    ],
)
def test_a_mask_that_measures_nothing(data: bytes, said: str) -> None:
    with pytest.raises(UnusableError, match=said):
        mask_of(data, (40, 20))


def test_a_list_is_read_in_order(project: Path) -> None:
    listed(LINE, "", LINE | {"description": "看着后面的狐狸。"})
    first, second = read_perceptions(FOLDER, "v1")
    assert (first.picture, first.origin) == (jpeg("green", (40, 20)), "a walk in May; licence: CC0")
    assert (first.description, second.description) == (LINE["description"], "看着后面的狐狸。")
    assert read_perceptions(FOLDER, "v2") == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 2: Invalid JSON"),
        (LINE | {"licence": " "}, "line 2: licence: "),
        (LINE | {"description": "A fox"}, "line 2: description: "),
        (LINE | {"more": 1}, "line 2: more: "),
        (LINE | {"mask": "b.png"}, "line 2: 'b.png' is no file below datasets/gir/pictures/v1"),
        (LINE | {"image": "../../../../params.yaml"}, "line 2: .* is no file below"),
        (LINE | {"image": "perception.jsonl"}, "line 2: perception.jsonl is not a picture"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(project: Path, line: Any, said: str) -> None:
    Path("params.yaml").write_text("seed: 0")
    listed(LINE, line)
    with pytest.raises(UserError, match=rf"perception\.jsonl, {said}"):
        read_perceptions(FOLDER, "v1")


def test_a_mask_of_nothing_is_named_with_its_line(project: Path) -> None:
    listed(LINE, mask=grey([0, 0]))
    with pytest.raises(UserError, match=r"perception\.jsonl, line 1: a\.png is of one colour"):
        read_perceptions(FOLDER, "v1")


def begin(monkeypatch: pytest.MonkeyPatch) -> Maker:
    Path("stages/gir/construction").mkdir(parents=True)
    Path("stages/gir/construction/pools").symlink_to(ROOT / "stages/gir/construction/pools")
    return Maker(monkeypatch)


def test_a_persons_own_come_first_and_nobody_is_asked_of_them(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    maker = begin(monkeypatch)
    listed(LINE, LINE, LINE)
    mask_scenes(constructing.slots_at(GIR, params_of(author="gpt"), "mask_scenes"))
    rows = list(read_rows(Path("datasets/gir/draft/v1/mask_scenes")))
    assert [row["status"] for row in rows] == ["ok", "ok"] and not maker.asked
    assert rows[0]["prompt"].startswith("The fox that looks back. Paint exactly that region in pure green (0, 255, 0),")
    assert case_of(rows[0])["proof"]["share"] == 0.25  # one stripe of four
    assert "1 lines of perception.jsonl are not used" in capsys.readouterr().out


def test_who_has_too_few_and_no_world_is_told(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begin(monkeypatch)
    listed(LINE)
    with pytest.raises(UserError, match=r"drafts\.perception: 2 are wanted, .*perception\.jsonl has 1: add some there"):
        mask_scenes(constructing.slots_at(GIR, params_of(author="gpt", drafts=DRAFTS), "mask_scenes"))


def test_a_description_becomes_a_request() -> None:
    assert to_be_found("An animal that eats bamboo.") == "Find an animal that eats bamboo."
