"""From pools to a proposal, its review and an edition: what is made, what is asked, what is left out and why."""

from __future__ import annotations

import io
import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from gamut.evaluation.construction.proposals import path_of
from gamut.evaluation.construction.slots import unpack_case
from gamut.evaluation.curating.freeze import freeze_proposal
from gamut.evaluation.defining.editions import read_edition
from gamut.evaluation.defining.pictures import pictures_of
from gamut.project.errors import UserError
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows
from stages.gir.construction.draw_quantity import Equation, have_one_solution
from stages.gir.construction.draw_sudoku import BOXES
from stages.gir.construction.entities import Described, objection
from stages.gir.construction.propose import mistakes
from stages.gir.construction.steps import GIR
from stages.gir.curation import CURATION
from stages.gir.shared.items import TASKS, GirItem
from tests import constructing
from tests.fakes import contents, jpeg
from tests.gir.construction.exact_cover import covers
from tests.gir.construction.small_maker import DRAFTS, Maker, list_perceptions, noise, params_of
from tests.paths import ROOT

ASKED = {"Paint": 3 * 2 + 2, "describe_entity": 3, "guess_entity": 3}
"""Two references of each of three entities and two pictures to be cut; entities described and guessed."""

PERCEPTION = "a.jpg,a.png,The fox that looks back.,a walk in May,CC0"
PROPOSED = DRAFTS | {"perception": 1}


def run(*steps: str, edition: str = "v1", **changes: Any) -> None:
    shutil.copytree(ROOT / "stages/gir/construction/pools", "stages/gir/construction/pools", dirs_exist_ok=True)
    constructing.run(GIR, params_of(**changes), *steps, edition=edition)


def rows(edition: str = "v1", folder: Path = Path()) -> dict[str, Row]:
    return {row["id"]: row for row in read_rows(folder / path_of("gir", edition))}


def made() -> dict[str, bytes]:
    return contents(Path("datasets")) | contents(Path("metrics"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Maker]]:
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        maker = Maker(patch)
        list_perceptions(PERCEPTION)
        run()
    yield folder, maker


@pytest.fixture
def built(whole: tuple[Path, Maker], project: Path) -> Path:
    shutil.copytree(whole[0], project, dirs_exist_ok=True)
    return project


@pytest.fixture(scope="module")
def proposed(whole: tuple[Path, Maker]) -> dict[str, Row]:
    return rows(folder=whole[0])


def pixels(row: Row, name: str) -> np.ndarray:
    data = next(one["image"]["bytes"] for one in row["images"] if one["name"] == name)
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


def test_every_task_has_its_cases(whole: tuple[Path, Maker], proposed: dict[str, Row]) -> None:
    assert whole[1].asked == ASKED
    assert {row["status"] for row in proposed.values()} == {"ok"}
    assert Counter(row["task"] for row in proposed.values()) == PROPOSED
    assert list(dict.fromkeys(row["task"] for row in proposed.values())) == list(TASKS)
    figures = json.loads((whole[0] / "metrics/editions/gir/v1/construction.json").read_text())
    assert figures == {"slots": 14, "items": 14, "guessed": 100} | {f"items.{task}": PROPOSED[task] for task in TASKS}
    assert constructing.digest_of_proposal("gir", whole[0]) == "3d4947288f0db5ec"
    assert all(
        item.unusable is None for item in CURATION.items(list(map(constructing.with_pictures, proposed.values())))
    )


def test_the_same_seed_the_same_bytes_and_nothing_asked_twice(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maker, first = Maker(monkeypatch), made()
    run()
    assert not maker.asked and made() == first
    for folder in ("datasets", "metrics", ".store"):
        shutil.rmtree(folder)
    list_perceptions(PERCEPTION)
    run()
    assert maker.asked == ASKED and made() == first


def test_another_edition_has_other_cases(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Maker(monkeypatch)
    run(edition="v2")
    ours, others = rows(), rows("v2")
    drawn = [name for name, row in ours.items() if row["task"] not in ("zoology", "botany", "geography", "perception")]
    assert not [name for name in drawn if ours[name]["case"] == others[name]["case"]]


def test_entities_are_described_shown_and_guessed(proposed: dict[str, Row]) -> None:
    row = proposed["zoology-00000000"]
    case = unpack_case(row)
    assert (case["entity"], case["names"]) == ("a black penguin", ["a black penguin", "penguin"])
    assert len(set(case["distractors"])) == 3 and "a black penguin" not in case["distractors"]
    assert row["prompt"].startswith("Read it from its end: ")
    assert row["remarks"] == "guessed rightly: a black penguin"
    assert [(one["name"], one["role"]) for one in row["images"]] == [
        ("reference_1", "reference"),
        ("reference_2", "reference"),
    ]
    assert row["images"][0]["origin"] == "painted by gamut-sandbox: a black penguin; licence: made for this edition"


def test_proofs_of_numbers_have_one_answer(proposed: dict[str, Row]) -> None:
    for number in range(2):
        case = unpack_case(proposed[f"quantity-0000000{number}"])
        equations = []
        for line in case["proof"]:
            left, total = line.split(" = ")
            words = f"+{left}".replace("+-", "-")
            weights = tuple(weight_of(words, thing) for thing in case["objects"])
            assert sum(w * n for w, n in zip(weights, case["numbers"], strict=True)) == int(total)
            equations.append(Equation(weights, int(total)))
        assert have_one_solution(equations, len(case["objects"]), 99)


def weight_of(words: str, thing: str) -> int:
    """The number before a thing: of `+4 cat -2 dog` 4 for a cat."""
    found = [
        term for term in words.replace(" +", "|+").replace(" -", "|-").split("|") if term.split(" ", 1)[1] == thing
    ]
    return int(found[0].split(" ", 1)[0]) if found else 0


def test_places_are_told_by_what_is_seen(proposed: dict[str, Row]) -> None:
    case = unpack_case(proposed["spatial-00000000"])
    assert len(case["objects"]) == 2 and len(case["relations"]) == 1
    places = {name: (row, column) for name, row, column in case["proof"]["places"]}
    [relation] = case["relations"]
    one, other = places[relation["subject"][0]], places[relation["object"][0]]
    assert one < other and relation["direction"] in ("left", "above")


def test_a_jigsaw_is_restored_by_its_order(proposed: dict[str, Row]) -> None:
    row = proposed["jigsaw-00000000"]
    case = unpack_case(row)
    assert (case["rows"], case["columns"]) == (2, 3)  # 96 x 64 pixels, two tiles along the shorter side
    assert "into 2 rows and 3 columns of tiles" in row["prompt"]
    shuffled, whole = pixels(row, "input_1"), pixels(row, "solution_1")
    assert shuffled.shape == whole.shape == (64, 96, 3)
    for place, tile in enumerate(case["proof"]["order"]):
        (y, x), (of_y, of_x) = divmod(place, 3), divmod(tile, 3)
        there, right = shuffled[32 * y :, 32 * x :][:32, :32], whole[32 * of_y :, 32 * of_x :][:32, :32]
        assert np.array_equal(there, right)  # blocks of a JPEG are 8 pixels: a tile of 32 is coded alone


def test_sudoku_have_one_solution_and_a_frame(proposed: dict[str, Row]) -> None:
    for number, size in enumerate((4, 6)):
        row = proposed[f"sudoku-0000000{number}"]
        case = unpack_case(row)
        puzzle = tuple(map(int, case["puzzle"]))
        found = covers(puzzle, size, *BOXES[size])
        assert ["".join(map(str, one)) for one in found] == [case["answer"]]
        assert case["frame"] == pytest.approx([0.04, 0.04, 0.96, 0.96])
        assert f"digit from 1 to {size} once" in row["prompt"]
        assert pixels(row, "input_1").shape == pixels(row, "solution_1").shape == (128, 128, 3)
        assert not np.array_equal(pixels(row, "input_1"), pixels(row, "solution_1"))


def test_what_is_wrong_is_left_out_with_its_reason(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def same(fields: Any) -> Any:
        return {"description": "It is a living thing that nobody can tell from another."}

    Maker(monkeypatch, describe_entity=same, guess_entity=lambda fields: {"guess": "a dragon"})
    monkeypatch.setattr("gamut.evaluation.construction.slots.require_picture", lambda data: jpeg("red", (96, 64)))
    run(drafts=DRAFTS | {"zoology": 2})
    found = {name: (row["status"], row["reason"]) for name, row in rows().items() if row["status"] != "ok"}
    assert found["jigsaw-00000000"] == (
        "unusable",
        "its picture has tiles that look alike among its 2 x 3, so more than one order is right",
    )
    assert found["zoology-00000000"] == ("unusable", "two of its references are the same picture")
    figures = json.loads(Path("metrics/editions/gir/v1/construction.json").read_text())
    assert (figures["left_out.unusable"], figures["items"]) == (6, 8)


def test_descriptions_that_are_alike_are_left_out(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = "It lives where nobody has ever seen it."
    Maker(monkeypatch, describe_entity=lambda _: {"description": said}, guess_entity=lambda _: {"guess": "a yeti"})
    run(drafts=dict.fromkeys(DRAFTS, 0) | {"zoology": 2, "botany": 1})
    assert [(row["status"], row["reason"]) for row in rows().values()] == [
        ("ok", None),
        ("near_duplicate", "resembles zoology-00000000 (1.00)"),
        ("near_duplicate", "resembles zoology-00000000 (1.00)"),
    ]


def test_what_the_pool_describes_is_asked_of_nobody(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maker = Maker(monkeypatch, guess_entity=lambda _: {"guess": "a red panda"})
    run(pools="stages/gir/construction/pools", drafts=dict.fromkeys(DRAFTS, 0) | {"zoology": 1})
    [row] = rows().values()
    assert maker.asked == {"Paint": 2, "guess_entity": 1}
    assert row["prompt"].startswith("The bamboo eater of Himalayan forests")
    assert row["remarks"] == "guessed rightly: a red panda"


def test_a_reply_that_names_the_entity_is_repaired() -> None:
    fields = {"entity": "a red panda", "names": "a red panda\nAilurus fulgens"}

    def said(description: str) -> str | None:
        return objection(Described(description=description), fields)

    assert said("A small climber of Asia, in the colour of ripe tomatoes.") is None
    assert said("It is one of the pandas.") == "'panda' is a word of its name: describe it without"
    assert said("Ailurus is its first name.") == "'ailurus' is a word of its name: describe it without"
    assert said("A small climber") == "a sentence is expected, with a full stop"


def own(edition: str, *lines: str) -> None:
    folder = Path("datasets/gir/pictures", edition)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "fox.png").write_bytes(noise(5, (64, 64), "PNG"))
    (folder / "pictures.csv").write_text("\n".join(["slot,name,file,origin,licence", *lines, ""]))


def test_a_persons_pictures_stand_before_what_is_painted(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    maker = Maker(monkeypatch)
    own(
        "v1",
        "botany-00000000,reference_1,fox.png,a walk in May,CC0",
        "jigsaw-00000001,solution_1,fox.png,a walk in May,CC0",
    )
    run()
    found = rows()
    images = [found["botany-00000000"]["images"][0], *found["jigsaw-00000001"]["images"]]
    assert {image["origin"] for image in images} == {"a walk in May; licence: CC0"}
    assert images[0]["image"]["bytes"] == noise(5, (64, 64), "PNG")
    assert [(image["name"], image["role"]) for image in images[1:]] == [
        ("input_1", "input"),
        ("solution_1", "solution"),
    ]
    case = unpack_case(found["jigsaw-00000001"])
    assert (case["rows"], case["columns"]) == (2, 2)
    assert not maker.asked


def test_a_picture_is_not_cut_twice(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Maker(monkeypatch)
    own("v1", *(f"jigsaw-0000000{number},solution_1,fox.png,a walk,CC0" for number in range(2)))
    with pytest.raises(UserError, match="jigsaw-00000000 and jigsaw-00000001 have the same picture: change one"):
        run("cut_jigsaw")


def test_a_review_becomes_an_edition(built: Path) -> None:
    constructing.reviewed(CURATION, {"botany-00000000": {"prompt": "The flower that made merchants of Haarlem poor."}})
    list(freeze_proposal(CURATION, "v1", allow_unreviewed=False))
    items = {item.id: item for item in read_edition("gir", "v1", GirItem)}
    assert Counter(item.task for item in items.values()) == PROPOSED
    flower = items["botany-00000000"]
    assert (flower.prompt, flower.texts) == ("The flower that made merchants of Haarlem poor.", ("a red tulip",))
    text = items["text-00000000"]
    assert text.texts == (text.lettering,)
    assert items["jigsaw-00000000"].model_extra["proof"]["order"]
    named = {picture.sha256 for item in items.values() for picture in item.images}
    assert named <= pictures_of("gir", "v1").keys()


@pytest.mark.parametrize(
    ("slot", "new", "said"),
    [
        (
            "botany-00000000",
            "A tulip.",
            "new_prompt: the description contains 'tulip', which is a word of the entity's name",
        ),
        ("perception-00000000", "Paint it red.", "new_prompt: the prompt does not say in which colour"),
    ],
)
def test_a_rewrite_that_tells_is_refused(built: Path, slot: str, new: str, said: str) -> None:
    constructing.reviewed(CURATION, {slot: {"prompt": new}})
    with pytest.raises(UserError, match=said):
        list(freeze_proposal(CURATION, "v1", allow_unreviewed=False))


@pytest.mark.parametrize(
    ("prompt", "case", "references", "said"),
    [
        ("What eats bamboo.", {"names": ["a panda"]}, ["1", "2"], []),
        ("What eats bamboo.", {"names": ["a panda"]}, ["1", "1"], ["two of its references are the same picture"]),
        ("Draw them.", {"numbers": [0, 0]}, [], ["all its numbers are 0: an empty picture would be right"]),
        ("Draw them.", {"numbers": [0, 1]}, [], []),
        ("Write open.", {"lettering": "OPEN"}, [], ["the prompt contains the lettering that has to be found"]),
    ],
)
def test_what_speaks_against_a_case(prompt: str, case: Row, references: list[str], said: list[str]) -> None:
    assert list(mistakes(prompt, case, references)) == said
