"""Curated prompts: every drawn element in them, long texts of good pictures, what is lost is asked for once more."""

from __future__ import annotations

import shutil
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.asking.outcomes import Outcome
from stages.asking.questions import Asked
from stages.asking.requests import Reply, fields_of, seed_of
from stages.asking.visiting import Answer
from stages.prism.construction import compose, represent
from stages.prism.construction.compose import COMPOSE_OF, EXPAND, RULES, composed, elements_of, laid_out, records
from stages.prism.construction.localize import (
    ADAPT,
    TRANSLATE,
    Adaptation,
    into_chinese,
    objection_to_adaptation,
    prompts_of,
)
from stages.prism.construction.parameters import Params
from stages.prism.construction.proposals import COMPOSED, REPRESENTATIVES
from stages.prism.construction.samples import FOLDER, draw_samples
from stages.prism.construction.samples import TRACKS as DRAWN
from stages.prism.shared.tracks import TRACKS
from stages.project.errors import UserError
from stages.tables.columns import Row
from stages.tables.writing import TableWriter
from stages.texts.chinese import Translation
from tests import fakes
from tests.prism.small_dataset import EDITION, Picture, write_dataset

POOLS = "stages/prism/pools"


@pytest.fixture
def pools(project: Path) -> None:
    shutil.copytree(FOLDER, project / POOLS)


def wanted(curated: int = 2, pools: str = POOLS) -> dict[str, list[Row]]:
    return records(fakes.proposing_prompts(curated=curated, pools=pools), EDITION)


def represented(*rows: str) -> None:
    with TableWriter(REPRESENTATIVES / EDITION, represent.SCHEMA) as table:
        table.write("style-00000", [{"id": f"style-{n:08d}", "row": row} for n, row in enumerate(rows)])


def ended(conversation: Asked, *prompts: str) -> Outcome:
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
    assert list(shards) == [f"{track.replace('_', '-')}-curated-00000" for track in TRACKS]
    for track in DRAWN:
        rows = shards[f"{track.replace('_', '-')}-curated-00000"]
        assert [row["id"][-2:] for row in rows] == ["00", "01"] and {row["track"] for row in rows} == {track}
        assert [elements_of(row["elements"]) for row in rows] == [draw.elements for draw in draw_samples(track, 2, 3)]
    assert [(row["row"], row["captions"]) for row in shards["long-text-curated-00000"]] == [
        ("x-00000002", "affection: a calm cow\ndetail: long cow\noriginal: cow, 1998"),
        ("w-00000000", "style: a cubist cat\ndetail: long cat"),
    ]


@pytest.mark.usefixtures("pools")
def test_more_than_the_pools_allow_is_said() -> None:
    write_dataset()
    represented()
    tiny = Path(shutil.copytree(POOLS, f"{POOLS}/tiny"))  # a folder of its own: what was read stays in memory
    (tiny / "entity.yaml").write_text("families: {animal: [okapi]}")
    with pytest.raises(UserError, match=r"prism\.curated: entity: 2 draws are wanted"):
        wanted(pools=str(tiny))


def test_every_track_has_its_question() -> None:
    assert set(COMPOSE_OF) == set(RULES) == set(DRAWN)
    assert [question.name for question in COMPOSE_OF.values()] == [f"prism_compose_{track}" for track in COMPOSE_OF]
    assert EXPAND.name == "prism_expand"


@given(st.sampled_from(sorted(DRAWN)), st.integers(0, 99))
def test_elements_are_read_back(track: str, seed: int) -> None:
    for draw in draw_samples(track, 3, seed):
        assert elements_of(laid_out(draw.elements)) == draw.elements


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
def test_rows_keep_what_they_were_made_of() -> None:
    write_dataset(Picture(0, {"detail": "long cat"}))
    represented()
    shards = wanted(1)

    def answer(asked: object) -> list[Answer]:
        return [Answer(Outcome("ok", EXPAND.reply(prompt=" A long prompt.\n")), "fake", ())]

    visit = composed(fakes.proposing(Params, fakes.PROPOSE, seed=4))
    [[asked]], [row] = fakes.drive(visit(shards["long-text-curated-00000"][0]), answer)
    assert (asked.question, fields_of(asked.request), asked.request.seed) == (
        EXPAND,
        {"captions": "detail: long cat"},
        seed_of("long-text-curated-00000000", 4),
    )
    named = {name: row[name] for name in ("id", "track", "elements", "row", "prompt", "status")}
    assert list(named.values()) == [
        "long-text-curated-00000000",
        "long_text",
        None,
        "w-00000000",
        "A long prompt.",
        "ok",
    ]
    style = shards["style-curated-00000"][0]
    failed = [Answer(Outcome("parse_error", reason="lost"), "fake", ())]
    [[asked]], [row] = fakes.drive(visit(style), lambda asked: failed)
    assert asked.question is COMPOSE_OF["style"] and fields_of(asked.request) == {"elements": style["elements"]}
    assert (row["elements"], row["row"], row["prompt"], row["reason"]) == (style["elements"], None, None, "lost")


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


def visited(track: str, prompt: str, outcome: Outcome) -> tuple[object, dict[str, str], dict[str, object]]:
    record = {"id": "x-00000000", "track": track, "prompt": prompt}
    [[asked]], [row] = fakes.drive(
        into_chinese(fakes.proposing(Params, fakes.PROPOSE, seed=4))(record),
        lambda asked: [Answer(outcome, "fake", ())],
    )
    assert asked.request.seed == seed_of(record["id"], 4)
    return asked.question, fields_of(asked.request), row


def test_lettering_stays_english_but_where_it_is_the_task() -> None:
    prompt = 'A bottle labeled "RYE"'
    translated = Outcome("ok", Translation(translation=' 标有"RYE"的酒瓶\n'))
    question, fields, row = visited("entity", prompt, translated)
    assert (question, fields) == (TRANSLATE, {"prompt": prompt, "lettering": "RYE"})
    assert (row["track"], row["prompt_zh"], row["status"]) == ("entity", '标有"RYE"的酒瓶', "ok")
    adapted = Outcome("ok", Adaptation(adaptation="标有“茅台”的酒瓶"))
    question, fields, row = visited("text_rendering", prompt, adapted)
    assert (question, fields, row["prompt_zh"]) == (ADAPT, {"prompt": prompt}, "标有“茅台”的酒瓶")
    _, fields, row = visited("style", "a cubist cat", Outcome("parse_error", reason="lost"))
    assert (fields, row["prompt_zh"], row["reason"]) == ({"prompt": "a cubist cat"}, None, "lost")


def test_all_prompts_that_were_had_are_asked_about(project: Path) -> None:
    with TableWriter(REPRESENTATIVES / EDITION, represent.SCHEMA) as table:
        table.write("style-00000", [{"id": "style-00000007", "track": "style", "text": "a cubist cat"}])
    with TableWriter(COMPOSED / EDITION, compose.SCHEMA) as table:
        made = {"track": "style", "prompt": "a cubist dog", "status": "ok"}
        failed = {"id": "style-curated-00000001", "track": "style", "status": "parse_error"}
        table.write("style-curated-00000", [{"id": "style-curated-00000000", **made}, failed])
    assert dict(prompts_of(EDITION)) == {
        "style-00000": [{"id": "style-00000007", "track": "style", "prompt": "a cubist cat"}],
        "style-curated-00000": [{"id": "style-curated-00000000", "track": "style", "prompt": "a cubist dog"}],
    }
