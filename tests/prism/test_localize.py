"""Prompts in Chinese: translated around English lettering; on the track Text rendering adapted, lettering and all."""

from __future__ import annotations

from pathlib import Path

import pytest

from stages.asking.outcomes import Outcome
from stages.asking.requests import fields_of, seed_of
from stages.asking.visiting import Answer
from stages.prism.construction import compose, represent
from stages.prism.construction.localize import (
    ADAPT,
    TRANSLATE,
    Adaptation,
    into_chinese,
    objection_to_adaptation,
    prompts_of,
)
from stages.prism.construction.proposals import COMPOSED, REPRESENTATIVES
from stages.tables.writing import TableWriter
from stages.texts.chinese import Translation
from tests import fakes
from tests.prism.small_dataset import EDITION


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
    """The question that was asked about a prompt, its fields, and the row."""
    record = {"id": "x-00000000", "track": track, "prompt": prompt}
    [[asked]], [row] = fakes.drive(
        into_chinese(fakes.params(seed=4))(record), lambda asked: [Answer(outcome, "fake", ())]
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


def test_names_of_the_questions() -> None:
    assert (TRANSLATE.name, ADAPT.name) == ("prism_translate", "prism_adapt")


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
