"""Curated prompts: every drawn element in them, long texts of good pictures, what is lost is asked for once more."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.asking.models import opening
from gamut.asking.outcomes import Outcome
from gamut.asking.questions import AskedQuestion
from gamut.asking.requests import Chat, Reply, fields_of, seed_of
from gamut.evaluation.construction.slots import Slots
from gamut.project.errors import UserError
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows
from stages.prism.construction.compose import (
    COMPOSE_OF,
    EXPAND,
    RULES,
    Adaptation,
    compose,
    composing_rows,
    element_lines,
    localize,
    objection_to_adaptation,
    read_elements,
)
from stages.prism.construction.parameters import Params
from stages.prism.construction.samples import FOLDER, draw_samples
from stages.prism.construction.samples import TRACKS as DRAWN
from stages.prism.construction.steps import PRISM
from stages.prism.shared.items import TRACKS
from tests import constructing, fakes
from tests.prism.small_dataset import Picture, write_dataset

POOLS = "stages/prism/pools"


@pytest.fixture
def pools(project: Path) -> None:
    shutil.copytree(FOLDER, project / POOLS)


def slots(step: str, **changes: Any) -> Slots[Params]:
    return constructing.slots_at(PRISM, fakes.proposing(Params, fakes.PROPOSE | {"max_failures": 9} | changes), step)


def wanted(curated: int = 2, pools: str = POOLS) -> dict[str, list[Row]]:
    found = composing_rows(slots("compose", curated=curated, pools=pools))
    return {track: [row for row in found if row["track"] == track] for track in TRACKS}


def represented(*rows: str) -> None:
    slots("represent").write([{"id": f"style-{n:08d}", "row": row, "status": "ok"} for n, row in enumerate(rows)])


def ended(conversation: AskedQuestion, *prompts: str) -> Outcome:
    had: list[Reply] = []
    while not isinstance(step := conversation.next(had), Outcome):
        had.append(Reply(orjson.dumps({"prompt": prompts[min(len(had), len(prompts) - 1)]})))
    return step


@pytest.mark.usefixtures("pools")
def test_draws_and_good_pictures_are_asked_about() -> None:
    write_dataset(
        Picture(0, {"style": "a cubist cat", "detail": "long cat"}, looks=(9, 7)),
        Picture(1, {"style": "a cubist dog", "detail": "long dog"}, looks=(9, 9)),
        Picture(2, {"abstract": "a calm cow", "detail": "long cow"}, looks=(8, 10), original="cow, 1998", wave="x"),
        Picture(3, {"detail": "long owl"}, looks=(10, 10), kept=False),
        Picture(4, {"detail": "long eel"}, looks=(10, 10), status="parse_error"),
    )
    represented("w-00000001")
    shards = wanted()
    for track in DRAWN:
        rows = shards[track]
        assert [row["id"][-2:] for row in rows] == ["00", "01"] and {row["track"] for row in rows} == {track}
        assert [read_elements(row["elements"]) for row in rows] == [draw.elements for draw in draw_samples(track, 2, 3)]
    assert [(row["row"], row["captions"]) for row in shards["long_text"]] == [
        ("x-00000002", "affection: a calm cow\ndetail: long cow\noriginal: cow, 1998"),
        ("w-00000000", "style: a cubist cat\ndetail: long cat"),
    ]


@pytest.mark.usefixtures("pools")
def test_more_than_the_pools_allow_is_said() -> None:
    write_dataset()
    represented()
    tiny = Path(shutil.copytree(POOLS, f"{POOLS}/tiny"))  # a folder of its own: what was read stays in memory
    (tiny / "entity.yaml").write_text("families: {animal: [okapi]}")
    with pytest.raises(UserError, match=r"prism\.curated: entity: 2 draws are expected"):
        wanted(pools=str(tiny))


def test_every_track_has_its_question() -> None:
    assert set(COMPOSE_OF) == set(RULES) == set(DRAWN)
    assert [question.name for question in COMPOSE_OF.values()] == [f"prism_compose_{track}" for track in COMPOSE_OF]
    assert EXPAND.name == "prism_expand"


@given(st.sampled_from(sorted(DRAWN)), st.integers(0, 99))
def test_elements_are_read_back(track: str, seed: int) -> None:
    for draw in draw_samples(track, 3, seed):
        assert read_elements(element_lines(draw.elements)) == draw.elements


ABOUT_A_SIGN = {"elements": "content: Two for $8: today\nfont: neon tubes\nsurface: on a shop window"}


def test_a_prompt_with_all_elements_is_taken() -> None:
    prompt = 'A red "Two for $8: today" in neon tubes on a shop window.'
    outcome = ended(COMPOSE_OF["text_rendering"].about(ABOUT_A_SIGN), prompt)
    assert (outcome.status, outcome.value.prompt) == ("ok", prompt)


def test_what_is_missing_is_asked_for_once_more_by_name() -> None:
    conversation = COMPOSE_OF["text_rendering"].about(ABOUT_A_SIGN)
    first = Reply(orjson.dumps({"prompt": "A sign that says two for $8 in neon tubes."}))
    again = conversation.next([first])
    assert "'Two for $8: today', 'on a shop window'" in again.messages[-1].parts[0]
    assert ended(conversation, "A sign.", 'Neon tubes on a shop window say "Two for $8: today".').status == "ok"
    outcome = ended(conversation, "A sign.")
    assert outcome.status == "parse_error" and "'neon tubes'" in str(outcome.reason)


@pytest.mark.parametrize("prompt", ["", "   ", "a cat", "a cat\nand a long dog"])
def test_no_prompt_at_all(prompt: str) -> None:
    assert ended(EXPAND.about({"captions": "detail: a cat"}), prompt).status == "parse_error"


@pytest.mark.usefixtures("pools")
def test_rows_keep_what_they_were_made_of(monkeypatch: pytest.MonkeyPatch) -> None:
    write_dataset(Picture(0, {"detail": "long cat"}))
    represented()
    asked = answered(monkeypatch, lambda request: " A long prompt.\n" if request.name == "prism_expand" else "a cat")
    compose(slots("compose", curated=1))
    rows = {row["track"]: row for row in read_rows(slots("compose").path("compose"))}
    [expanded] = [request for request in asked if request.name == "prism_expand"]
    assert fields_of(expanded) == {"captions": "detail: long cat"}
    assert expanded.seed == seed_of("long-text-curated-00000000", 3)
    names = ("id", "elements", "row", "prompt", "status")
    assert [rows["long_text"][name] for name in names] == [
        "long-text-curated-00000000",
        None,
        "w-00000000",
        "A long prompt.",
        "ok",
    ]
    [styled] = [request for request in asked if request.name == "prism_compose_style"][:1]
    style = rows["style"]
    assert fields_of(styled) == {"elements": style["elements"]}
    assert (style["row"], style["prompt"], style["status"]) == (None, None, "parse_error") and style["reason"]


def answered(monkeypatch: pytest.MonkeyPatch, said: Callable[[Chat], str]) -> list[Chat]:
    """Let whoever is asked say this as the one key of the reply; return what they are asked."""
    asked: list[Chat] = []

    def reply(request: Any) -> Reply:
        asked.append(request)
        [key] = request.schema["properties"]
        return Reply(orjson.dumps({key: said(request)}))

    monkeypatch.setattr(opening, "open_model", lambda *_: fakes.Fake(reply))
    return asked


@pytest.mark.parametrize(
    ("adaptation", "words"),
    [
        ("一个标有“茅台”并写着“珍品酱香型白酒”的酒瓶", None),
        ('木牌上写着"营业中"的店', None),
        ("招牌上写着「欢迎光临」", None),
        ("霓虹灯写着‘今夜有酒’，旁边是“一九八四”", None),
        ("霓虹灯写着‘今夜有酒’，旁边是'1984'", "adapted to Chinese: '1984'"),
        ("标有“茅台 THE FINEST SPIRIT”的酒瓶，瓶身古朴", "adapted to Chinese: '茅台 THE FINEST SPIRIT'"),
        ("标有“茅台”和“酒 RYE”的酒瓶，瓶身古朴", "adapted to Chinese: '酒 RYE'"),
        ("T恤上写着“中国 NO.1”", None),
        ("一个标有“WHISTLEPIG”的酒瓶，旁边放着酒杯", "adapted to Chinese: 'WHISTLEPIG'"),
        ("标有“茅台”和“RYE”的酒瓶", "adapted to Chinese: 'RYE'"),
        ("一个标有茅台的酒瓶", "quotation marks"),
        ("写着“24/7”的招牌", "adapted to Chinese: '24/7'"),
        ("A bottle that is labelled with the name “茅台”", "is not Chinese"),
        ("", "quotation marks"),
    ],
)
def test_adapted_lettering_is_quoted_and_chinese(adaptation: str, words: str | None) -> None:
    found = objection_to_adaptation(Adaptation(adaptation=adaptation), {"prompt": 'A bottle labeled "WHISTLEPIG"'})
    assert found is None if words is None else found and words in found


def test_lettering_stays_english_but_where_it_is_the_task(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sampled prompts are put into Chinese, and composed ones that there are."""
    prompt = 'A bottle labeled "RYE"'
    sampled = {"entity": prompt, "text_rendering": prompt, "style": "a cubist cat"}
    slots("represent").write(
        [
            {"id": f"{track.replace('_', '-')}-00000000", "track": track, "text": text, "status": "ok"}
            for track, text in sampled.items()
        ]
    )
    composed = {"id": "style-curated-00000000", "track": "style", "prompt": "a cubist dog", "status": "ok"}
    slots("compose").write([composed, {"id": "style-curated-00000001", "track": "style", "status": "parse_error"}])
    said = {
        "entity": ' 标有"RYE"的酒瓶\n',
        "text_rendering": "标有“茅台”的酒瓶",
        "style": "lost",
        "dog": "一只立体派的狗",
    }

    def say(request: Chat) -> str:
        fields = fields_of(request)
        if request.name == "prism_adapt":
            return said["text_rendering"]
        return said["entity" if "lettering" in fields else "dog" if "dog" in fields["prompt"] else "style"]

    asked = answered(monkeypatch, say)
    localize(slots("localize"))
    assert {request.name: fields_of(request) for request in asked if "RYE" in fields_of(request)["prompt"]} == {
        "prism_translate": {"prompt": prompt, "lettering": "RYE"},
        "prism_adapt": {"prompt": prompt},
    }
    assert {request.seed for request in asked if request.name == "prism_adapt"} == {
        seed_of("text-rendering-00000000", 3)
    }
    rows = {row["id"]: row for row in read_rows(slots("localize").path("localize"))}
    assert {row_id: (row["prompt_zh"], row["status"]) for row_id, row in rows.items()} == {
        "entity-00000000": ('标有"RYE"的酒瓶', "ok"),
        "text-rendering-00000000": ("标有“茅台”的酒瓶", "ok"),
        "style-00000000": (None, "parse_error"),
        "style-curated-00000000": ("一只立体派的狗", "ok"),
    }
