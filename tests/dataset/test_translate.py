"""Translations: Chinese, with quoted lettering word for word, or sent back."""

from __future__ import annotations

from pathlib import Path

import pytest

from stages.dataset import annotate, originals
from stages.dataset.joins import ANNOTATIONS, ORIGINALS
from stages.dataset.texts import quoted
from stages.dataset.translate import Translation, captioned, fields, into_chinese, objection
from stages.questions import Outcome
from stages.requests import fields_of
from stages.tables import TableWriter
from stages.visiting import Answer
from tests import fakes
from tests.fakes import drive


@pytest.mark.parametrize(
    ("caption", "translation", "words"),
    [
        ("a red cube", "一个红色的立方体", None),
        ("a red cube", "a red cube", "is not Chinese"),
        ("a red cube", "", "is not Chinese"),
        ("a red cube", "赤い", None),  # kanji are the same characters
        ("a red cube", "あかい", "is not Chinese"),
        ('a sign "OPEN"', '写着"OPEN"的牌子', None),
        ('a sign "OPEN"', "写着“OPEN”的牌子", None),
        ("a sign “OPEN”", '写着"OPEN"的牌子', None),
        ('a sign "OPEN"', "写着“营业”的牌子", "'OPEN'"),
        ('a sign "OPEN"', '写着"Open"的牌子', "'OPEN'"),
        ('"ONE" over "TWO"', '"ONE"在“二”之上', "'TWO'"),
        ('"ONE" over "TWO"', "一在二之上", "'ONE', 'TWO'"),
        ('"OPEN"', '"OPEN"', "is not Chinese"),
        ('a sign "OPEN," above', "上方写着“OPEN”，的牌子", None),
        ("a red cube on grass", "The red cube is 红", "is not Chinese"),
    ],
)
def test_objection(caption: str, translation: str, words: str | None) -> None:
    found = objection(Translation(translation=translation), fields(caption, quoted(caption)))
    assert found is None if words is None else found and words in found


def test_inches_are_no_lettering() -> None:
    found = objection(Translation(translation="一根5英寸的管子和一个7英寸的环"), {"caption": 'a 5" pipe and a 7" ring'})
    assert found is None


def test_a_visit() -> None:
    captions = [{"description": "text", "caption": 'the "SIGN"'}, {"description": "detail", "caption": 'a "SIGN" "x"'}]

    def answer(asked: object) -> list[Answer]:
        outcomes = [Outcome("ok", Translation(translation=" 一个立方体\n")), Outcome("parse_error", reason="lost")]
        return [Answer(outcome, "fake", ()) for outcome in outcomes]

    visit = into_chinese(fakes.params(seed=4))({"id": "w-00000000", "captions": captions})
    [asked], rows = drive(visit, answer)
    assert [fields_of(a.request) for a in asked] == [
        {"caption": 'the "SIGN"', "lettering": "SIGN"},
        {"caption": 'a "SIGN" "x"', "lettering": "SIGN"},  # of the other quote the text-rendering caption knows nothing
    ]
    assert {a.request.seed for a in asked} == {4}
    assert [(row["description"], row["caption_cn"], row["status"]) for row in rows] == [
        ("text", "一个立方体", "ok"),
        ("detail", None, "parse_error"),
    ]


def test_lettering_without_a_caption_about_it_is_what_each_caption_quotes() -> None:
    captions = [{"description": "entity", "caption": 'a "SIGN"'}, {"description": "detail", "caption": "a SIGN"}]
    answers = [Answer(Outcome("parse_error", reason="lost"), "fake", ())] * 2
    [asked], _ = drive(into_chinese(fakes.params())({"id": "w-00000000", "captions": captions}), lambda asked: answers)
    assert [fields_of(a.request).get("lettering") for a in asked] == ["SIGN", None]


def test_lettering_is_looked_for_as_words() -> None:
    assert fields("A cat PAINTING a sign", ["a", "IN", "sign"]) == {
        "caption": "A cat PAINTING a sign",
        "lettering": "a\nsign",
    }


def test_a_picture_without_captions_gives_no_rows() -> None:
    [asked], rows = drive(into_chinese(fakes.params())({"id": "w-00000000", "captions": []}), lambda asked: [])
    assert (list(asked), rows) == ([], [])


def test_only_captions_that_were_had_are_translated(project: Path) -> None:
    def row(number: int, description: str, status: str = "ok") -> dict[str, str]:
        return {"id": f"w-{number:08d}", "description": description, "caption": description, "status": status}

    with TableWriter(ANNOTATIONS, annotate.SCHEMA) as table:
        table.write("w-00000", [row(0, "style"), row(0, "detail"), row(1, "style", "truncated"), row(1, "detail")])
        table.write("w-00000", [row(100, "detail", "truncated")])
        table.write("x-00000", [])
    with TableWriter(ORIGINALS, originals.SCHEMA) as table:
        own = {"id": "w-00000001", "caption": "own words", "kept": True}
        table.write("w-00000", [{"id": "w-00000000", "caption": "far off", "kept": False, "reason": "alignment"}, own])
        table.write("x-00000", [])
    found = [
        (shard, row["id"][-3:], [caption["description"] for caption in row["captions"]])
        for shard in ("w-00000", "x-00000")
        for row in captioned(shard)
    ]
    assert found == [
        ("w-00000", "000", ["style", "detail"]),
        ("w-00000", "001", ["detail", "original"]),
        ("w-00000", "100", []),
    ]
