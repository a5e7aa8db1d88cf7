"""Freezing: what people accepted, numbered by track, once and for all; the released layout comes in."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gamut.command.cli import app
from gamut.evaluation.curating import freeze as freezing
from gamut.evaluation.defining.editions import read_edition
from gamut.project.decisions import Decision
from gamut.project.errors import UserError
from stages.prism.curation import CURATION
from stages.prism.shared.items import PrismItem
from tests.prism.captions import write_captions
from tests.prism.small_proposal import CAT, DOG, LOST, OWL, PROPOSAL, SHA256, write_proposal
from tests.prism.small_proposal import decide as add_decisions

V1 = Path("datasets/editions/prism/v1.jsonl")
freeze = partial(freezing.freeze_proposal, CURATION)
import_captions = partial(freezing.import_items, CURATION)


def decide(reviewer: str, **said: str | Decision) -> None:
    rows = {"cat": CAT, "dog": DOG, "owl": OWL}
    add_decisions(reviewer, {rows[name]["id"]: one for name, one in said.items()}, *rows.values())


def rewrite(**texts: str) -> Decision:
    return Decision(id="-", decision="rewrite", texts=texts)


def reviewed(**said: str | Decision) -> None:
    write_proposal(CAT, DOG, OWL, LOST)
    decide("ann", **said)


def lines() -> list[dict[str, object]]:
    return [json.loads(line) for line in V1.read_text(encoding="utf-8").splitlines()]


def test_accepted_prompts_are_numbered_on_their_track(project: Path) -> None:
    reviewed(cat="accept", dog="accept", owl="accept")
    said = list(freeze("v1", allow_unreviewed=False))
    assert said[0] == f"{V1}: 3 items (1 entity, 2 style)" and said[-1] == "decisions: 3 accept"
    texts = [{"prompt": row["prompt"], "prompt_zh": row["prompt_zh"]} for row in (OWL, CAT, DOG)]
    hashed = {"row_sha256": SHA256}
    assert lines() == [
        {"id": "entity/0", "track": "entity", "origin": "sampled", "row": "w-00000008"} | hashed | texts[0],
        {"id": "style/0", "track": "style", "origin": "sampled", "row": "w-00000003"} | hashed | texts[1],
        {"id": "style/1", "track": "style", "origin": "curated", "row": None, "row_sha256": None} | texts[2],
    ]


def test_rejected_prompts_are_left_out_and_rewritten_ones_replaced(project: Path) -> None:
    reviewed(cat="reject", dog=rewrite(prompt="a cubist hound"), owl=rewrite(prompt_zh="一只仓鸮"))
    said = list(freeze("v1", allow_unreviewed=False))
    assert said[-1] == "decisions: 1 reject, 2 rewrite"
    assert [(line["id"], line["prompt"], line["prompt_zh"]) for line in lines()] == [
        ("entity/0", OWL["prompt"], "一只仓鸮"),
        ("style/0", "a cubist hound", DOG["prompt_zh"]),
    ]


@pytest.mark.parametrize(
    ("entered", "mistake"),
    [
        ({"prompt": 'A  cubist cat, "Meow"'}, f"new_prompt is the same as that of '{CAT['id']}': write another"),
        ({"prompt_zh": CAT["prompt_zh"]}, f"new_prompt_zh is the same as that of '{CAT['id']}': write another"),
        ({"prompt_zh": "a cubist dog"}, "new_prompt_zh is not Chinese: it needs more Chinese characters"),
        ({"prompt_zh": "狗 a cubist dog"}, "new_prompt_zh is not Chinese"),
    ],
)
def test_a_rewrite_that_cannot_be_frozen_is_named(project: Path, entered: dict[str, str], mistake: str) -> None:
    reviewed(cat="accept", dog=rewrite(**entered), owl="accept")
    with pytest.raises(UserError) as error:
        list(freeze("v1", allow_unreviewed=False))
    assert str(error.value).startswith(f"{DOG['id']!r}: {mistake}") and not V1.exists()


def test_a_rewrite_may_say_what_is_said_on_another_track(project: Path) -> None:
    reviewed(cat="accept", dog=rewrite(prompt=OWL["prompt"]), owl="accept")
    list(freeze("v1", allow_unreviewed=False))
    assert [line["prompt"] for line in lines()] == [OWL["prompt"], CAT["prompt"], OWL["prompt"]]


def test_english_lettering_in_a_rewrite_speaks_not_against_its_chinese(project: Path) -> None:
    chinese = '狗，"GOOD BOY EVER"'
    reviewed(cat="accept", dog=rewrite(prompt='a dog, "GOOD BOY EVER"', prompt_zh=chinese), owl="accept")
    list(freeze("v1", allow_unreviewed=False))
    assert lines()[2]["prompt_zh"] == chinese


def test_a_rewrite_may_say_what_a_rejected_or_rewritten_prompt_said(project: Path) -> None:
    reviewed(cat="reject", dog=rewrite(prompt=CAT["prompt"]), owl="accept")
    list(freeze("v1", allow_unreviewed=False))
    assert [line["prompt"] for line in lines()] == [OWL["prompt"], CAT["prompt"]]
    V1.unlink()
    decide("ann", cat=rewrite(prompt="a cubist lion"))
    list(freeze("v1", allow_unreviewed=False))
    assert [line["prompt"] for line in lines()] == [OWL["prompt"], "a cubist lion", CAT["prompt"]]


def test_two_equal_rewrites_are_both_named(project: Path) -> None:
    reviewed(cat=rewrite(prompt="a cubist hound"), dog=rewrite(prompt="a cubist hound"), owl="accept")
    with pytest.raises(UserError) as error:
        list(freeze("v1", allow_unreviewed=False))
    assert [line.partition(":")[0] for line in str(error.value).splitlines()] == [repr(row["id"]) for row in (CAT, DOG)]


def test_a_text_that_a_rewrite_leaves_as_it_is_may_be_blank_in_other_rows_too() -> None:
    curation = replace(CURATION, texts=("prompt", "answer"), among=None, objections=lambda row, texts: iter(()))
    rows = [{"id": "a", "prompt": "an owl", "answer": ""}, {"id": "b", "prompt": "a cat", "answer": ""}]
    assert list(freezing.mistakes_in_rewrite(curation, rows[0], {"prompt": "two owls"}, rows)) == []
    assert len(list(freezing.mistakes_in_rewrite(curation, rows[0], {"prompt": "A cat"}, rows))) == 1


def test_what_is_not_reviewed_is_frozen_only_when_allowed(project: Path) -> None:
    reviewed(cat="accept")
    with pytest.raises(UserError, match=r"^2 of 3 proposals are not reviewed: use `gamut review prism v1`.*$"):
        list(freeze("v1", allow_unreviewed=False))
    assert not V1.exists()
    said = list(freeze("v1", allow_unreviewed=True))
    assert len(lines()) == 3 and said[-1] == "decisions: 1 accept, 2 not reviewed"


def test_a_review_is_not_needed_when_nothing_has_to_be_reviewed(project: Path) -> None:
    write_proposal(CAT)
    list(freeze("v1", allow_unreviewed=True))
    assert [line["id"] for line in lines()] == ["style/0"]


def test_a_frozen_edition_stays(project: Path) -> None:
    reviewed()
    list(freeze("v1", allow_unreviewed=True))
    before = V1.read_bytes()
    first, *_ = freeze("v1", allow_unreviewed=True)
    assert first.endswith("unchanged: it was frozen before")
    decide("ann", cat="reject")
    with pytest.raises(UserError, match=r"v1\.jsonl is already frozen with other items: choose another version"):
        list(freeze("v1", allow_unreviewed=True))
    assert V1.read_bytes() == before


def test_nothing_accepted_is_no_edition(project: Path) -> None:
    reviewed(cat="reject", dog="reject", owl="reject")
    with pytest.raises(UserError, match=f"no proposal in {PROPOSAL} is accepted"):
        list(freeze("v1", allow_unreviewed=False))


def test_the_released_layout_comes_in(project: Path) -> None:
    reviewed()
    list(freeze("v1", allow_unreviewed=True))
    write_captions(read_edition("prism", "v1", PrismItem), Path("out/captions"))
    said = list(import_captions(Path("out/captions"), "again"))
    assert said[0] == "datasets/editions/prism/again.jsonl: 3 items (1 entity, 2 style)"
    texts = [
        [(i.id, i.track, i.prompt, i.prompt_zh) for i in read_edition("prism", v, PrismItem)] for v in ("v1", "again")
    ]
    assert texts[0] == texts[1]
    assert {(item.origin, item.row) for item in read_edition("prism", "again", PrismItem)} == {(None, None)}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["review", "prsm", "v1"], "there is no benchmark 'prsm'; did you mean 'prism'?"),
        (["freeze", "toy", "v1"], "there is no benchmark 'toy'"),
        (["review", "prism", "v1"], f"{PROPOSAL}: there is no proposal for 'v1': add it to"),
        (["import", "prism", "nowhere", "v1"], "nowhere/en/imagination.jsonl: cannot be read"),
        (["import", "prism", "nowhere", "V1"], "'V1' cannot name an edition"),
    ],
)
def test_commands_say_what_is_wrong_in_one_line(project: Path, arguments: list[str], words: str) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 1 and result.output.startswith(words) and result.output.count("\n") == 1


def test_commands_do_what_they_say(project: Path) -> None:
    write_proposal(CAT)
    write_captions([PrismItem(id="style/0", track="style", prompt="a cat", prompt_zh="猫")], Path("captions"))
    for arguments in (
        ["freeze", "prism", "v1", "--allow-unreviewed"],
        ["import", "prism", "captions", "v2"],
    ):
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, result.output
    assert [path.name for path in sorted(V1.parent.iterdir())] == ["v1.jsonl", "v2.jsonl", "v2.origin.json"]


# Several reviewers


def test_what_most_reviewers_say_is_frozen(project: Path) -> None:
    write_proposal(CAT, DOG, OWL, LOST)
    decide("ann", cat="accept", dog="reject", owl=rewrite(prompt="two barn owls"))
    decide("bob", cat="accept", dog="reject", owl=rewrite(prompt="two barn owls"))
    decide("eve", cat="reject", dog="accept", owl="reject")
    said = list(freeze("v1", allow_unreviewed=False))
    assert [(line["prompt"], line["prompt_zh"]) for line in lines()] == [
        ("two barn owls", OWL["prompt_zh"]),
        (CAT["prompt"], CAT["prompt_zh"]),
    ]
    assert said[-1] == "decisions: 1 accept, 1 reject, 1 rewrite"
    assert "datasets/decisions/ann/review.prism.v1.jsonl: 3 decisions" in said
    # Accepted as it is or not: ann and bob 1 0 0, eve 0 1 0. Of ann and bob kappa is 1; of ann and eve two of three
    # disagree, and by chance 4 of 9 would: 1 - (2/3) / (4/9) = -1/2. Alpha: the nine values are three 1 and six 0, so
    # that 2 * 3 * 6 / (9 * 8) = 1/2 of pairs would disagree; in two rows 2 of 3 pairs do: (2/3 + 2/3 + 0) / 3 = 4/9
    assert json.loads(Path("datasets/reviews/prism/v1.agreement.json").read_text()) == {
        "ann.bob.n": 3,
        "ann.bob.kappa": 1.0,
        "ann.eve.n": 3,
        "ann.eve.kappa": -0.5,
        "bob.eve.n": 3,
        "bob.eve.kappa": -0.5,
        "n": 3,
        "alpha": 0.111,
    }


def test_one_reviewer_is_enough_and_agrees_with_nobody(project: Path) -> None:
    write_proposal(CAT, DOG, OWL)
    decide("ann", cat="accept", dog="accept")
    with pytest.raises(UserError, match="1 of 3 proposals are not reviewed"):
        list(freeze("v1", allow_unreviewed=False))
    decide("ann", owl="reject")
    list(freeze("v1", allow_unreviewed=False))
    assert len(lines()) == 2 and not Path("datasets/reviews/prism/v1.agreement.json").exists()


def test_reviewers_who_are_divided_are_settled_by_another(project: Path) -> None:
    write_proposal(CAT, DOG, OWL, LOST)
    decide("ann", cat="accept", dog="accept", owl=rewrite(prompt="an owl"))
    decide("bob", cat="accept", dog="reject", owl=rewrite(prompt="owls"))
    with pytest.raises(UserError, match=rf"evenly divided about 2 proposals, such as '{DOG['id']}': let another"):
        list(freeze("v1", allow_unreviewed=True))
    decide("eve", dog="reject", owl="accept")
    decide("bob", owl="accept")
    list(freeze("v1", allow_unreviewed=False))
    assert [line["prompt"] for line in lines()] == [OWL["prompt"], CAT["prompt"]]


def test_decisions_about_other_texts_than_are_proposed_do_not_count(project: Path) -> None:
    write_proposal(CAT, DOG, OWL)
    decide("ann", cat="accept", dog="accept", owl="accept")
    write_proposal(CAT | {"prompt": "a cubist cow"}, DOG)
    with pytest.raises(UserError, match="1 of 2 proposals are not reviewed"):
        list(freeze("v1", allow_unreviewed=False))
    said = list(freeze("v1", allow_unreviewed=True))
    log = "datasets/decisions/ann/review.prism.v1.jsonl"
    assert f"{log}: 1 decision; 2 decisions about texts that are no longer proposed" in said


def test_what_reviewers_cannot_say_is_named(project: Path) -> None:
    write_proposal(CAT, DOG, OWL)
    decide("ann", owl="accept", cat="reject")  # lines 1 and 2, which others overrule
    decide("ann", cat="acept", dog=rewrite(promt="a dog"), owl=rewrite())
    with pytest.raises(UserError) as error:
        list(freeze("v1", allow_unreviewed=False))
    log = "datasets/decisions/ann/review.prism.v1.jsonl"
    assert str(error.value).splitlines() == [
        f"{log}, line 3: {CAT['id']!r}: there is no decision 'acept'; did you mean 'accept'?",
        f"{log}, line 4: {DOG['id']!r}: there is no text 'promt'; did you mean 'prompt'?",
        f"{log}, line 5: {OWL['id']!r}: new texts belong to a rewrite, and to nothing else",
    ]
    decide("ann", cat="accept", dog=rewrite(prompt=CAT["prompt"]), owl="accept")
    with pytest.raises(UserError, match=rf"^{DOG['id']!r}: new_prompt is the same as that of {CAT['id']!r}"):
        list(freeze("v1", allow_unreviewed=False))
