"""Answers that lie in the published folders are those of a contestant of kind folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from stages.asking.models.weights import digest
from stages.evaluation.bodies import answer
from stages.evaluation.curating.freeze import import_items
from stages.gapeval.published.answers import write_answers
from stages.gapeval.room import ROOM
from stages.gapeval.shared.benchmark import GAPEVAL
from stages.gapeval.shared.parameters import Params
from stages.project.errors import UserError
from stages.project.parameters import check
from stages.tables.columns import Row
from stages.tables.reading import read_rows
from tests.gapeval.proposing import PROPOSE
from tests.gapeval.published.gap_folders import PUBLISHED, ROOT, SCENES, put_all, put_answers
from tests.gapeval.small_items import painted

MADE = Path("outputs/bagel")


def params(*sides: str) -> Params:
    """Parameters with one contestant: the folder, put to these sides."""
    roles = ("painter", "judge", "captioner", "translator", "seed_writer", "writer")
    model = {"kind": "folder", "path": str(MADE), "revision": digest(MADE)}
    values = {
        "seed": 3,
        "models": {"world": {"kind": "sandbox"}},
        "roles": dict.fromkeys(roles, "world"),
        "contestants": {"bagel": {"class": "unified", "model": model, "benchmarks": {"gapeval": [*sides]}}},
        "gapeval": {
            "edition": "v1",
            "judges": ["world"],
            "repeats": 1,
            "controls_of": [],
            "answer": {"width": 64, "height": 64, "samples": 2, "max_failures": 0},
            "judge": {"max_failures": 0, "max_unjudged": 0.05},
            "propose": PROPOSE,
        },
    }
    return check(Params, values, Path("params.yaml"))


def answered(*sides: str) -> list[Row]:
    """What the contestant answered."""
    answer.answer(GAPEVAL, params(*sides), "bagel")
    return [*read_rows(Path("datasets/gapeval/answers/bagel"))]


@pytest.fixture
def edition(project: Path) -> None:
    """The edition, and the published folder with answers of two models."""
    put_all()
    put_answers("bagel")
    put_answers("painter", texts=False)
    list(import_items(ROOM, ROOT, "v1"))


def test_both_sides_of_a_model_are_paired_by_sample(edition: None) -> None:
    told = write_answers(ROOT, "bagel", MADE)
    assert told == "outputs/bagel: answers of bagel, 10 on gen, 10 on und, to 5 of 5 items"
    rows = {(row["side"], row["item"], row["sample"]): row for row in answered("und", "gen")}
    assert len(rows) == 2 * len(PUBLISHED) * 2 and {row["status"] for row in rows.values()} == {"ok"}
    assert rows["und", "data_10", 1]["parts"][0]["text"] == "bagel on data_10, 1"
    assert rows["gen", "data_10", 1]["parts"][0]["image"]["bytes"] == painted(SCENES[1], 1)


def test_who_paints_alone_is_asked_by_the_items_name(edition: None) -> None:
    assert write_answers(ROOT, "painter", MADE) == "outputs/bagel: answers of painter, 10 on gen, to 5 of 5 items"
    assert {row["status"] for row in answered("gen")} == {"ok"}


def test_what_cannot_be_taken_is_told_in_one_line(edition: None) -> None:
    with pytest.raises(UserError, match=r"^published: no answers of 'bagle' lie in it; did you mean 'bagel'\?$"):
        write_answers(ROOT, "bagle", MADE)
    with pytest.raises(UserError, match=r"^published: no answers of 'ref' lie in it"):
        write_answers(ROOT, "ref", MADE)
    with pytest.raises(UserError, match=r"^publishd: is no folder: name the one in which the items' folders lie"):
        write_answers(Path("publishd"), "bagel", MADE)
    for broken, said in (("{", "not JSON"), ("[1]", "is no object"), ('{"output_text": 3}', "is no object")):
        (ROOT / "data_1/bagel/text.json").write_text(broken)
        with pytest.raises(UserError, match=rf"^published/data_1/bagel/text\.json: {said}"):
            write_answers(ROOT, "bagel", MADE)
        assert not MADE.exists()
    (ROOT / "data_1/bagel/text.json").unlink()
    outside = Path("elsewhere.jpg").resolve()
    outside.write_bytes(painted())
    (ROOT / "data_1/bagel/out_2.jpg").symlink_to(outside)
    with pytest.raises(UserError, match=r"out_2\.jpg: leads out of published"):
        write_answers(ROOT, "bagel", MADE)
    MADE.mkdir(parents=True)
    with pytest.raises(UserError, match=r"^outputs/bagel exists: "):
        write_answers(ROOT, "bagel", MADE)
