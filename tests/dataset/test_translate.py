"""Translations: Chinese, with quoted lettering word for word, or sent back."""

from __future__ import annotations

from pathlib import Path

from gamut.asking.outcomes import Outcome
from gamut.asking.requests import fields_of, seed_of
from gamut.asking.visiting import Answer
from gamut.dataset.shared.joins import table_of
from gamut.tables.writing import TableWriter
from gamut.texts.chinese import Translation
from stages.dataset import annotate, originals
from stages.dataset.translate import captioned_records, translate_captions
from tests import fakes
from tests.fakes import drive


def test_a_visit() -> None:
    captions = [{"description": "text", "caption": 'the "SIGN"'}, {"description": "detail", "caption": 'a "SIGN" "x"'}]

    def answer(asked: object) -> list[Answer]:
        outcomes = [Outcome("ok", Translation(translation=" 一个立方体\n")), Outcome("parse_error", reason="lost")]
        return [Answer(outcome, "fake", ()) for outcome in outcomes]

    visit = translate_captions(fakes.params(seed=4))({"id": "w-00000000", "captions": captions})
    [asked], rows = drive(visit, answer)
    assert [fields_of(a.request) for a in asked] == [
        {"caption": 'the "SIGN"', "lettering": "SIGN"},
        {"caption": 'a "SIGN" "x"', "lettering": "SIGN"},  # of the other quote the text-rendering caption knows nothing
    ]
    assert [a.request.seed for a in asked] == [
        seed_of(f"w-00000000/{caption['description']}", 4) for caption in captions
    ], "each caption has its own"
    assert [(row["description"], row["caption_cn"], row["status"]) for row in rows] == [
        ("text", "一个立方体", "ok"),
        ("detail", None, "parse_error"),
    ]


def test_lettering_without_a_caption_about_it_is_what_each_caption_quotes() -> None:
    captions = [{"description": "entity", "caption": 'a "SIGN"'}, {"description": "detail", "caption": "a SIGN"}]
    answers = [Answer(Outcome("parse_error", reason="lost"), "fake", ())] * 2
    [asked], _ = drive(
        translate_captions(fakes.params())({"id": "w-00000000", "captions": captions}), lambda asked: answers
    )
    assert [fields_of(a.request).get("lettering") for a in asked] == ["SIGN", None]


def test_captions_that_were_had_are_translated_and_the_sources_own_that_is_released(project: Path) -> None:
    def row(number: int, description: str, status: str = "ok") -> dict[str, str]:
        return {"id": f"w-{number:08d}", "description": description, "caption": description, "status": status}

    with TableWriter(table_of("annotate"), annotate.SCHEMA) as table:
        table.write("w-00000", [row(0, "style"), row(0, "detail"), row(1, "style", "truncated"), row(1, "detail")])
        table.write("w-00000", [row(100, "detail", "truncated")])
        table.write("x-00000", [])
    with TableWriter(table_of("originals"), originals.SCHEMA) as table:
        own = [("own words", True, None), ("far off", False, "alignment"), (None, False, "not_in_latin_letters")]
        names = ("id", "caption", "kept", "reason")
        of = zip(("w-00000000", "w-00000001", "w-00000100"), own, strict=True)
        table.write("w-00000", [dict(zip(names, (i, *one), strict=True)) for i, one in of])
        table.write("x-00000", [])
    found = [
        (shard, row["id"][-3:], [caption["description"] for caption in row["captions"]])
        for shard in ("w-00000", "x-00000")
        for row in captioned_records(shard)
    ]
    assert found == [
        ("w-00000", "000", ["style", "detail", "original"]),
        ("w-00000", "001", ["detail", "original"]),
        ("w-00000", "100", []),
    ]
