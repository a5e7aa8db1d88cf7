"""Captions of chosen lengths and languages: by hand, and in a build of the embedded world."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gamut.asking.outcomes import Outcome
from gamut.asking.questions import AskedQuestion
from gamut.asking.requests import fields_of, pictures_of, seed_of
from gamut.asking.visiting import Answer
from gamut.command.estimate.asks import dataset_asks
from gamut.command.estimate.flow import Flow
from gamut.dataset.leaks.suspects import described_pictures
from gamut.dataset.reporting.outputs import CARD
from gamut.dataset.shared.joins import table_of
from gamut.dataset.shared.texts import Caption
from gamut.dataset.shared.visits import LOOKING
from gamut.project.errors import UserError
from gamut.project.files import read_metric_file
from gamut.tables.columns import Row
from gamut.tables.reading import manifest, read_rows, shard_names
from gamut.texts.chinese import Translation
from stages.dataset import caption_lengths, captions, translate_lengths
from stages.dataset.caption_lengths import QUESTIONS, describe
from stages.dataset.lengths import LENGTHS
from stages.dataset.pipeline import Params
from stages.dataset.translate_lengths import translate
from tests import fakes, in_one_process
from tests.dataset import small_build
from tests.dataset.small_build import I0, L0, M0, put
from tests.fakes import drive
from tests.in_command import gamut
from tests.paths import ROOT

PICTURE = b"\xff\xd8picture"


def params_of(*lengths: str, languages: Sequence[str] = (), **changes: Any) -> Params:
    return fakes.params(captions={"lengths": [*lengths], "languages": [*languages]}, **changes)


def answered(*values: Any) -> list[Answer]:
    outcomes = (Outcome("ok", value) if value else Outcome("truncated", reason="cut") for value in values)
    return [Answer(outcome, "fake", ()) for outcome in outcomes]


@pytest.mark.parametrize(
    ("name", "words", "fits"),
    [  # half of the least, twice the most
        *(("short", n, fits) for n, fits in ((3, False), (4, True), (30, True), (31, False))),
        *(("middle", n, fits) for n, fits in ((14, False), (15, True), (100, True), (101, False))),
        *(("long", n, fits) for n, fits in ((44, False), (45, True), (260, True), (261, False))),
    ],
)
def test_captions_far_from_their_length_are_sent_back(name: str, words: int, fits: bool) -> None:
    least, most = LENGTHS[name]
    wrong = f"the caption has {words} words, {least} to {most} are expected"
    assert QUESTIONS[name].check(Caption(caption="word " * words), {}) == (None if fits else wrong)


def test_a_caption_is_one_paragraph() -> None:
    lines = Caption(caption="A red car on\na road in the hills.")
    assert QUESTIONS["short"].check(lines, {}) == "the caption must be one paragraph"


def test_a_question_for_each_length_in_their_order() -> None:
    visit = describe(params_of("long", "short", seed=9))({"id": L0, "image": {"bytes": PICTURE}})
    [asked], rows = drive(visit, lambda asked: answered(Caption(caption=" A red car. "), None))
    assert [one.question.name for one in asked] == ["caption_short", "caption_long"]
    for one in asked:
        assert one.request.messages[0].parts[0] == f"{LOOKING}\n" and pictures_of(one.request) == [PICTURE]
        assert fields_of(one.request) == {}
    assert [one.request.seed for one in asked] == [seed_of(f"{L0}/{name}", 9) for name in ("short", "long")]
    assert [(row["id"], row["length"], row["caption"], row["status"], row["reason"]) for row in rows] == [
        (L0, "short", "A red car.", "ok", None),
        (L0, "long", None, "truncated", "cut"),
    ]


def test_each_caption_that_was_had_is_translated_into_each_language() -> None:
    record = {"id": L0, "captions": [caption(L0, "short", 'a sign that says "OPEN"'), caption(L0, "long", None)]}

    def answer(asked: Sequence[AskedQuestion]) -> list[Answer]:
        return answered(Translation(translation=" 「OPEN」の看板 "), None)

    [asked], rows = drive(translate(params_of("short", languages=["Japanese", "German"], seed=4))(record), answer)
    of = {"caption": 'a sign that says "OPEN"', "lettering": "OPEN"}
    assert [fields_of(one.request) for one in asked] == [of | {"language": name} for name in ("Japanese", "German")]
    assert [one.request.seed for one in asked] == [seed_of(f"{L0}/short/{name}", 4) for name in ("Japanese", "German")]
    assert [(row["length"], row["language"], row["caption"], row["status"]) for row in rows] == [
        ("short", "Japanese", "「OPEN」の看板", "ok"),
        ("short", "German", None, "truncated"),
    ]


def caption(row_id: str, length: str, text: str | None, **more: str) -> Row:
    return {"id": row_id, "length": length, "caption": text, "status": "ok" if text else "parse_error"} | more


def test_off_nothing_is_asked_and_the_tables_are_empty(project: Path) -> None:
    small_build.write()
    for params, step in ((params_of(), caption_lengths), (params_of("short"), translate_lengths)):
        work = step.STEP.work(params)
        assert work.shards == ["legacy-00000", "imagined-00000", "mined-00000"] and work.total == 0
        assert not any([*work.records(shard)] for shard in work.shards)
    assert caption_lengths.STEP.work(params_of("short")).total == 3, "L0, I0 and M0 are kept"
    captions.STEP.carry_out(params_of())
    assert manifest(table_of("captions")) == {"rows": 0, "statuses": {}, "shards": []}


def test_the_table_has_what_was_had_of_released_pictures(project: Path) -> None:
    """M0 is kept and held out."""
    small_build.write()
    english = [caption(L0, "short", "an apple"), caption(L0, "long", None), caption(I0, "short", "a whale")]
    put(table_of("caption_lengths"), [*english, caption(M0, "short", "a sign")])
    others = [caption(L0, "short", "ein Apfel", language="German"), caption(I0, "short", None, language="German")]
    put(table_of("translate_lengths"), others)
    captions.STEP.carry_out(params_of("short", "long", languages=["German"]))
    assert [tuple(row.values()) for row in read_rows(table_of("captions"))] == [
        (L0, "English", "short", "an apple"),
        (L0, "German", "short", "ein Apfel"),
        (I0, "English", "short", "a whale"),
    ]
    assert shard_names(table_of("captions")) == shard_names(table_of("release"))
    texts = {row["id"]: dict(row["texts"]) for wave in small_build.WAVES for row in described_pictures(f"{wave}-00000")}
    assert texts[L0]["short"] == "an apple" and "long" not in texts[L0], "compared with the items of benchmarks"


def test_the_estimate_counts_them() -> None:
    # 10 pictures; 3 lengths are 30 captions, of 11.5, 40 and 110 words, and 60 translations into two languages
    flow, models = Flow(kept=10), {"world": {"kind": "sandbox"}, "gpt": {"kind": "openai", "id": "org/model"}}
    asked = dataset_asks(params_of("short", "middle", "long", languages=["Thai", "Greek"], models=models), flow)
    requests = [(ask.requests, ask.output_tokens) for ask in asked if ask.stage == "caption_lengths"]
    assert requests == [(10, 11.5 * 6 / 4), (10, 40 * 6 / 4), (10, 110 * 6 / 4)]
    assert [ask.requests for ask in asked if ask.stage == "translate_lengths"] == [20, 20, 20]
    assert [ask.cached_tokens > 0 for ask in asked if ask.stage == "caption_lengths"] == [False, True, True]
    [with_pairs, without] = (
        sum(ask.requests for ask in dataset_asks(of, flow) if ask.stage == "same_test")
        for of in (params_of("short", "long"), params_of())
    )
    assert (with_pairs, without) == (round((10 + 10 + 20) / 2), (10 + 10) / 2)  # ten pairs a text, twenty a request


@pytest.mark.parametrize(
    ("block", "said"),
    [
        (
            {"lengths": ["short", "short"], "languages": []},
            "captions.lengths: ['short', 'short']: 'short' occurs twice",
        ),
        ({"lengths": ["tiny"], "languages": []}, "captions.lengths.0: 'tiny'"),
        ({"lengths": [], "languages": ["Thai"]}, "languages without lengths: name some of short, middle, long"),
        ({"lengths": ["short"], "languages": ["Japenese"]}, "no language 'Japenese'; did you mean 'Japanese'?"),
        ({"lengths": ["short"], "languages": ["中文"]}, "captions.languages.0"),
    ],
)
def test_blocks_that_cannot_be_meant(block: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError) as error:
        fakes.params(captions=block)
    assert said in str(error.value)


# A build of the embedded world


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = in_one_process.build(
        tmp_path_factory.mktemp("lengths"),
        sources=[{"kind": "sandbox", "wave": "w", "route": "as_is", "count": 40}],
        synthesize={"width": 256, "height": 256},
        captions={"lengths": [*LENGTHS], "languages": ["Chinese", "German"]},
    )
    shutil.copy(ROOT / "dvc.yaml", folder)
    return folder


@pytest.fixture
def here(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(built)


def test_the_world_writes_all_lengths_and_translates_into_chinese_alone(here: None) -> None:
    kept = sum(row["kept"] for row in read_rows(table_of("select"), ["kept"]))
    assert manifest(table_of("caption_lengths"))["statuses"] == {"ok": 3 * kept}
    rows = list(read_rows(table_of("translate_lengths"), ["language", "status", "reason"]))
    assert Counter((row["language"], row["status"]) for row in rows) == {
        ("Chinese", "ok"): 3 * kept,
        ("German", "unsupported"): 3 * kept,
    }
    assert {row["reason"] for row in rows} == {None, "the embedded world's translator knows only Chinese, not 'German'"}


def test_what_is_told_of_them(here: None) -> None:
    pictures = manifest(table_of("release"))["rows"]
    counted = {
        "language": {"English": 3 * pictures, "Chinese": 3 * pictures},
        "length": dict.fromkeys(LENGTHS, 2 * pictures),
    }
    assert pictures > 20 and read_metric_file(Path("metrics/dataset.json"))["captions"] == counted
    assert (
        "The table `captions` has more captions of these pictures by `id`, `language` "
        f"({3 * pictures} English, {3 * pictures} Chinese) and `length` ({2 * pictures} short, {2 * pictures} middle, "
    ) in CARD.read_text()


def test_one_is_shown_with_all_its_lengths(here: None) -> None:
    first = next(read_rows(table_of("release"), ["id"]))["id"]
    code, said = gamut("show", "caption_lengths", first)
    assert code == 0 and "datasets/caption_lengths, 3 of 3" in said and "length: middle" in said


def test_trainers_get_the_short_ones(here: None, tmp_path: Path) -> None:
    pictures = manifest(table_of("release"))["rows"]
    code, said = gamut("export", "dataset", str(tmp_path / "out"), "--format", "folder", "--caption", "short")
    assert (code, said) == (0, f"{tmp_path / 'out'}: {pictures} rows as folder, `.txt` has short\n")
    rows = read_rows(table_of("captions"))
    short = {row["id"]: row["caption"] for row in rows if (row["language"], row["length"]) == ("English", "short")}
    assert {file.stem: file.read_text() for file in (tmp_path / "out").glob("*/*.txt")} == short
