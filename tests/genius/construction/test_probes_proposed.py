"""From cases to proposed probes: what is written, what a checker is asked, and cases that have none."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from stages.asking.models import opening, sandbox
from stages.asking.requests import Chat, Paint, Reply, Request
from stages.evaluation.construction.proposals import path_of
from stages.evaluation.curating.freeze import freeze
from stages.evaluation.defining.editions import read_edition
from stages.genius.construction.cases import read_hint
from stages.genius.construction.parameters import Params
from stages.genius.construction.probes import may_be_right, stated, untaken
from stages.genius.construction.propose import item_of, objections
from stages.genius.construction.scenes import OPPOSITE, in_words
from stages.genius.construction.steps import GENIUS
from stages.genius.room import ROOM
from stages.genius.shared.items import LETTERS, GeniusItem
from stages.tables.columns import Row
from stages.tables.reading import read_rows
from tests import constructing, fakes
from tests.fakes import Fake, jpeg
from tests.genius.construction.solving import pool
from tests.genius.small_genius import PROPOSE
from tests.paths import ROOT

FREE, DOUBTFUL, STUBBORN = ("gravity-00000000", "weather-00000000", "operation-00000000")
"""Cases of which the writer puts a wrong option in words of its own, one that the checker calls right, and, as often as
it is asked, the right one.
"""


def run(*steps: str) -> Counter[str]:
    Path("stages/genius/construction").mkdir(parents=True, exist_ok=True)
    pools = Path("stages/genius/construction/pools")
    if not pools.exists():
        pools.symlink_to(ROOT / pools)
    params = fakes.proposing(Params, PROPOSE | {"max_failures": 1})
    asked: Counter[str] = Counter()
    hints = dict[str, str]()

    def reply(request: Request, role: str) -> Reply:
        asked[request.name if isinstance(request, Chat) else type(request).__name__] += 1
        if isinstance(request, Paint):
            return Reply(jpeg())
        assert isinstance(request, Chat)
        words = "\n".join(part for message in request.messages for part in message.parts if isinstance(part, str))
        found = sandbox.answer(request, {}, role)
        if request.name == "write_distractors":
            hints.update(
                {row["id"]: stated(row["rule_hint"]) for row in read_rows(Path("datasets/genius/draft/v1/draw_cases"))}
            )
            said = json.loads(found.content)["distractors"]
            for case, other in ((FREE, "Plainly"), (DOUBTFUL, "Perhaps"), (STUBBORN, None)):
                if hints[case] in words:
                    said[1] = hints[case] if other is None else f"{other}, {said[1]}"
            return Reply(orjson.dumps({"distractors": said}))
        if request.name == "check_distractor":
            return Reply(orjson.dumps({"reason": "so", "wrong": "no" if "Perhaps" in words else "yes"}))
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opening, "open_model", lambda played, *_: Fake(lambda request: reply(request, played.role)))
        constructing.run(GENIUS, params, *steps)
    return asked


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Counter[str]]]:
    folder = tmp_path_factory.mktemp("probes")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name in ("GAMUT_STORE", "GAMUT_RUN"):
            patch.delenv(name, raising=False)
        asked = run()
    yield folder, asked


@pytest.fixture
def proposed(whole: tuple[Path, Counter[str]], monkeypatch: pytest.MonkeyPatch) -> dict[str, Row]:
    monkeypatch.chdir(whole[0])
    return {row["id"]: row for row in read_rows(path_of("genius", "v1"))}


def test_only_what_rules_cannot_read_is_checked(whole: tuple[Path, Counter[str]]) -> None:
    """20 cases are written, one of them twice. What is checked has words that the rule engine does not know, and of
    what is not checked nothing has.
    """
    asked, tables = whole[1], whole[0] / "datasets/genius/draft/v1"
    checked = [*read_rows(tables / "check_distractors")]
    assert (asked["write_distractors"], asked["check_distractor"]) == (20 + 1, len(checked)) and len(checked) < 5
    assert {row["id"] for row in checked if row["distractor"].startswith("Plainly")} == {FREE}
    assert [(row["id"], row["why"]) for row in checked if row["wrong"] != "yes"] == [(DOUBTFUL, "so")]
    written = {row["id"]: row for row in read_rows(tables / "write_distractors") if row["status"] == "ok"}
    known = {row["distractor"] for row in checked}
    for row in written.values():
        for text in row["distractors"]:
            assert may_be_right(text, row["rule_hint"], pool()) is (None if text in known else False)


def test_a_case_without_a_probe_is_proposed_all_the_same(proposed: dict[str, Row]) -> None:
    assert [row["status"] for row in proposed.values()] == ["ok"] * 20
    assert constructing.digest_of_proposal("genius") == "4dc31939ad78d3a8"
    without = {id for id, row in proposed.items() if not row["distractors"]}
    assert without == {DOUBTFUL, STUBBORN}
    assert all(len(row["distractors"].splitlines()) == 3 for id, row in proposed.items() if id not in without)
    figures = json.loads(Path("metrics/editions/genius/v1/construction.json").read_text())
    told = {name: value for name, value in figures.items() if "probe" in name}
    assert told == {"probes": 18, "without_probe.not_wrong": 1, "without_probe.parse_error": 1}


def test_items_have_the_probes_that_were_reviewed(proposed: dict[str, Row]) -> None:
    """A rewritten hint is the right option from then on; rewritten options stand in the place of those proposed."""
    constructing.reviewed(
        ROOM,
        {FREE: {"new_distractors": "Pigs fly.\nCows fly.\nDogs fly."}, "layout-00000000": {"new_rule_hint": "Sun."}},
    )
    list(freeze(ROOM, "v1", False))
    items = {str(item.id): item for item in read_edition("genius", "v1", GeniusItem)}
    assert [id for id, item in items.items() if item.probe is None] == [STUBBORN, DOUBTFUL]
    for id, item in items.items():
        if item.probe is not None:
            assert item.probe.options[LETTERS.index(item.probe.right)] == stated(item.rule_hint)
            wrong = {*item.probe.options} - {stated(item.rule_hint)}
            assert wrong == {
                *(proposed[id]["distractors"].splitlines() if id != FREE else ["Pigs fly.", "Cows fly.", "Dogs fly."])
            }
    assert items["layout-00000000"].rule_hint == "Sun."


@pytest.mark.parametrize(
    ("distractors", "why"),
    [
        ("One.\nTwo.", "2 wrong options are given, 3 are wanted"),
        ("One.\nTwo.\nTwo", "two options are the same"),
        ("One.\nTwo.\n \nThree.", "4 wrong options"),
        ("One.\nTwo.\n{hint}", "two options are the same"),
        ("One.\nTwo.\nThree.", None),
        ("", None),
    ],
)
def test_options_that_a_reviewer_cannot_mean_are_objected_to(
    proposed: dict[str, Row], distractors: str, why: str | None
) -> None:
    row = proposed[FREE]
    said = [*objections(row | {"distractors": distractors.format(hint=row["rule_hint"])}, {})]
    if why is None:
        assert said == []
    else:
        assert [one.partition(":")[0] for one in said] == [
            "new_distractors is to have three lines, each a wrong option beside the rule's hint"
        ] and why in said[0]


@pytest.mark.parametrize(
    ("hint", "distractors", "why"),
    [
        (None, "One.\nTwo.\n{turned}", "'{turned}' is not wrong: a picture that is right could show it"),
        ("One.", "Two.\nThree.\n<image:input_1>", "names <image:input_1>: options are words alone"),
        ("As in <image:input_1>.", "One.\nTwo.\nThree.", "names <image:input_1>: options are words alone"),
        ("The picture shows two cats.", "One.\nTwo.\nThe picture shows two red cats.", "is not wrong"),
        ("The picture shows two cats.", "One.\nTwo.\nThe picture shows two red dogs.", None),
    ],
)
def test_rewritten_options_are_held_against_the_rule_again(
    proposed: dict[str, Row], hint: str | None, distractors: str, why: str | None
) -> None:
    """Also those as proposed, where another hint than proposed is right now."""
    row = proposed["preferred_relation-00000000"]
    turned = turned_around(row["rule_hint"])
    own = row | {"rule_hint": hint or row["rule_hint"], "distractors": distractors.format(turned=turned)}
    said = [*objections(own, {})]
    assert len(said) == (why is not None) and (why is None or why.format(turned=turned) in said[0])


def turned_around(hint: str) -> str:
    scene = read_hint(hint, pool())
    assert scene is not None and scene.relation is not None
    turned = scene._replace(groups=scene.groups[::-1], relation=OPPOSITE[scene.relation])
    return f"The picture shows {in_words(turned, pool())}."


def test_the_right_letter_follows_from_what_is_said_and_from_nothing_else(proposed: dict[str, Row]) -> None:
    """The same row the same item. Other ids, or options, another order: of 400 each letter has 100, give or take 40."""
    plain = proposed[FREE] | {"images": []}
    plain |= dict.fromkeys(("context", "prompt", "text_hint", "multimodal_hint"), "Paint.") | {
        "consistency_hints": "[]"
    }
    assert item_of(plain) == item_of(plain)
    letters = Counter(item_of(plain | {"id": f"gravity-{n:08}"}).probe.right for n in range(400))  # type: ignore[union-attr]
    assert {*letters} == {*LETTERS} and all(60 < count < 140 for count in letters.values())


@pytest.mark.parametrize(
    ("status", "checks", "why"),
    [
        ("ok", [], None),
        ("ok", [("ok", "yes"), ("ok", "yes")], None),
        ("ok", [("ok", "yes"), ("ok", "no")], "not_wrong"),
        ("ok", [("parse_error", None), ("ok", "no")], "parse_error"),
        ("unsupported", [], "unsupported"),
    ],
)
def test_no_probe_is_made_where_somebody_doubts_it(
    status: str, checks: list[tuple[str, str | None]], why: str | None
) -> None:
    rows = [{"status": said, "wrong": wrong} for said, wrong in checks]
    assert untaken({"status": status}, rows) == why
