"""Probes are put whole, answered in words, and scored by rule; what chooses nothing has a status and no score."""

from __future__ import annotations

import pytest

from stages.asking.requests import Part, Picture
from stages.asking.visiting import Answer
from stages.evaluation.running.observing import observed
from stages.evaluation.running.spec import OF_RULES, of_seen
from stages.genius.shared.benchmark import GENIUS
from stages.genius.shared.items import ASKS, CHOOSE, GeniusItem, Probe
from stages.genius.shared.judging import sightings
from stages.genius.shared.putting import put, sides_of
from stages.tables.columns import Row
from tests.fakes import drive
from tests.genius.small_genius import RULE, genius_item, pictures_given
from tests.genius.small_record import BLOCK

PROBE = Probe(options=("It shows a cat.", RULE, "It shows a bird.", "It shows a dog."), right="B")
ITEM = genius_item(probe=PROBE)


def ruled(*parts: Part, item: GeniusItem = ITEM) -> Row:
    """What the rule says of an answer."""
    record = {"id": "1", "item": "7", "side": "probe", "sample": 0, "answer": [*parts]}

    def looked(conversations: object) -> list[Answer]:
        return [Answer(one.next([]), "rules", ()) for one in conversations]  # type: ignore[attr-defined]

    visit = observed(record, sightings(item, "probe"), pictures_given(), GENIUS.measures)
    _, [row] = drive(visit, looked)
    assert row["question"] == "chosen"
    return row


@pytest.mark.parametrize(
    ("said", "value", "note"),
    [
        ("B", 1, "B"),
        ("(b).", 1, "B"),
        ("**B**", 1, "B"),
        (f"B) {RULE}", 1, "B"),
        ("A", 0, "A"),
        ("d)", 0, "D"),
        ("C:", 0, "C"),
    ],
)
def test_the_letter_that_is_chosen_is_right_or_not(said: str, value: float, note: str) -> None:
    row = ruled(said)
    assert (row["status"], row["value"], row["note"]) == ("ok", value, note)


@pytest.mark.parametrize(
    "parts",
    [
        ("",),
        ("E",),
        ("CD",),
        ("A or B",),
        ("B) It shows a cat.",),
        ("not B",),
        ("The answer is B.",),
        ("A", "B"),
        (RULE,),
        (),
    ],
)
def test_what_chooses_none_is_a_status_and_no_score(parts: tuple[str, ...]) -> None:
    row = ruled(*parts)
    assert (row["status"], row["value"]) == ("parse_error", None) and "letter" in row["reason"]


def test_pictures_in_an_answer_are_passed_over() -> None:
    assert ruled("B", pictures_given()["cats"])["value"] == 1


def test_it_is_put_with_its_whole_context_in_the_place_of_a_picture() -> None:
    found = put(ITEM, "probe", pictures_given())
    shown = [part if isinstance(part, str) else "[picture]" for part in found.parts]
    assert shown[:3] == ["What is in image 1 and image 2 goes together.", "[picture]", "[picture]"]
    assert shown[3].split("\n")[1:3] == ["Bring them together.", ASKS] and shown[3].split("\n")[-1] == CHOOSE
    assert f"B) {RULE}" in shown[3] and len(shown) == 4
    assert found.modalities == ("text",) and found.tasks == {"understanding"}
    assert [part for part in found.parts if isinstance(part, Picture)] == [*pictures_given().values()]


def test_it_is_put_where_an_item_has_one_and_nobody_else_is_asked() -> None:
    assert "probe" in sides_of(ITEM) and "probe" not in sides_of(genius_item())
    with pytest.raises(ValueError, match="item '7' has no probe"):
        put(genius_item(), "probe", pictures_given())
    assert GENIUS.asked(BLOCK, ITEM, "probe") == [] == [*sightings(ITEM, "interleaved")]
    assert GENIUS.expected(ITEM, "probe", 3) == {"chosen": 1}
    assert "chosen" not in GENIUS.expected(ITEM, "interleaved", 3)
    assert GENIUS.misfit(ITEM, ["interleaved", "probe"]) is None
    unknown = ITEM.model_copy(
        update={"probe": PROBE.model_copy(update={"options": ("<image:dog>", *PROBE.options[1:])})}
    )
    assert "'dog'" in (GENIUS.misfit(unknown, ["probe"]) or "")


def test_another_right_letter_or_option_is_another_spec() -> None:
    """A value that a rule made of other options is not told from memory."""
    others = [{"right": "A"}, {"options": (*PROBE.options[:3], "It shows a worm.")}]
    items = [ITEM, *(ITEM.model_copy(update={"probe": PROBE.model_copy(update=one)}) for one in others)]
    specs = {of_seen(sightings(item, "probe"), item, OF_RULES)["chosen", 0] for item in items}
    assert len(specs) == 3


def test_nothing_of_it_may_be_trained_on() -> None:
    assert {*PROBE.options} <= {*ITEM.held_out}
