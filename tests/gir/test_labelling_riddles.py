"""`gamut label gir`: what people are asked in the place of observers, and what becomes of their replies."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from gamut.deciding.benchmark_tasks import draw_answers, label_answers
from gamut.evaluation.boards.agree import observer_errors
from gamut.evaluation.defining.pictures import stand_ins
from gamut.evaluation.labelling.labels import all_labels
from gamut.evaluation.labelling.questions import check_lines, question_lines
from gamut.evaluation.running.spec import OF_RULES, check_specs
from gamut.project.decisions import Decision, open_log
from stages.gir.shared.benchmark import GIR
from stages.gir.shared.checks import MEASURES, checks
from stages.gir.shared.items import GirItem
from tests.fakes import jpeg
from tests.gir.looked_at import named
from tests.gir.small_tables import ITEMS, params_of, write_edition, write_tables

PICTURES = {role: named(role, role, jpeg()) for role in ("input", "solution", "mask", "reference")}


def of_pictures(*roles: str, **fields: object) -> GirItem:
    return GirItem(id="1", prompt="?", images=[PICTURES[role] for role in roles], **fields)  # type: ignore[arg-type]


OWL = {"task": "zoology", "entity": "owl", "names": ("owl", "strix"), "distractors": ("cat", "dog", "hen")}
JIGSAW = of_pictures("input", "solution", task="jigsaw", rows=2, columns=3)
GRID = {"puzzle": "1034341201034320", "answer": "1234341221434321", "frame": (0, 0, 1, 1)}
SUDOKU = of_pictures("input", "solution", task="sudoku", **GRID)
ENTITY = of_pictures("reference", **OWL)


@pytest.mark.parametrize(
    ("item", "setting", "asked"),
    [
        (ITEMS[0], "t2i", {"counts": ("Does the picture show exactly so many? duck: none, cat: none", "Y or N")}),
        (
            ITEMS[2],
            "t2i",
            {
                "places": (
                    "Does the picture show each of these exactly once: cat, dog; and does all of this hold: cat to the "
                    "left of dog?",
                    "Y or N",
                ),
                "relations": (
                    "What share of these statements is true: cat to the left of dog? One about a thing that is not "
                    "there exactly once is not.",
                    "0 to 1",
                ),
            },
        ),
        (ENTITY, "name", {"named": ("owl / strix, and none of these: cat, dog, hen", "Y or N")}),
        (ENTITY, "choice", {"chosen": (") owl alone?", "Y or N")}),
        (ENTITY, "prompt", {}),
        (JIGSAW, "edit", {"tiles": ("into 2 rows and 3 columns", "0 to 1")}),
        (SUDOKU, "edit", {"digits": (".2.. / .... / 2.4. / ...1", "0 to 1")}),
        (of_pictures("input", "mask", task="perception"), "edit", {"region": ("the mask's white cover", "0 to 1")}),
    ],
)  # fmt: skip
def test_every_measure_of_a_board_but_resemblance_has_words(
    item: GirItem, setting: str, asked: dict[str, Sequence[str]]
) -> None:
    lines = {line.measure: line for _, lines in check_lines(checks(item, setting), MEASURES) for line in lines}
    assert lines.keys() == asked.keys() and all(line.question == 0 for line in lines.values())
    for measure, (words, wanted) in asked.items():
        assert words in lines[measure].words and lines[measure].wanted == wanted


@pytest.mark.parametrize(
    ("item", "wanted", "worths"),
    [
        (ITEMS[0], "Y or N", {"Y": 1, "n": 0, "1": None, "0.5": None, "": None, "nan": None}),
        (ITEMS[4], "0 to 1", {"0.5": 0.5, "1": 1, "1.1": None, "nan": None, "Y": None}),
    ],
    ids=["verdict", "share"],
)
def test_a_verdict_is_y_or_n_and_a_share_a_number(item: GirItem, wanted: str, worths: dict[str, float | None]) -> None:
    [(_, [line])] = check_lines(checks(item, "t2i"), MEASURES)
    for reply, worth in worths.items():
        if worth is not None:
            assert line.value(reply) == worth
        else:
            with pytest.raises(ValueError, match=f"{wanted} is expected"):
                line.value(reply)


def test_specs_do_not_hang_on_what_people_are_asked() -> None:
    one = list(checks(JIGSAW, "edit"))
    about = JIGSAW, OF_RULES, "0badcafe"
    assert check_specs(one, *about) == check_specs([replace(each, wording=()) for each in one], *about)
    assert one[0].beside(stand_ins(JIGSAW))  # what the answer is held against is shown too


def test_from_answers_to_labels_to_errors(project: Path) -> None:
    """Everybody says Y and 1 of all: the observer, who said wrong of one count of three, is right of two."""
    write_edition()
    good = {"q0": {"counts": 1.0}, "q1": {"counts": 0.0}, "s0": {"places": 1.0, "relations": 1.0}}
    write_tables("good", good)
    write_tables("poor", {"q0": {"counts": 1.0}, "t0": {"words": 0.25}, "t1": None})
    params = params_of()
    drawn, _ = draw_answers(GIR, params, 1.0, None)
    task = label_answers(GIR, params, drawn, "ann")
    cards = list(task.cards({code for code, _ in task.places}))
    # of the three tasks as many answers as items that have any: 2 of 3, 1 of 1 (with two questions), 1 of 1
    assert (len(drawn), len(cards)) == (4, 5)
    with open_log("ann", task.name) as log:
        for card in cards:
            log.add(Decision(id=card.id, about=card.about, decision="Y" if card.choices else "1"))
    observer_errors(GIR, params, all_labels(GIR, params))
    found = json.loads(Path("metrics/gir/v1/observer_errors.json").read_text())
    assert found["t2i.observers.counts.labels"] == 2 and found["t2i.observers.counts.recall"] == 50


def test_answers_of_which_nothing_is_asked_are_not_drawn() -> None:
    block = params_of().gir
    asked = [
        setting for setting in ("category", "prompt", "name", "choice") if question_lines(GIR, block, ENTITY, setting)
    ]
    assert asked == ["name", "choice"]
