"""From taxonomies to a proposal, its review and an edition: what is asked, what fails where, and what comes out."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gamut.asking.material import read_enclosures
from gamut.asking.requests import Chat, Create, Picture
from gamut.evaluation.construction.own_pictures import read_own_pictures
from gamut.evaluation.construction.proposals import path_of
from gamut.evaluation.curating.freeze import freeze_proposal
from gamut.evaluation.defining.editions import read_edition
from gamut.project.errors import UserError
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows
from stages.aegis.construction import checklists as checking
from stages.aegis.construction.checklists import refined_checklist
from stages.aegis.construction.parameters import read_taxonomy
from stages.aegis.construction.steps import AEGIS
from stages.aegis.construction.tasks import choose_attempts
from stages.aegis.curation import CURATION
from stages.aegis.shared.items import TASKS, AegisItem
from tests import constructing
from tests.aegis.small_author import PROPOSE, Author, params_of
from tests.fakes import contents, jpeg
from tests.paths import ROOT

ASKED = {"draft_task": 16, "add_reasoning": 8, "Paint": 4, "Create": 8, "extract_keywords": 8, "write_checklist": 8}
"""Of two topics and four tasks: two attempts each, four of the eight with a picture."""
EDIT = "biology-editing-00000000"


def begin(folder: Path) -> None:
    path = folder / PROPOSE["taxonomy"]
    path.parent.mkdir(parents=True)
    shutil.copy(ROOT / PROPOSE["taxonomy"], path)


def rows(step: str) -> dict[str, Row]:
    [table] = Path("datasets/aegis").glob(f"*/v1/{step}")
    return {row["id"]: row for row in read_rows(table)}


def made() -> dict[str, bytes]:
    return contents(Path("datasets")) | contents(Path("metrics"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Author]]:
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        begin(folder)
        author = Author(patch)
        constructing.run(AEGIS, params_of())
    yield folder, author


@pytest.fixture
def built(whole: tuple[Path, Author], project: Path) -> Path:
    shutil.copytree(whole[0], project, dirs_exist_ok=True)
    return project


def named(author: Author, name: str) -> list[Chat]:
    return [request for request in author.requests if isinstance(request, Chat) and request.name == name]


def test_every_slot_becomes_an_item(whole: tuple[Path, Author], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(whole[0])
    assert whole[1].asked == ASKED
    found = {row["id"]: row for row in read_rows(path_of("aegis", "v1"))}
    assert Counter(row["status"] for row in found.values()) == {"ok": 8}
    assert constructing.digest_of_proposal("aegis") == "af14628dce76d152"
    edit = found[EDIT]
    assert edit["prompt"] == f"Guess ({edit['reasoning']}): {edit['clear_prompt']}"
    assert edit["clear_prompt"].endswith("in <image1>") and edit["reference"] == ""
    assert edit["keywords"].splitlines()[1] == "1 pictures"
    assert edit["checklist"].splitlines()[1:] == [
        "[Image] Does the answer show 1 pictures? | 1 pictures",
        f"[Image, N is right] Does the answer incorrectly claim that it rains? | {edit['keywords'].splitlines()[0]}",
    ]
    assert [line.split(":")[0] for line in edit["remarks"].splitlines()] == ["removed, as it is asked before"] * 2
    assert [(image["name"], image["role"]) for image in edit["images"]] == [
        ("input_1", "input"),
        ("reference_1", "reference"),
    ]
    origins = [image["origin"] for image in edit["images"]]
    said = f"painted by gamut-sandbox: {edit['clear_prompt'].split()[1]} foxes", "made by gamut-sandbox"
    assert origins == [f"{one}; licence: made for this edition" for one in said]
    both = found["food-interleaved-00000000"]
    assert (both["reference"], len(both["images"])) == ("First this:\n<image1>\nThen this.", 1)
    assert found["food-understanding-00000000"]["reference"] == "What image 1 shows is a fox."


def test_checklists_are_counted(whole: tuple[Path, Author]) -> None:
    """Of each item two questions about each of two keywords and one more; one a keyword is asked before."""
    found = json.loads((whole[0] / "metrics/editions/aegis/v1/checklists.json").read_text())
    assert found == {
        "items": 8,
        "questions.written": 40,
        "questions.inverted": 8,
        "questions.removed.asked_before": 16,
        "keywords.wanted": 16,
        "keywords.covered": 16,
    }


def test_what_is_shown_to_whom(whole: tuple[Path, Author]) -> None:
    created = [request for request in whole[1].requests if isinstance(request, Create)]
    sizes = {request.modalities: (request.width, request.height) for request in created}
    assert sizes == {("text",): (0, 0), ("image",): (96, 64), ("text", "image"): (96, 64)}
    shown = [sum(isinstance(part, Picture) for part in request.parts) for request in created]
    assert shown == [1, 0, 1, 0] * 2  # understanding, generation, editing, interleaved
    blocks = [read_enclosures(request) for request in named(whole[1], "write_checklist")]
    inputs, references = (
        [sum(isinstance(part, Picture) for part in of[name]) for of in blocks] for name in ("input", "reference")
    )
    assert (inputs, references) == ([1, 0, 1, 0] * 2, [0, 1, 1, 1] * 2)


def test_figures_stand_beside_the_papers(whole: tuple[Path, Author]) -> None:
    figures = json.loads((whole[0] / "metrics/editions/aegis/v1/construction.json").read_text())
    assert (figures["slots"], figures["items"]) == (8, 8)
    assert {name: value for name, value in figures.items() if name.startswith("items.")} == {
        f"items.{topic}.{task}": 1 for topic in ("biology", "food") for task in TASKS
    }
    # two keywords, asked about twice each, and one more question: two of five are removed
    assert (figures["questions.of_an_item"], figures["questions.removed"], figures["questions.removed.paper"]) == (
        3,
        40,
        20,
    )
    assert (figures["questions.inverted"], figures["keywords.covered"]) == (8, 100)
    shares = [value for name, value in figures.items() if name.startswith("reasoning.") and not name.endswith(".paper")]
    assert len(shares) == 7 and sum(shares) == pytest.approx(100)
    assert (figures["reasoning.logical.paper"], figures["reasoning.none.paper"]) == (36.3, 3.6)


def test_another_instruction_asks_its_stage_and_what_follows_alone(
    built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    author, first = Author(monkeypatch, write_checklist=lambda fields: {"questions": [question(fields)]}), made()
    monkeypatch.setattr(checking, "WRITE_CHECKLIST", replace(checking.WRITE_CHECKLIST, instruction="Ask one thing."))
    constructing.run(AEGIS, params_of())
    assert author.asked == {"write_checklist": 8}
    changed = {name for name, content in made().items() if content != first[name]}
    tables = {name.rpartition("/")[0] for name in changed if name.endswith(".parquet")}
    assert tables == {"aegis/checklists/v1/check", "aegis/checklists/v1/refine", "aegis/proposal/v1"}
    assert {name for name in changed if name.startswith("editions/aegis/v1/")} == {
        "editions/aegis/v1/checklists.json",
        "editions/aegis/v1/construction.json",
    }


def question(fields: Any) -> dict[str, Any]:
    about = "text" if fields["task"] == "understanding" else "image"
    return {"question": "Is it so?", "about": about, "keyword": fields["keywords"].splitlines()[0], "inverted": False}


def failing(project: Path, monkeypatch: pytest.MonkeyPatch, **replies: Any) -> tuple[Author, dict[str, Row]]:
    begin(project)
    author = Author(monkeypatch, **replies)
    constructing.run(AEGIS, params_of(topics=["biology"], attempts=1, max_failures=0.9))
    return author, {row["id"].split("-")[1]: row for row in read_rows(path_of("aegis", "v1"))}


def test_what_fails_keeps_its_reason_and_is_not_asked_about_again(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    author, found = failing(
        project,
        monkeypatch,
        draft_task=lambda fields: {
            "clear_prompt": f"{fields['task']} <image1>",
            "pictures": ["a fox"] * (fields["task"] != "generation"),
        },
        add_reasoning=lambda fields: {
            "prompt": fields["clear_prompt"] + " and <image2>" * ("editing" in fields["clear_prompt"])
        },
        extract_keywords=lambda fields: {"keywords": [" "] if "interleaved" in fields["clear_prompt"] else ["a fox"]},
    )
    assert {task: (row["status"], row["reason"]) for task, row in found.items()} == {
        "understanding": ("ok", None),
        "generation": ("parse_error", "attempt 1: it names the picture <image1>, which is not given"),
        "editing": ("parse_error", "it names the picture <image2>, which is not given"),
        "interleaved": ("parse_error", "expected a list of texts, none of them blank"),
    }
    # of four drafts one is asked for again; of three prompts, pictures, answers and keywords one of the first and last
    assert author.asked == {
        "draft_task": 5,
        "add_reasoning": 4,
        "Paint": 3,
        "Create": 3,
        "extract_keywords": 4,
        "write_checklist": 2,
    }
    figures = json.loads(Path("metrics/editions/aegis/v1/construction.json").read_text())
    assert (figures["slots"], figures["items"], figures["left_out.parse_error"]) == (4, 1, 3)


@pytest.mark.parametrize(
    ("task", "clear_prompt", "pictures", "said"),
    [
        ("editing", "Paint it red.", [], "an edit needs a picture"),
        ("generation", "A fox.", ["a fox"], "it does not name the picture <image1>"),
        ("understanding", "<image1> or <image 2>?", ["a fox"], "it names the picture <image2>, which is not given"),
        ("understanding", "<image1>?", [" "], "nothing may be blank"),
        ("understanding", "".join(f"<image{n}>" for n in range(1, 8)), ["a fox"] * 7, "6 pictures are enough"),
        ("understanding", "Is <image1> like <image 2>?", ["a fox", "a dog"], None),
    ],
)
def test_a_draft_names_what_it_shows(task: str, clear_prompt: str, pictures: list[str], said: str | None) -> None:
    from stages.aegis.construction.tasks import Drafted
    from stages.aegis.construction.tasks import objection_to_draft as objection

    found = objection(Drafted(clear_prompt=clear_prompt, pictures=pictures), {"task": task})
    assert found is None if said is None else found is not None and found.startswith(said)


def test_a_checklist_is_tied_to_keywords_and_asks_about_what_is_there() -> None:
    def said(about: str, keyword: str, question: str = "Is it?") -> str | None:
        one = {"question": question, "about": about, "keyword": keyword, "inverted": False}
        reply = checking.WRITE_CHECKLIST.reply.model_validate({"questions": [one]})
        return checking.WRITE_CHECKLIST.check(reply, {"task": "generation", "keywords": "a fox\na dog"})

    assert said("image", "a dog") is None
    assert said("image", "a god") == "questions.0: 'a god' is no keyword; did you mean 'a fox'?"
    assert said("text", "a dog") == "questions.0: a question of this task is about image, not text"
    assert said("image", "a dog", " ") == "questions.0: it is blank"


def own(*lines: str) -> None:
    folder = Path("datasets/aegis/pictures/v1")
    (folder / "biology").mkdir(parents=True)
    (folder / "biology/fox.jpg").write_bytes(jpeg("green", (80, 80)))
    (folder / "pictures.csv").write_text("\n".join(["slot,name,file,origin,licence", *lines, ""]))


def test_a_persons_pictures_stand_before_what_models_make(
    built: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    author, source = Author(monkeypatch), "biology/fox.jpg,a walk in May,CC0"
    own(f"{EDIT},input_1,{source}", f"{EDIT},reference_1,{source}", f"{EDIT},reference_2,{source}")
    constructing.run(AEGIS, params_of())
    images = rows("picture")[EDIT]["images"] + rows("refer")[EDIT]["images"]
    assert [image["origin"] for image in images] == ["a walk in May; licence: CC0"] * 2
    assert {image["image"]["bytes"] for image in images} == {jpeg("green", (80, 80))}
    # nothing is painted or answered anew; keywords and checklist follow the new reference
    assert author.asked == {"extract_keywords": 1, "write_checklist": 1}
    assert f"your own picture {EDIT}: reference_2 is not used: no item has it" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (f"{EDIT},input_1,biology/fox.jpg,a walk,", "each of slot, name, file, origin, licence needs a value"),
        (
            f"{EDIT},input_1,biology/dog.jpg,a walk,CC0",
            "'biology/dog.jpg' is not a file below datasets/aegis/pictures/v1",
        ),
        (f"{EDIT},input_1,../../../../params.yaml,a walk,CC0", "is not a file below"),
    ],
)
def test_a_persons_picture_that_cannot_be_used_is_named_with_its_line(project: Path, line: str, said: str) -> None:
    Path("params.yaml").write_text("seed: 0")
    own(line)
    with pytest.raises(UserError, match=r"pictures\.csv, line 2: ") as error:
        read_own_pictures(PROPOSE["pictures"], "v1", "input")
    assert said in str(error.value)


def test_a_review_becomes_an_edition(built: Path) -> None:
    checklist = "[Text] Does the text name a wolf? | a wolf\r\n\r\n[text, n is right] Does it name a fox?"
    revised = {"reference": "A wolf.", "keywords": "a wolf", "checklist": checklist}
    rewritten = {"biology-understanding-00000000": revised}
    constructing.reviewed(CURATION, rewritten, rejected=["biology-generation-00000000"])
    list(freeze_proposal(CURATION, "v1", allow_unreviewed=False))
    items = {item.id: item for item in read_edition("aegis", "v1", AegisItem)}
    assert list(items) == [
        f"{topic}/{task}/0"
        for topic in ("biology", "food")
        for task in TASKS
        if (topic, task) != ("biology", "generation")
    ]
    wolf = items["biology/understanding/0"]
    assert (wolf.reference, wolf.keywords, wolf.texts) == ("A wolf.", ("a wolf",), (wolf.clear_prompt, "A wolf."))
    assert [(one.line, one.inverted, one.keyword) for one in wolf.checklist] == [
        ("[Text] Does the text name a wolf?", False, "a wolf"),
        ("[Text] Does it name a fox?", True, None),
    ]
    assert [(image.name, image.role) for image in items["food/editing/0"].images] == [
        ("input_1", "input"),
        ("reference_1", "reference"),
    ]
    assert items["food/editing/0"].texts == (items["food/editing/0"].clear_prompt,)


@pytest.mark.parametrize(
    ("rewrite", "said"),
    [
        ({"reference": "A wolf."}, "new_reference: give new_keywords and new_checklist too"),
        ({"prompt": "What is it?"}, "new_prompt: it does not name the picture <image1>"),
        ({"clear_prompt": "Is <image1> in <image2>?"}, "new_clear_prompt: it names the picture <image2>"),
        ({"checklist": "Is it a wolf?"}, "new_checklist: line 1: 'Is it a wolf?' does not look like `[Image] "),
        (
            {"checklist": "[Image] Is it a wolf?"},
            "new_checklist: answers to understanding have nothing for [Image]",
        ),
        ({"checklist": "[Text] Is it a wolf? | a fox"}, "new_checklist: 'a fox' is not one of the keywords"),
    ],
)
def test_a_rewrite_that_cannot_be_an_item_is_refused(built: Path, rewrite: dict[str, str], said: str) -> None:
    constructing.reviewed(CURATION, {"biology-understanding-00000000": rewrite})
    with pytest.raises(UserError) as error:
        list(freeze_proposal(CURATION, "v1", allow_unreviewed=False))
    assert str(error.value).startswith(f"'biology-understanding-00000000': {said}")


def test_taxonomies_are_those_of_items(project: Path) -> None:
    begin(project)
    taxonomy = read_taxonomy(PROPOSE["taxonomy"])
    assert sum(taxonomy.shares.values()) == pytest.approx(100) and len(set(taxonomy.directions)) >= 10
    path = Path(PROPOSE["taxonomy"])
    path.write_text(path.read_text().replace("  biology:", "  bilogy:"))
    with pytest.raises(UserError, match=r"topics: 'b\w+' is missing, or is a name that items cannot have"):
        read_taxonomy(PROPOSE["taxonomy"])


def test_an_author_has_to_be_able() -> None:
    with pytest.raises(UserError, match=r"aegis\.author: no model 'wrld'; did you mean 'world'\?"):
        params_of(author="wrld")


FOX = "a fox"


def attempts(slot: str, *texts: str | None) -> list[Row]:
    return [
        {
            "id": slot,
            "said": text,
            "status": "parse_error" if text is None else "ok",
            "reason": None if text else "no text",
        }
        for text in texts
    ]


def found(seed: int = 0, **texts: tuple[str | None, ...]) -> dict[str, tuple[str, str | None, str | None]]:
    slots = {slot: attempts(slot, *of) for slot, of in texts.items()}
    return {row["id"]: (row["status"], row["said"], row["reason"]) for row in choose_attempts(slots, "said", 0.9, seed)}


def test_the_first_attempt_that_is_unlike_all_chosen_before() -> None:
    assert found(one=(FOX, "a dog"), two=("a cat", FOX)) == {"one": ("ok", FOX, None), "two": ("ok", "a cat", None)}
    assert found(one=(None, "a dog")) == {"one": ("ok", "a dog", None)}


def test_whose_turn_it_is_is_drawn() -> None:
    outcomes = {found(seed, one=(FOX, "a dog"), two=("A fox!", "a cat"))["one"][1] for seed in range(20)}
    assert outcomes == {FOX, "a dog"}


def test_a_slot_without_a_choice_says_why() -> None:
    assert found(one=(None, None))["one"][::2] == ("parse_error", "attempt 1: no text; attempt 2: no text")
    outcomes = {found(seed, one=(FOX,), two=(None, "A fox."))["two"][::2] for seed in range(20)}
    assert outcomes == {("ok", None), ("near_duplicate", "attempt 1: no text; attempt 2: resembles one")}


def test_a_refined_checklist() -> None:
    asked = [
        ("Is the car red?", "image", "car", False),
        ("is a car red?", "image", "car", False),
        ("Is the car red?", "text", "car", False),
        ("Does the image incorrectly show a dog?", "image", "no dog", True),
        ("Is the sky blue?", "image", "sky", False),
    ]
    questions = [dict(zip(("question", "about", "keyword", "inverted"), one, strict=True)) for one in asked]
    assert refined_checklist(["car", "no dog", "sky", "sun"], questions) == {
        "checklist": "[Image] Is the car red? | car\n"
        "[Text] Is the car red? | car\n"
        "[Image, N is right] Does the image incorrectly show a dog? | no dog\n"
        "[Image] Is the sky blue? | sky",
        "remarks": "no question is about 'sun'\nremoved, as it is asked before: [Image] is a car red? | car",
        "written": 5,
        "removed": 1,
        "inverted": 1,
        "keywords_wanted": 4,
        "keywords_covered": 3,
    }
