"""Probes from frozen items to boards: two contestants of the embedded world, its judge, a rule, and their controls."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gamut.evaluation.boards import agree, rank, score
from gamut.evaluation.bodies import answer, judge
from gamut.evaluation.defining.editions import freeze_edition, read_edition
from gamut.evaluation.defining.pictures import pictures_of
from gamut.project.validation import check_values
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows
from stages.genius.released import released
from stages.genius.shared.benchmark import GENIUS, Params
from stages.genius.shared.items import GeniusItem
from tests import fakes
from tests.genius.small_genius import VALUES
from tests.paths import ROOT

COUNT = 3
"""Items, of which the last has no probe."""
BOARD = Path("metrics/genius/v1/board.json")


def contestant(**model: Any) -> dict[str, Any]:
    return {"class": "unified", "model": {"kind": "sandbox", **model}}


CONTESTANTS = {
    "knowing": contestant(faults={"swapped_relation": 1.0, "wrong_count": 1.0}),  # knows all, and paints it wrong
    "reader": contestant(faults={"wrong_reasoning": 1.0}),  # paints and chooses what is right of another item
    "painter": contestant() | {"settings": {"genius": ["interleaved"]}},
}


def params() -> Params:
    block = VALUES | {
        "repeats": 1,
        "settings": ["interleaved", "probe"],
        "controls_of": ["knowing"],
        "answer": {"width": 256, "height": 256, "max_failures": 0},
    }
    return check_values(Params, fakes.values(genius=block, contestants=CONTESTANTS), Path("params.yaml"))


def freeze_items() -> None:
    items = read_edition("genius", "sandbox", GeniusItem)[:COUNT]
    held = pictures_of("genius", "sandbox")
    images = {one.sha256: held.of(item)[one.name].data for item in items for one in item.images}
    freeze_edition("genius", "v1", [*items[:-1], items[-1].model_copy(update={"probe": None})], images)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("probes")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("datasets/editions/genius", "datasets/edition_images/genius"):
            (folder / name).parent.mkdir(parents=True)
            patch.chdir(folder)
            (folder / name).mkdir()
            for one in (ROOT / name).glob("sandbox*"):
                (folder / name / one.name).symlink_to(one)
        for name in ("GAMUT_STORE", "GAMUT_RUN"):
            patch.delenv(name, raising=False)
        freeze_items()
        names = ("world", *CONTESTANTS)
        Path("run.toml").write_text("".join(f"[models.{name}]\nconcurrency = 1\n" for name in names))
        for name in CONTESTANTS:
            answer.answer(GENIUS, params(), name)
            judge.judge(GENIUS, params(), name, "world")
            score.measure(GENIUS, params(), name)
        for name in CONTESTANTS:
            score.score(GENIUS, params(), name)
        agree.agree(GENIUS, params())
        rank.rank(GENIUS, params())
        released(params())
        yield folder


def rows(project: Path, table: str) -> list[Row]:
    return [*read_rows(project / "datasets/genius" / table)]


def on_board(project: Path, metric: str, name: str, judge: str = "world") -> dict[str, float]:
    found = json.loads((project / BOARD).read_text())
    start = f"{metric}.{judge}.{name}."
    return {key.removeprefix(start): value for key, value in found.items() if key.startswith(start)}


def test_each_item_with_a_probe_is_answered_with_a_letter_and_ruled_on(project: Path) -> None:
    for name in ("knowing", "reader"):
        answers = [row for row in rows(project, f"answers/{name}") if row["setting"] == "probe"]
        assert len(answers) == COUNT - 1 and all(row["parts"][0]["text"] in "ABCD" for row in answers)
        ruled = rows(project, f"rules/{name}/answers")
        assert {(row["setting"], row["question"], row["status"]) for row in ruled} == {("probe", "chosen", "ok")}
    assert {row["setting"] for row in rows(project, "judgments/knowing/world/answers")} == {"interleaved"}
    assert rows(project, "rules/painter/answers") == []


def test_who_knows_all_and_paints_nothing_right_has_the_whole_gap(project: Path) -> None:
    own = on_board(project, "execution_gap", "knowing")
    assert (own["known"], own["painted"], own["both"], own["gap"]) == (100, 0, 0, 100)
    assert own["coverage"] == 1 and own["gap_n"] == COUNT - 1 and own["gap_lo"] < 100 == own["gap_hi"]
    other = on_board(project, "execution_gap", "reader")
    assert other["gap"] == other["known"] - other["both"] < 100


def test_probes_have_one_board_whoever_judges(project: Path) -> None:
    knowing, reader = (on_board(project, "probe", name, "rules")["overall"] for name in ("knowing", "reader"))
    assert knowing == 100 > reader
    found = json.loads((project / BOARD).read_text())
    assert {key.split(".")[1] for key in found if key.startswith("probe.")} == {"rules"}
    own = json.loads((project / BOARD.parent / "contestants/knowing.json").read_text())
    assert {key.split(".")[1] for key in own if key.startswith("probe.")} == {"rules"}


def test_who_was_not_put_to_probes_stands_on_other_boards(project: Path) -> None:
    assert on_board(project, "execution_gap", "painter") == {} == on_board(project, "probe", "painter", "rules")
    assert on_board(project, "main", "painter")["coverage"] == 1


def test_a_rule_looks_at_controls_beside_the_judge(project: Path) -> None:
    """No letter is a status; another item's letter may be right by chance."""
    found = {(row["control"], row["status"]) for row in rows(project, "rules/knowing/controls")}
    assert {("blank", "parse_error"), ("input_copied", "parse_error"), ("mismatched", "ok")} == found
    assert on_board(project, "execution_gap", "control_blank")["both"] == 0


def test_the_released_arithmetic_is_of_pictures_alone(project: Path) -> None:
    found = json.loads((project / "metrics/genius/v1/released.json").read_text())
    assert {key.split(".")[0] for key in found} == {"interleaved"}
