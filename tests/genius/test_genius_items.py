"""Items of GENIUS: what they may have, where they count, and in which order their texts and pictures are put."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from gamut.asking.requests import Part, Picture
from gamut.asking.visiting import Answer
from gamut.evaluation.defining.pictures import describe_picture
from gamut.evaluation.running.judging import observe_answer
from gamut.evaluation.running.spec import OF_RULES, check_specs
from gamut.tables.columns import Row
from stages.genius.shared.benchmark import GENIUS
from stages.genius.shared.items import LETTER_REQUEST, PROBE_QUESTION, GeniusItem, Probe
from stages.genius.shared.judging import checks
from stages.genius.shared.prompts import FORMS, prompt, settings_of
from tests.fakes import drive
from tests.gapeval.small_items import painted
from tests.genius.small_genius import BLOCK, MADE, RULE, genius_item, pictures_given, shown

SHOWN = {"sun": painted("two red cars"), "rain": painted("three blue cars"), "city": painted("a green house")}
PICTURES = {name: Picture(data, "image/jpeg") for name, data in SHOWN.items()}


def item(**changed: Any) -> GeniusItem:
    images = [describe_picture(data, name, "input") for name, data in SHOWN.items()]
    values = {
        "id": "7",
        "task": "visual_constraint",
        "sub_task": "simple_constraint",
        "context": "The sign <image:sun> brings sun. The sign <image:rain> brings rain.",
        "prompt": "Show the city <image:city> under the first sign.",
        "rule_hint": "The city in the sun.",
        "consistency_hints": [{"hint": "The houses stay.", "reference": "city"}],
        "images": images,
    }
    return GeniusItem.model_validate(values | changed)


def test_an_item_counts_in_four_groups() -> None:
    assert item().groups == ("all", "constraint_execution", "visual_constraint", "simple_constraint")
    assert item(sub_task=None).groups == ("all", "constraint_execution", "visual_constraint")


def test_nothing_of_it_may_be_trained_on() -> None:
    assert {item().prompt, item().context, item().rule_hint} <= set(item().held_out)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"sub_task": "gravity"}, "visual_constraint has no sub-task 'gravity'"),
        ({"sub_task": "simple_constrain"}, "did you mean 'simple_constraint'"),
        ({"consistency_hints": [{"hint": "It stays.", "reference": "town"}]}, "'town', not one of its pictures"),
        ({"consistency_hints": [{"hint": " ", "reference": "city"}]}, "is blank"),
        ({"task": "crystallised"}, "implicit_pattern"),
    ],
)
def test_what_is_wrong_is_said(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        item(**changed)


def said(parts: tuple[Part, ...]) -> list[str]:
    names = {picture.data: name for name, picture in PICTURES.items()}
    return [part if isinstance(part, str) else f"[{names[part.data]}]" for part in parts]


@pytest.mark.parametrize(
    ("setting", "parts"),
    [
        (
            "edit",
            [
                "[sun]",
                "[rain]",
                "[city]",
                "The sign image 1 brings sun. The sign image 2 brings rain.\n"
                "Show the city image 3 under the first sign.",
            ],
        ),
        (
            "interleaved",
            [
                "The sign image 1 brings sun.",
                "[sun]",
                " The sign image 2 brings rain.",
                "[rain]",
                "\nShow the city image 3 under the first sign.",
                "[city]",
            ],
        ),
        (
            "fine_grained",
            [
                "The sign ",
                "[sun]",
                " brings sun. The sign ",
                "[rain]",
                " brings rain.\nShow the city ",
                "[city]",
                " under the first sign.",
            ],
        ),
    ],
)
def test_texts_and_pictures_stand_in_the_order_of_the_form(setting: str, parts: list[str]) -> None:
    made = prompt(item(), setting, PICTURES)
    assert [one.strip() for one in said(made.parts)] == [one.strip() for one in parts]
    assert made.modalities == ("image",) and set(FORMS) == {"edit", "interleaved", "fine_grained"}


ASKED = ["\nShow the city image {} under the first sign.", "[city]"]


@pytest.mark.parametrize(
    ("setting", "parts"),
    [
        ("without_context", [ASKED[0].format(1), "[city]"]),
        ("without_texts", ["[sun]", "[rain]", ASKED[0].format(3), "[city]"]),
        (
            "without_pictures",
            [
                "The sign the missing picture A brings sun. The sign the missing picture B brings rain.\n"
                "Show the city image 1 under the first sign.",
                "[city]",
            ],
        ),
        (
            "text_hints",
            [
                "The sign image 1 brings sun.", "[sun]", "The sign image 2 brings rain.", "[rain]", "Sun is meant.",
                ASKED[0].format(3), "[city]",
            ],
        ),
        (
            "multimodal_hints",
            [
                "The sign image 1 brings sun.", "[sun]", "The sign image 2 brings rain.", "[rain]",
                "image 1 is meant.", ASKED[0].format(3), "[city]",
            ],
        ),
    ],
)  # fmt: skip
def test_a_context_lacks_something_or_is_explained(setting: str, parts: list[str]) -> None:
    hints = {"text_hint": "Sun is meant.", "multimodal_hint": "<image:sun> is meant."}
    told = " ".join(one.strip() for one in said(prompt(item(**hints), setting, PICTURES).parts))
    assert told.split() == " ".join(parts).split()


SCORED = "(All satisfied: 2 score; Satisfied one sentence: 1 score; Not satisfied: 0 score)"


@pytest.mark.parametrize(
    ("rule_hint", "stays", "in_words", "beside_pictures"),
    [
        ("It shows a pear.", "", "It shows a pear.", None),
        (f"It shows a worm. {SCORED}", "", "It shows a worm.", None),
        ("It is as <image:cats>.", "", "It is as image 1.", "It is as image 1."),
        ("It is as <image:sun>.", "", "It is as the picture.", "It is as image 3.[sun]"),
        ("It is as <image:lost>.", "", "It is as the picture.", None),
        ("A pear.", "The cats stay.", "A pear.", "A pear. image 1 The cats stay."),
        ("A pear.", "What <image:cats> has stays.", "A pear.", "A pear. What image 1 has stays."),
    ],
)
def test_published_items_are_put_with_their_rules_hint(
    rule_hint: str, stays: str, in_words: str, beside_pictures: str | None
) -> None:
    """Without its scoring; a picture that is not given has no name; one of which something stays is named beside it."""
    sun = describe_picture(MADE, "sun", "reference")
    hints = [{"hint": stays, "reference": "cats"}] if stays else []
    one = genius_item(rule_hint=rule_hint, consistency_hints=hints, images=[*genius_item().images, sun])
    given, told = pictures_given() | {"sun": shown(MADE)}, dict[str, str]()
    for setting in {"text_hints", "multimodal_hints"} & {*settings_of(one)}:
        parts = prompt(one, setting, given).parts
        whole = "".join(part if isinstance(part, str) else "[sun]" * (part == given["sun"]) for part in parts)
        told[setting] = whole.split("together.")[1].removesuffix("Bring them ").strip()
    assert told.get("text_hints") == in_words and told.get("multimodal_hints") == beside_pictures


def test_an_item_is_put_with_its_own_hint_where_it_has_one() -> None:
    assert "Sun is meant." in str(prompt(genius_item(text_hint="Sun is meant."), "text_hints", pictures_given()).parts)
    assert "probe" not in settings_of(item()) and "probe" in settings_of(ITEM)


def test_hints_are_never_put_to_a_contestant() -> None:
    for setting in FORMS:
        told = " ".join(part for part in prompt(item(), setting, PICTURES).parts if isinstance(part, str))
        assert "in the sun" not in told and "houses stay" not in told


def test_a_text_that_names_no_picture_of_the_item_cannot_be_put() -> None:
    with pytest.raises(ValueError, match="'moon'"):
        prompt(item(prompt="Show <image:moon>."), "interleaved", PICTURES)


PROBE = Probe(options=("It shows a cat.", RULE, "It shows a bird.", "It shows a dog."), right="B")
ITEM = genius_item(probe=PROBE)


def ruled(*parts: Part, item: GeniusItem = ITEM) -> Row:
    record = {"id": "1", "item": "7", "setting": "probe", "sample": 0, "answer": [*parts]}

    def looked(conversations: object) -> list[Answer]:
        return [Answer(one.next([]), "rules", ()) for one in conversations]  # type: ignore[attr-defined]

    visit = observe_answer(record, checks(item, "probe"), pictures_given(), GENIUS.measures)
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
        ("The answer is B.", 1, "B"),
        ("B, because the sun stands for cats.", 1, "B"),
        (RULE, 1, "B"),
        ("It is not A, so it has to be D.", 0, "D"),
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
        ("A B C D",),
        ("not B",),
        ("It shows a horse.",),
        (),
    ],
)
def test_what_chooses_none_is_a_status_and_no_score(parts: tuple[str, ...]) -> None:
    row = ruled(*parts)
    assert (row["status"], row["value"]) == ("parse_error", None) and "none of the options" in row["reason"]


def test_pictures_in_an_answer_are_passed_over() -> None:
    assert ruled("B", pictures_given()["cats"])["value"] == 1


def test_it_is_put_with_its_whole_context_in_the_place_of_a_picture() -> None:
    found = prompt(ITEM, "probe", pictures_given())
    shown = [part if isinstance(part, str) else "[picture]" for part in found.parts]
    assert shown[:3] == ["What is in image 1 and image 2 goes together.", "[picture]", "[picture]"]
    assert (
        shown[3].split("\n")[1:3] == ["Bring them together.", PROBE_QUESTION]
        and shown[3].split("\n")[-1] == LETTER_REQUEST
    )
    assert f"B) {RULE}" in shown[3] and len(shown) == 4
    assert found.modalities == ("text",) and found.tasks == {"understanding"}
    assert [part for part in found.parts if isinstance(part, Picture)] == [*pictures_given().values()]


def test_it_is_put_where_an_item_has_one_and_nobody_else_is_asked() -> None:
    assert "probe" in settings_of(ITEM) and "probe" not in settings_of(genius_item())
    with pytest.raises(ValueError, match="item '7' has no probe"):
        prompt(genius_item(), "probe", pictures_given())
    assert GENIUS.questions_to_ask(BLOCK, ITEM, "probe") == [] == [*checks(ITEM, "interleaved")]
    assert GENIUS.expected(BLOCK, ITEM, "probe", 3) == {"chosen": 1}
    assert "chosen" not in GENIUS.expected(BLOCK, ITEM, "interleaved", 3)
    assert GENIUS.misfit(ITEM, ["interleaved", "probe"], BLOCK) is None
    unknown = ITEM.model_copy(
        update={"probe": PROBE.model_copy(update={"options": ("<image:dog>", *PROBE.options[1:])})}
    )
    assert "'dog'" in (GENIUS.misfit(unknown, ["probe"], BLOCK) or "")


def test_another_right_letter_or_option_is_another_spec() -> None:
    """A value that a rule made of other options is not told from memory."""
    others = [{"right": "A"}, {"options": (*PROBE.options[:3], "It shows a worm.")}]
    items = [ITEM, *(ITEM.model_copy(update={"probe": PROBE.model_copy(update=one)}) for one in others)]
    specs = {check_specs(checks(item, "probe"), item, OF_RULES, "0badcafe")["chosen", 0] for item in items}
    assert len(specs) == 3


def test_options_may_not_be_trained_on() -> None:
    assert {*PROBE.options} <= {*ITEM.held_out}
