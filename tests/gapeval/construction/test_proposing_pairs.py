"""From pools to a proposal and its items: the embedded world paints, counts and writes edits."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from gamut.asking.models import opening
from gamut.asking.models.world import sandbox
from gamut.asking.requests import Chat, Detect, Paint, Reply, Request
from gamut.evaluation.construction.proposals import path_of
from gamut.evaluation.construction.slots import unpack_case
from gamut.evaluation.curating.freeze import freeze_proposal
from gamut.evaluation.defining.editions import read_edition
from gamut.evaluation.defining.pictures import pictures_of
from gamut.project.errors import UserError
from gamut.project.roles import RoleModel
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows
from stages.gapeval.construction.parameters import Params
from stages.gapeval.construction.propose import objections
from stages.gapeval.construction.steps import GAPEVAL
from stages.gapeval.curation import CURATION
from stages.gapeval.shared.items import GapItem
from tests import constructing, fakes
from tests import embedded_world as world
from tests.fakes import Fake
from tests.gapeval.small_items import DRAFTS, POOLS, PROPOSE
from tests.paths import ROOT

NONE = dict.fromkeys(DRAFTS, 0)
ASKED = {"Paint": 2 + 2 + 2 + 2, "Detect": 2 + 2, "write_edit": 2, "Create": 2}
"""First pictures of all cases and references of numbers; both counted; edits written and made."""
Answer = Callable[[Request, str], Reply]


def by_the_world(request: Request, role: str) -> Reply:
    return sandbox.answer(request, {}, role)


def run(answer: Answer = by_the_world, *steps: str, **changes: Any) -> Counter[str]:
    shutil.copytree(ROOT / POOLS, POOLS, dirs_exist_ok=True)
    asked: Counter[str] = Counter()

    def opened(role_model: RoleModel, *_: object) -> Fake:
        def reply(request: Request) -> Reply:
            asked[request.name if isinstance(request, Chat) else type(request).__name__] += 1
            return answer(request, role_model.role)

        return Fake(reply)

    params = fakes.proposing(Params, PROPOSE | changes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opening, "open_model", opened)
        constructing.run(GAPEVAL, params, *steps)
    return asked


def rows(folder: Path = Path()) -> dict[str, Row]:
    return {row["id"]: row for row in read_rows(folder / path_of("gapeval", "v1"))}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Counter[str]]]:
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        asked = run()
    yield folder, asked


def named(row: Row) -> dict[str, bytes]:
    return {one["name"]: one["image"]["bytes"] for one in row["images"]}


def test_every_category_has_its_cases(whole: tuple[Path, Counter[str]]) -> None:
    assert whole[1] == ASKED
    assert constructing.digest_of_proposal("gapeval", whole[0]) == "a50f399463ee0f5f"
    found = rows(whole[0])
    assert {row["status"] for row in found.values()} == {"ok"}
    assert Counter(row["category"] for row in found.values()) == DRAFTS
    figures = json.loads((whole[0] / "metrics/editions/gapeval/v1/construction.json").read_text())
    assert (figures["slots"], figures["items"], figures["references_right"]) == (13, 13, 100)
    assert figures["items.instruction_following.implicit"] == 1
    items = {item.id: item for item in CURATION.items([constructing.with_pictures(row) for row in found.values()])}
    thing = items["world_knowledge-00000000"]
    assert (thing.subcategory, thing.question, thing.reference_text) == (
        *("animals", "Name a flying mammal that hangs upside down in caves by day and hunts by echoes at night."),
        "A bat.",
    )
    assert [one.name for one in thing.images] == ["reference_1"]
    for name in ("numerical-00000000", "instruction_following-00000001"):
        assert [one.name for one in items[name].images] == ["question_1", "reference_1"]


def test_what_is_right_is_right_by_the_judge(whole: tuple[Path, Counter[str]]) -> None:
    """References stand their own judge, and pictures that were given do not."""
    for row in rows(whole[0]).values():
        pictures = named(row)
        blocks: dict[str, Any] = {"reference_text": [row["reference_text"]]}
        blocks |= {"reference_picture": [pictures["reference_1"]]}
        if given := [data for name, data in pictures.items() if name.startswith("question")]:
            blocks["question_picture"] = given

        def score(side: str, answered: str | bytes, row: Row = row, blocks: Any = blocks) -> object:
            from gamut.world.judge import answer

            return answer(f"{row['category']}_{side}", {}, [], 0, blocks | {"answer": [answered]})["score"]

        assert score("und", row["reference_text"]) == score("gen", pictures["reference_1"]) == 1
        if "question_1" in pictures:
            assert score("gen", pictures["question_1"]) == 0


def test_prompts_are_rewritten_to_what_is_there(project: Path) -> None:
    def one_more(request: Request, role: str) -> Reply:
        """A painter that paints one thing more of the first kind, and, where none is to be there, a third kind."""
        if isinstance(request, Detect):
            found = orjson.loads(by_the_world(request, role).content)
            return Reply(orjson.dumps([*found, [request.labels[0], 1.0, [1, 1, 2, 2]]]))
        return by_the_world(request, role)

    run(one_more, "list_cases", "show_cases", "count_things", drafts=NONE | {"numerical": 8})
    table = {row["id"]: row for row in read_rows(Path("datasets/gapeval/draft/v1/count_things"))}
    listed = {row["id"]: row for row in read_rows(Path("datasets/gapeval/draft/v1/list_cases"))}
    for name, row in table.items():
        (one, first), (other, second) = unpack_case(listed[name])["proof"]["pair"]
        if first + 1 == second or first + 1 > 5:
            assert row["status"] == "unusable" and one in row["reason"]
        else:
            assert unpack_case(row)["proof"]["pair"] == [[one, first + 1], [other, second]]
    assert {row["status"] for row in table.values()} == {"ok", "unusable"}


def test_a_reference_that_shows_other_numbers_is_left_out_and_told(project: Path) -> None:
    def unsure(request: Request, role: str) -> Reply:
        """A painter that paints what it likes where more than a first picture is wanted."""
        if isinstance(request, Paint) and (request.prompt, request.seed) not in first:
            if len(first) < 1:
                first.add((request.prompt, request.seed))
            else:
                return Reply(world.picture("A red cat.", request.seed % 99))
        return by_the_world(request, role)

    first: set[tuple[str, int]] = set()
    run(unsure, drafts=NONE | {"numerical": 1})
    [row] = rows().values()
    assert row["status"] == "ok" and list(named(row)) == ["question_1"]
    assert row["remarks"].startswith("without a reference picture, as what was painted shows: ")
    figures = json.loads(Path("metrics/editions/gapeval/v1/construction.json").read_text())
    assert figures["references_right"] == 0


def test_a_persons_pictures_stand_before_what_is_painted(project: Path) -> None:
    folder = Path("datasets/gapeval/pictures/v1")
    folder.mkdir(parents=True)
    prompts = {"scene": "Three red ducks to the left of two blue cars.", "bat": "A black bat.", "other": "Two cats."}
    for name, prompt in prompts.items():
        (folder / f"{name}.jpg").write_bytes(world.picture(prompt))
    lines = [
        "slot,name,file,origin,licence",
        "world_knowledge-00000000,reference_1,bat.jpg,a walk,CC0",
        "instruction_following-00000000,question_1,scene.jpg,a walk,CC0",
        "numerical-00000000,reference_1,other.jpg,a walk,CC0",
    ]
    (folder / "pictures.csv").write_text("\n".join([*lines, ""]))
    run(drafts=dict.fromkeys(DRAFTS, 1))
    found = rows()
    assert named(found["world_knowledge-00000000"])["reference_1"] == (folder / "bat.jpg").read_bytes()
    assert named(found["instruction_following-00000000"])["question_1"] == (folder / "scene.jpg").read_bytes()
    assert "ducks" in found["instruction_following-00000000"]["reference_text"]
    assert named(found["numerical-00000000"])["reference_1"] == (folder / "other.jpg").read_bytes()  # it is believed
    origins = {one["origin"] for row in found.values() for one in row["images"]}
    assert "a walk; licence: CC0" in origins


def test_too_few_entities_are_told(project: Path) -> None:
    with pytest.raises(UserError, match=r"60 are expected, but .*knowledge.yaml has 51: add some there"):
        run(by_the_world, "list_cases", drafts=DRAFTS | {"world_knowledge": 60})


def test_a_rewrite_that_names_the_entity_is_refused() -> None:
    own = {"question": "Name a bat.", "prompt": "Generate an image of it.", "case": '{"proof":{"entity":"a bat"}}'}
    assert list(objections(own, {})) == ["new_question: it holds 'bat', which is a word of the entity's name"]
    assert not list(objections(own | {"case": '{"proof":["B"],"drawn":true}'}, {}))


@pytest.fixture
def built(whole: tuple[Path, Counter[str]], project: Path) -> Path:
    shutil.copytree(whole[0], project, dirs_exist_ok=True)
    return project


def test_a_review_becomes_an_edition(built: Path) -> None:
    constructing.reviewed(CURATION, {"world_knowledge-00000000": {"question": "Who sleeps upside down?"}})
    list(freeze_proposal(CURATION, "v1", allow_unreviewed=False))
    items = {item.id: item for item in read_edition("gapeval", "v1", GapItem)}
    assert Counter(item.category for item in items.values()) == DRAFTS
    thing = items["world_knowledge-00000000"]
    assert (thing.question, thing.reference_text) == ("Who sleeps upside down?", "A bat.")
    assert thing.prompt.startswith("Generate an image of a flying mammal")
    assert {picture.sha256 for item in items.values() for picture in item.images} <= pictures_of("gapeval", "v1").keys()


def test_a_rewrite_that_tells_is_refused(built: Path) -> None:
    constructing.reviewed(CURATION, {"world_knowledge-00000000": {"prompt": "Generate an image of a bat."}})
    with pytest.raises(UserError, match="new_prompt: it holds 'bat', which is a word of the entity's name"):
        list(freeze_proposal(CURATION, "v1", allow_unreviewed=False))
