"""Setting post_reflection of GENIUS: what is put, who is asked how often, and what the embedded world makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import orjson
import pytest

from gamut.asking.models import opening
from gamut.asking.models.weights import digest
from gamut.asking.models.world import sandbox
from gamut.asking.outcomes import Outcome
from gamut.asking.parts import Created
from gamut.asking.requests import Create, Picture, Reply, Request, wants_picture
from gamut.command.estimate import benchmarks
from gamut.evaluation.bodies.answer import answer, conversation, given_spec, is_folder
from gamut.evaluation.defining.editions import freeze_edition, read_items
from gamut.evaluation.defining.parameters import player_of
from gamut.evaluation.defining.pictures import pictures_of
from gamut.evaluation.defining.questions import Prompt
from gamut.evaluation.running.answers import parts_of
from gamut.evaluation.running.spec import spec_parts as spec_parts
from gamut.project.settings import Settings
from gamut.project.validation import check_values
from gamut.tables.reading import read_rows
from stages.genius.shared.benchmark import Params
from stages.genius.shared.items import GeniusItem
from stages.genius.shared.prompts import CRITIQUE, SECOND_ATTEMPT
from tests import fakes
from tests.genius.small_genius import GIVEN, RECORD, VALUES, genius_item, pictures_given
from tests.paths import ROOT

ITEM, SETTING = genius_item(), "post_reflection"
SERVED = {"kind": "openai", "id": "stub", "pictures_from": "chat"}
CONTESTANTS = {
    "whole": {"class": "unified", "model": SERVED},
    "editor": {"class": "editing", "model": SERVED | {"id": "edits"}},
}
PICTURES = [fakes.jpeg(colour, (128, 128)) for colour in ("red", "green", "blue")]


def params_with(rounds: int = 1, **contestants: Any) -> Params:
    block = VALUES | {"settings": ["interleaved", SETTING], "reflection": {"rounds": rounds}}
    return check_values(Params, fakes.values(genius=block, contestants=contestants or CONTESTANTS), Path("params.yaml"))


def frozen() -> None:
    freeze_edition("genius", "v1", [ITEM], {one.sha256: GIVEN[one.name] for one in ITEM.images})


def test_it_is_put_as_on_the_plain_setting_and_reflected_on_as_often_as_the_block_says() -> None:
    plain, prompt = (
        RECORD.prompt(params_with().genius, ITEM, setting, pictures_given()) for setting in ("interleaved", SETTING)
    )
    assert prompt._replace(reflection=None) == plain and prompt.reflection == (CRITIQUE, SECOND_ATTEMPT, 1)
    assert prompt.tasks == {"understanding", "editing"} and plain.tasks == {"editing"}
    given = RECORD.prompt(params_with(3).genius, ITEM, SETTING, pictures_given())
    assert given == prompt._replace(reflection=prompt.reflection._replace(rounds=3))
    assert RECORD.prompt(params_with(3).genius, ITEM, "interleaved", pictures_given()) == plain


def test_another_number_of_rounds_is_another_spec_of_that_setting_alone() -> None:
    once, twice = (
        {
            setting: spec_parts(given_spec(RECORD, params_with(rounds), ITEM, setting, None))
            for setting in ("interleaved", SETTING)
        }
        for rounds in (1, 2)
    )
    assert once["interleaved"] == twice["interleaved"] and "reflected" not in once["interleaved"]
    assert {name for name in once[SETTING] if once[SETTING][name] != twice[SETTING][name]} == {"reflected"}


def test_what_it_gains_over_the_plain_setting_is_reported() -> None:
    metrics = {metric.name: metric for metric in RECORD.metrics_in(params_with())}
    assert metrics["post_reflection_over_interleaved"].paired


def served(monkeypatch: pytest.MonkeyPatch, refuses: str = "") -> list[Create]:
    """Who answers for all: pictures in their order, words where these are wanted. Return what it is asked."""
    asked: list[Create] = []

    def reply(request: Request) -> Reply:
        assert isinstance(request, Create)
        asked.append(request)
        pictures = sum(map(wants_picture, asked))
        if not wants_picture(request):
            return Reply(b"no", "refused") if refuses else Reply(b"The birds are missing.", "stop", 10, 5)
        return Reply(PICTURES[(pictures - 1) % 3], "stop", 7, 1)

    monkeypatch.setattr(opening, "open_model", lambda role_model, *_: fakes.Fake(reply, concurrency=1))
    return asked


@pytest.mark.parametrize("rounds", [1, 2])
def test_the_estimate_is_what_is_asked(project: Path, monkeypatch: pytest.MonkeyPatch, rounds: int) -> None:
    """Who does all paints in both settings, and comes back twice a round; who edits has the plain setting alone."""
    frozen()
    params = params_with(rounds)
    counted = {}
    for name in params.contestants:
        asked = served(monkeypatch)
        answer(RECORD, params, name)
        counted[name] = len(asked)
    assert counted == {"whole": 2 + 2 * rounds, "editor": 1}
    lines = {
        line.model: line
        for line in benchmarks.benchmark_lines(RECORD, params, Settings(), RECORD.items(params))
        if line.stage == "genius.answer"
    }
    assert {name: line.requests for name, line in lines.items()} == counted
    assert lines["editor"].output_tokens == 1 < lines["whole"].output_tokens, "of the replies that came"


def test_the_last_picture_is_kept_and_all_that_was_said(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frozen()
    served(monkeypatch)
    answer(RECORD, params_with(1, whole=CONTESTANTS["whole"] | {"settings": {"genius": [SETTING]}}), "whole")
    [row] = read_rows(RECORD.answers / "whole")
    assert (row["status"], parts_of(row["parts"])) == ("ok", [PICTURES[1]])
    assert [reply["content"] for reply in row["replies"]] == [None, "The birds are missing.", None]
    assert sum(reply["output_tokens"] for reply in row["replies"]) == 1 + 5 + 1


def test_who_refuses_to_say_what_is_wrong_has_no_answer(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frozen()
    served(monkeypatch, refuses="critiques")
    one = CONTESTANTS["whole"] | {"settings": {"genius": [SETTING]}, "max_failures": 1}
    answer(RECORD, params_with(1, whole=one), "whole")
    [row] = read_rows(RECORD.answers / "whole")
    assert (row["status"], row["parts"]) == ("refused_generation", None)
    assert row["reason"] == "the critique of round 1: no" and len(row["replies"]) == 2


def test_of_pictures_made_elsewhere_the_last_is_there(project: Path) -> None:
    frozen()
    for setting in ("interleaved", SETTING):
        path = Path("mine", setting, f"{ITEM.id}.jpg")
        path.parent.mkdir(parents=True)
        path.write_bytes(PICTURES[setting == SETTING])
    model = {"kind": "folder", "path": "mine", "revision": digest(Path("mine"))}
    params = params_with(2, mine={"class": "unified", "model": model})
    answer(RECORD, params, "mine")
    made = {row["setting"]: parts_of(row["parts"]) for row in read_rows(RECORD.answers / "mine")}
    assert made == {"interleaved": [PICTURES[0]], SETTING: [PICTURES[1]]}
    [line] = [
        line
        for line in benchmarks.benchmark_lines(RECORD, params, Settings(), RECORD.items(params))
        if line.stage == "genius.answer"
    ]
    assert line.requests == 2
    assert "reflected" in next(row["spec"] for row in read_rows(RECORD.answers / "mine") if row["setting"] == SETTING)


def test_pictures_of_a_pair_are_made_elsewhere_where_its_painter_is_a_folder() -> None:
    folder = {"kind": "folder", "path": "mine", "revision": "sha256-" + "0" * 64}
    found = []
    for text, image in ((SERVED, folder), (folder, SERVED)):
        pair = {"class": "unified", "models": {"text": {"kind": "openai", "id": "x"} if text is SERVED else text}}
        pair["models"] |= {"image": {"kind": "openai", "id": "y"} if image is SERVED else image}
        params = params_with(1, pair=pair)
        found.append(is_folder(player_of("pair", params.contestants["pair"], "creator")))
    assert found == [True, False]


def test_the_world_gains_where_it_reads_rightly_and_loses_where_it_does_not() -> None:
    """Of one item a task: its first picture is right or wrong, and the last one as it reads the context then."""
    pictures = pictures_of("genius", "sandbox")
    items = {item.task: item for item in read_items(ROOT / "datasets/editions/genius/sandbox.jsonl", GeniusItem)}
    for item in items.values():
        prompt = RECORD.prompt(params_with().genius, item, SETTING, pictures.of(item))
        for first, then in product((0.0, 1.0), repeat=2):
            made, said = by_the_world(prompt, [first, then, 1.0])
            assert said.startswith("So what is wanted ") and said.count(".") == 1
            assert [right(item, picture) for picture in made] == [first == 0, then == 0], (item.id, said)


def by_the_world(prompt: Prompt, rates: Sequence[float]) -> tuple[list[bytes], str]:
    talk, replies = conversation(prompt, (256, 256), 5, 0), list[Reply]()
    for rate in rates:
        step = talk.next(replies)
        assert isinstance(step, Create)
        replies.append(sandbox.answer(step, {"wrong_reasoning": rate}, "creator"))
    end = talk.next(replies)
    assert isinstance(end, Outcome) and end.status == "ok", end
    first, said, last = (reply.content for reply in replies)
    assert end.value == Created((last,))
    return [first, last], said.decode()


def right(item: GeniusItem, picture: bytes) -> bool:
    rule = RECORD.judge_questions(params_with().genius, item, SETTING)[0]
    asked = rule.question.about(rule.fields, rule.material([Picture(picture, "image/jpeg")], {}))
    score = orjson.loads(sandbox.answer(asked.request, {}, "judge").content)["score"]
    return bool(score == 2)
