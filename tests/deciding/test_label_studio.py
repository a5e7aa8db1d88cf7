"""Label Studio, there and back: what a task puts, blindly, and what people say there, checked as the page checks."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image
from typer.testing import CliRunner

from gamut.asking.requests import Picture
from gamut.command.cli import app
from gamut.deciding import dataset_tasks, label_studio
from gamut.deciding.benchmark_tasks import draw_answers, label_answers, review_proposals
from gamut.deciding.cards import Card, Task, choices_of
from gamut.deciding.exports import keeper_of
from gamut.deciding.label_studio import LINE_SIZE, write_tasks
from gamut.evaluation.curating.review import digest_of
from gamut.evaluation.labelling.labels import all_labels
from gamut.evaluation.labelling.shown import ShownPart
from gamut.project.decisions import Decision, path_of, read_log
from gamut.project.errors import UserError
from stages.gir.shared.benchmark import GIR
from stages.prism.curation import CURATION
from tests import fakes
from tests.deciding.small_board import NAMES, params_of, write_board
from tests.deciding.test_exports import annotation, result
from tests.deciding.test_labelling_answers import KEY, signed
from tests.evaluation.small_pictures import png
from tests.prism.small_dataset import EDITION
from tests.prism.small_proposal import CAT, DOG, OWL, write_proposal

OUT, EXPORT = Path("out"), Path("export.json")
LOG = path_of("ann", "review.prism.v1")


def call(*arguments: str) -> str:
    outcome = CliRunner().invoke(app, list(arguments))
    assert outcome.exception is None or isinstance(outcome.exception, SystemExit), outcome.exception
    return outcome.output


def data() -> list[dict[str, Any]]:
    """The data of the tasks that were written."""
    return [one["data"] for one in json.loads((OUT / "tasks.json").read_text())]


def labelling_view() -> ElementTree.Element:
    root = ElementTree.parse(OUT / "interface.xml").getroot()
    assert root.tag == "View", "which Label Studio wants"
    return root


def controls() -> list[tuple[str, str]]:
    return [(one.tag, one.attrib["name"]) for one in labelling_view().iter() if "name" in one.attrib]


def export(said: Callable[[int, dict[str, Any]], Sequence[Any]], of: Sequence[dict[str, Any]] | None = None) -> str:
    """What Label Studio exports after somebody has annotated the tasks."""
    tasks = [
        {"id": n, "data": one, "annotations": [annotation(list(said(n, one)))]}
        for n, one in enumerate(data() if of is None else of)
    ]
    EXPORT.write_text(json.dumps(tasks))
    return str(EXPORT)


def chosen(value: str) -> Callable[[int, dict[str, Any]], Sequence[Any]]:
    return lambda n, one: [result("decision", "choices", [value])]


@pytest.fixture
def proposal(project: Path) -> Path:
    write_proposal(CAT, DOG, OWL)
    Path("params.yaml").write_text(json.dumps(fakes.values()))
    return project


def rewriting(chinese: str) -> Callable[[int, dict[str, Any]], Sequence[Any]]:
    """Accepts, but for the dog, of which the Chinese prompt is written anew."""

    def said(_: int, one: dict[str, Any]) -> Sequence[Any]:
        if one["id"] != DOG["id"]:
            return chosen("accept")(0, one)
        new = result("prompt_zh", "textarea", [chinese])
        return [result("decision", "choices", ["rewrite"]), new, result("prompt", "textarea", [one["shown_prompt"]])]

    return said


def test_a_review_goes_there_and_comes_back(proposal: Path) -> None:
    said = call("review", "prism", EDITION, "--label-studio", "out", "--reviewer", "ann")
    assert said == (
        "out/tasks.json: 3 tasks for Label Studio; its interface is interface.xml\n"
        "about 30 s if each takes 10 s. "
        "Stop when you like and go on later: `gamut freeze` waits until all are decided.\n"
    )
    before = fakes.contents(OUT)
    call("review", "prism", EDITION, "--label-studio", "out", "--reviewer", "ann")
    assert fakes.contents(OUT) == before
    assert [one["id"] for one in data()] == [card_id for card_id, _ in review_proposals(CURATION, EDITION).places]
    assert controls() == [
        ("Text", "asked"),
        ("Choices", "decision"),
        ("Text", "given"),
        ("Text", "judged"),
        ("TextArea", "prompt"),
        ("TextArea", "prompt_zh"),
        ("TextArea", "remark"),
    ]
    assert [one.attrib for one in labelling_view().iter("Choice")] == [
        {"value": "accept", "hotkey": "a"},
        {"value": "reject", "hotkey": "r"},
        {"value": "rewrite", "hotkey": "w"},
    ]
    assert f"prompt\n{CAT['prompt']}" in data()[[one["id"] for one in data()].index(CAT["id"])]["judged"]

    read = ["review", "prism", EDITION, "--person", "Ann", "--read"]
    assert call(*read, export(rewriting("no Chinese"))).startswith(
        f"export.json: {DOG['id']!r} of ann: new_prompt_zh is not Chinese"
    )
    assert not LOG.exists()
    told = f"{LOG}: 3 decisions added, 0 of them replace others; 0 were there already\n"
    assert call(*read, export(rewriting("立体派的狗"))) == told
    assert {line.id: line.model_dump(exclude_defaults=True) for line in read_log(LOG)} == {
        row["id"]: {"id": row["id"], "about": digest_of(CURATION, row), **rest}
        for row, rest in (
            (CAT, {"decision": "accept"}),
            (DOG, {"decision": "rewrite", "texts": {"prompt_zh": "立体派的狗"}}),
            (OWL, {"decision": "accept"}),
        )
    }
    assert "0 decisions added" in call(*read, str(EXPORT))


def thing(row_id: str, **more: Any) -> dict[str, Any]:
    return {"id": row_id} | more


@pytest.mark.parametrize(
    ("of", "said", "words"),
    [
        (thing("style-00000099"), "accept", "there is nothing with this id to decide, or it is gone"),
        (thing(CAT["id"], about="0" * 16), "accept", "what was shown has changed since"),
        (thing(CAT["id"], round=1), "accept", "round 1: round 0 is expected"),
        (thing(CAT["id"]), "rewrite", "nothing is rewritten: change a text, or accept"),
    ],
)
def test_what_the_page_would_refuse_is_refused(proposal: Path, of: dict[str, Any], said: str, words: str) -> None:
    found = call("review", "prism", EDITION, "--person", "ann", "--read", export(chosen(said), [of]))
    assert found.startswith(f"export.json: {of['id']!r} of ann: {words}") and found.count("\n") == 1
    assert not LOG.exists()


def test_what_does_not_say_what_was_shown_is_about_what_is_there_now(proposal: Path) -> None:
    call("review", "prism", EDITION, "--person", "ann", "--read", export(chosen("Accept"), [thing(CAT["id"])]))
    assert read_log(LOG) == [Decision(id=CAT["id"], about=digest_of(CURATION, CAT), decision="accept")]


def test_labels_are_as_blind_as_on_the_page_and_count(project: Path) -> None:
    write_board(5, signed)
    said = call("label", "gir", "--answers", "10", "--label-studio", "out", "--reviewer", "ann").splitlines()
    assert said[-2] == "out/tasks.json: 11 tasks for Label Studio; its interface is interface.xml"
    drawn, _ = draw_answers(GIR, params_of(), None, None)
    assert [(one["id"], one["round"]) for one in data()] == [*label_answers(GIR, params_of(), drawn, "ann").places]
    carried = b"".join(fakes.contents(OUT).values()).lower()
    pictures = [base64.b64decode(one["judged_1"].removeprefix("data:image/png;base64,")) for one in data()]
    for content in (carried, *pictures):
        assert [word for word in (*NAMES, "riddle0", "t2i-0", "judgments") if word.encode() in content] == []
    assert all(Image.open(io.BytesIO(one)).info == {} for one in pictures)
    told = call("label", "gir", "--person", "Bob", "--read", export(chosen("y")))
    assert told.endswith("11 decisions added, 0 of them replace others; 0 were there already\n")
    ratings = all_labels(GIR, params_of())
    assert {one.rater for one in ratings} == {"bob"} and {one.value for one in ratings} == {1.0}
    KEY.unlink()
    assert call("label", "gir", "--person", "Bob", "--read", str(EXPORT)).startswith(
        f"{KEY}: no such file: restore it from git, or draw answers with `gamut label gir`"
    )


def task_of(*cards: Card, rounds: Sequence[int] = (0,)) -> Task:
    def read(ids: Collection[str]) -> Iterator[Card]:
        return (card for card in reversed(cards) if card.id in ids)

    return Task("t", "T", [(card.id, number) for number in rounds for card in cards], read)


def picture(number: int) -> ShownPart:
    return ShownPart("", Picture(png(number)))


YES = Card("a", "d1", "Is it?", [picture(1), ShownPart("note", "b\x1b[31mc\nd"), picture(2)], choices_of(["Y", "N"]))
SHARE = Card("b", "d2", "Which share?", [], wanted="0 to 1", check=float)


def test_cards_that_differ_are_told_in_words_and_typed(project: Path) -> None:
    task = task_of(YES, SHARE, rounds=(0, 1))
    assert len(list(write_tasks(OUT, task))) == 2
    first, second, *again = data()
    assert [one["id"] for one in again] == ["a", "b"] and [one["round"] for one in again] == [1, 1]
    assert (first["asked"], second["asked"]) == ("Is it?", "Which share?")
    assert (first["wanted"], second["wanted"]) == ("Y or N", "0 to 1")
    assert first["judged"] == "[picture 1]\n\nnote\nb c\nd\n\n[picture 2]" and first.keys() == second.keys()
    for number in (1, 2):
        line = Image.open(io.BytesIO(base64.b64decode(second[f"judged_{number}"].partition(",")[2])))
        assert line.size == LINE_SIZE != Image.open(io.BytesIO(png(number))).size
    assert first["judged_1"] != first["judged_2"] and second["judged_1"] == second["judged_2"]
    assert [name for tag, name in controls() if tag == "TextArea"] == ["decision", "remark"]
    assert {one.attrib["maxHeight"] for one in labelling_view().iter("Image")} == {"45vh"}
    keep = keeper_of(task, {"a", "b"})
    assert keep(Decision(id="a", round=1, decision="y")) == Decision(id="a", round=1, about="d1", decision="Y")
    for said in ("maybe", "1 2"):
        with pytest.raises(ValueError, match=said):
            keep(Decision(id="b", decision=said))


def test_words_stand_in_the_place_of_what_is_said(project: Path) -> None:
    card = Card("a", "d", "Pass?", [], choices_of(["1", "0"], dataset_tasks.PASS_WORDS))
    list(write_tasks(OUT, task_of(card)))
    assert [one.attrib for one in labelling_view().iter("Choice")] == [
        {"value": "yes, it should pass", "alias": "1", "hotkey": "1"},
        {"value": "no, it should not", "alias": "0", "hotkey": "0"},
    ]
    keep = keeper_of(task_of(card), {"a"})
    assert [keep(Decision(id="a", decision=one)).decision for one in ("0", "no, it should not")] == ["0", "0"]


def test_what_cannot_be_written_is_said(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = Task("t", "T", [("a", 0), ("lost", 0), ("lost", 1)], task_of(YES).cards)
    assert list(write_tasks(OUT, gone))[2] == "2 tasks left out: what they are about does not exist any more"
    with pytest.raises(UserError, match="t: there is nothing that can be shown"):
        list(write_tasks(OUT, Task("t", "T", [("lost", 0)], gone.cards)))
    broken = Card("a", "d", "?", [ShownPart("", Picture(b"GIF"))])
    with pytest.raises(UserError, match="a: its picture 0 is not a picture"):
        list(write_tasks(OUT, task_of(broken)))
    monkeypatch.setattr(label_studio, "LARGEST", 10)
    with pytest.raises(UserError, match="out would be larger than 10 bytes: decide on the page"):
        list(write_tasks(OUT, task_of(YES)))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["review", "prism", "v1", "--person", "ann"], "--person and --people name who decided in --read"),
        (["review", "prism", "v1", "--read", "x.json"], "x.json: no such file"),
        (
            ["label", "prism", "--read", "x.json", "--reviewer", "ann"],
            "--reviewer names who decides on the page: with --read",
        ),
        (["label", "prism", "--people", "y.json"], "--person and --people name who decided in --read"),
        (["label", "prism", "--read", "x.json", "--share", "1"], "--read reads labels of answers drawn before"),
        (["label", "filters", "--share", "1"], "`gamut label filters` asks about rows of"),
        (["review", "dataset", "v1"], "`gamut review dataset` has no editions"),
        (["review", "prism", "v2"], "datasets/prism/proposal/v2: there is no proposal for 'v2'; known are: v1"),
        (
            ["review", "prism"],
            "name an edition of prism (stages/editions/params.yaml names none at prism.editions): `gamut",
        ),
        (["label", "filter"], "there is no benchmark 'filter'; did you mean 'filters'?"),
        (["label", "filters"], "datasets/labels/sample.csv: no such file"),
        (["review", "prism", "v1", "--read", "y.json", "--label-studio", "x"], "--label-studio writes tasks and"),
        (["review", "prism", "v1", "--reviewer", "..."], "--reviewer '...': a name of 1 to 64 letters or digits"),
    ],
)
def test_mistakes_in_a_call_are_a_line(proposal: Path, arguments: list[str], words: str) -> None:
    fakes.write_editions()
    said = call(*arguments)
    assert said.startswith(words) and said.count("\n") == 1
