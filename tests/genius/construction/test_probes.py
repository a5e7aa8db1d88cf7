"""Probes of constructed cases: their options, where the right one stands, and what a reviewer may say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from scipy.stats import chisquare

from gamut.asking.models import opening
from gamut.asking.models.world import sandbox
from gamut.asking.requests import Chat, Paint, Reply, Request
from gamut.evaluation.construction.proposals import path_of
from gamut.evaluation.curating.freeze import freeze_proposal
from gamut.evaluation.defining.editions import read_edition
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows
from stages.genius.construction.parameters import Params
from stages.genius.construction.propose import item_of, objections
from stages.genius.construction.steps import GENIUS
from stages.genius.curation import CURATION
from stages.genius.shared.items import LETTERS, GeniusItem
from stages.genius.shared.probes import option_text
from tests import constructing, fakes
from tests.fakes import Fake, jpeg
from tests.genius.small_genius import PROPOSE
from tests.paths import ROOT

FREE = "gravity-00000000"
HINT = "The picture shows two red cats to the left of a house, at night."


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Counter[str]]]:
    """All steps, and what models were asked."""
    folder, asked = tmp_path_factory.mktemp("probes"), Counter[str]()

    def reply(request: Request, role: str) -> Reply:
        asked[request.name if isinstance(request, Chat) else type(request).__name__] += 1
        return Reply(jpeg()) if isinstance(request, Paint) else sandbox.answer(request, {}, role)

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name in ("GAMUT_STORE", "GAMUT_RUN"):
            patch.delenv(name, raising=False)
        Path("stages/genius/construction").mkdir(parents=True)
        Path("stages/genius/construction/pools").symlink_to(ROOT / "stages/genius/construction/pools")
        patch.setattr(opening, "open_model", lambda played, *_: Fake(lambda request: reply(request, played.role)))
        constructing.run(GENIUS, fakes.proposing(Params, PROPOSE | {"max_failures": 1}))
    yield folder, asked


@pytest.fixture
def proposed(whole: tuple[Path, Counter[str]], monkeypatch: pytest.MonkeyPatch) -> dict[str, Row]:
    monkeypatch.chdir(whole[0])
    return {row["id"]: row for row in read_rows(path_of("genius", "v1"))}


def test_every_case_is_proposed_with_three_wrong_options(
    proposed: dict[str, Row], whole: tuple[Path, Counter[str]]
) -> None:
    """Nobody is asked about them: pictures alone are painted."""
    assert [row["status"] for row in proposed.values()] == ["ok"] * 20
    assert constructing.digest_of_proposal("genius") == "77c9e5d1b5dd3599"
    assert all(len({option_text(row["rule_hint"]), *row["distractors"].splitlines()}) == 4 for row in proposed.values())
    assert whole[1] == {"Paint": 66}


def test_items_have_the_probes_that_were_reviewed(proposed: dict[str, Row]) -> None:
    """A rewritten hint is the right option from then on; rewritten options stand in the place of those proposed."""
    constructing.reviewed(
        CURATION,
        {FREE: {"distractors": "Pigs fly.\nCows fly.\nDogs fly."}, "layout-00000000": {"rule_hint": "Sun."}},
    )
    list(freeze_proposal(CURATION, "v1", False))
    items = {str(item.id): item for item in read_edition("genius", "v1", GeniusItem)}
    assert items["layout-00000000"].rule_hint == "Sun."
    for id, item in items.items():
        assert item.probe is not None
        assert item.probe.options[LETTERS.index(item.probe.right)] == option_text(item.rule_hint)
        wrong = ["Pigs fly.", "Cows fly.", "Dogs fly."] if id == FREE else proposed[id]["distractors"].splitlines()
        assert {*item.probe.options} == {option_text(item.rule_hint), *wrong}


NOT_THREE = "new_distractors is to have three lines, each a wrong option beside the rule's hint: "


@pytest.mark.parametrize(
    ("hint", "distractors", "why"),
    [
        (None, "One.\nTwo.", f"{NOT_THREE}2 wrong options are given, 3 are expected"),
        (None, "One.\nTwo.\nTwo", f"{NOT_THREE}Value error, two options are the same"),
        (None, "One.\nTwo.\n \nThree.", f"{NOT_THREE}4 wrong options"),
        (None, "One.\nTwo.\n{hint}", f"{NOT_THREE}Value error, two options are the same"),
        (None, "One.\nTwo.\nThree.", None),
        ("One.", "Two.\nThree.\n<image:input_1>", "names <image:input_1>: options are words alone"),
    ],
)
def test_options_that_a_reviewer_cannot_mean_are_objected_to(
    proposed: dict[str, Row], hint: str | None, distractors: str, why: str | None
) -> None:
    row = proposed[FREE]
    row = row | {"rule_hint": hint or row["rule_hint"], "distractors": distractors.format(hint=row["rule_hint"])}
    said = [*objections(row, {})]
    assert len(said) == (why is not None) and (why is None or why in said[0])


def test_the_right_letter_follows_from_what_is_said_and_from_nothing_else(proposed: dict[str, Row]) -> None:
    """The same row the same item. Other ids another order: of 1,000 each letter has 250 on average (chi-square with 3
    degrees of freedom), and all 24 orders occur.
    """
    words = dict.fromkeys(("context", "prompt", "text_hint", "multimodal_hint"), "Paint.")
    plain = proposed[FREE] | {"images": [], "consistency_hints": "[]"} | words
    assert item_of(plain) == item_of(plain)
    probes = [item_of(plain | {"id": f"gravity-{n:08}"}).probe for n in range(1000)]
    letters = Counter(probe.right for probe in probes if probe)
    assert chisquare([letters[letter] for letter in LETTERS]).pvalue > 0.001
    orders = Counter(probe.options for probe in probes if probe)
    assert len(orders) == 24 and chisquare([*orders.values()]).pvalue > 0.001


@pytest.mark.parametrize(
    ("hint", "option"),
    [
        ("It shows a worm. (All satisfied: 2 score; Not satisfied: 0 score)", "It shows a worm."),
        ("It shows\n a worm (a book's).", "It shows a worm (a book's)."),
        (f"{HINT} There is no dog in it. There is no house in it.", HINT),
        ("There is no dog in it, but a cat.", "There is no dog in it, but a cat."),
    ],
)
def test_what_no_other_option_has_is_left_out_of_the_right_one(hint: str, option: str) -> None:
    """Scores, and what must not be there, would tell which is right."""
    assert option_text(hint) == option
