"""The estimate: its arithmetic by hand for a small build, the published totals for the paper's profile."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from gamut.command.cli import app
from gamut.command.estimate import figures
from gamut.command.estimate.asks import (
    Ask,
    ask_cost,
    dataset_asks,
    dataset_lines,
    disk_space,
    gpu_hours,
    model_of,
    question_tokens,
    tokens_of_words,
)
from gamut.command.estimate.flow import SHARES, Flow, expected_flow, source_rows
from gamut.command.estimate.report import given_rows
from gamut.project.errors import UserError
from gamut.project.settings import Endpoint, Settings
from gamut.project.validation import check_values
from stages.dataset.examine import EXAMINE
from stages.dataset.pipeline import Params
from tests import fakes
from tests.paths import ROOT
from tests.shipped import profile

SOURCES: list[dict[str, Any]] = [
    {
        "wave": "a",
        "kind": "file",
        "route": "rewrite",
        "path": "datasets/sources/a",
        "columns": {"caption": "txt", "image": "jpg"},
        "limit": 947,
    },
    {"wave": "b", "kind": "file", "path": "datasets/sources/b.csv", "columns": {"caption": "txt"}, "limit": 100},
    {"wave": "c", "kind": "imagine", "count": 200},
    {
        "wave": "d",
        "kind": "file",
        "route": "mine_text",
        "path": "datasets/sources/d",
        "columns": {"image": "jpg"},
        "limit": 500,
    },
]
FLUX = {"kind": "openai", "id": "black-forest-labs/FLUX.1-dev"}
QWEN = {"kind": "openai", "id": "Qwen/Qwen2.5-VL-32B-Instruct"}
LARGE = {"width": 1024, "height": 1024, "max_failures": 0}


def small(**changes: Any) -> Params:
    """A build of four sources."""
    return fakes.params(sources=SOURCES, **changes)


def with_models(painter: dict[str, Any], other: dict[str, Any], **changes: Any) -> Params:
    roles = dict.fromkeys(fakes.values()["roles"], "other") | {"painter": "painter"}
    return small(models={"painter": painter, "other": other}, roles=roles, **changes)


def hours_for(ask: Ask, params: Params) -> float | None:
    return gpu_hours(ask, model_of(params, ask.role), (params.synthesize.width, params.synthesize.height))


def followed(params: Params) -> Flow:
    return expected_flow(params, source_rows(params, {}))


def test_the_way_from_rows_to_captions_by_hand() -> None:
    # candidates: a 947 * 0.95 = 899.7; b 95; c 190; d 500 * 0.2 = 100, * 0.95 = 95; 1,280 in all
    # admitted 1280 * 0.858 = 1098.2, kept 1098 * 0.858 = 942.1, lettered 1098 * 0.2 = 219.6
    # categories 942 * 1.85 = 1742.7; a and b have captions of their own: 995 * 0.736 = 732.5, * 0.64 = 468.5
    assert followed(small()) == Flow(
        rows=1747,
        source_images=1447,
        local_images=1447,
        imagined=200,
        rewritten=947,
        rewritten_from_text=0,
        searched=500,
        mined=100,
        candidates=1280,
        painted=1280,
        admitted=1098,
        lettered=220,
        kept=942,
        categories=1743,
        compared=732,
        originals=468,
    )
    assert followed(small()).captions == 1743 + 942 + 468 and followed(small()).texts == 1743 + 942 + 732


def test_kept_pictures_are_examined_and_not_painted() -> None:
    """500 of the folder's pictures and 95 of file b: 595 are examined, 95 painted; 595 * 0.858 = 510.5 are admitted, of
    which 511 * 95 / 595 = 81.6 have a prompt to follow.
    """
    kept = {"kind": "folder", "wave": "own", "path": "datasets/sources/own", "route": "keep", "limit": 500}
    params = fakes.params(sources=[SOURCES[1], kept])
    requests = {ask.stage: ask.requests for ask in dataset_asks(params, followed(params))}
    assert (requests["synthesize"], requests["examine"], requests["follow"]) == (95, 595, 82)


def test_several_pictures_a_prompt_are_all_painted_and_judged_and_one_is_kept() -> None:
    # 1280 * 3 are painted, 3840 * 0.858 = 3294.7 admitted; of 3 one passes with 1 - (1 - 0.858^2)^3 = 0.98162,
    # which are 1280 * 0.98162 = 1256.5 kept, and 995 * 0.98162 = 976.7 with a caption of their own
    params = small(synthesize={"width": 100, "height": 100, "samples": 3})
    flow, one = followed(params), followed(small())
    assert (flow.candidates, flow.painted, flow.admitted) == (3840, 3840, 3295)
    assert (flow.kept, flow.compared, flow.rows, flow.rewritten) == (1256, 977, one.rows, one.rewritten)
    assert disk_space(params, flow, [])["datasets/preferences"] == pytest.approx(2 * 1256 * 10_000 * 0.33)
    own = [SOURCES[0] | {"route": "keep"}]
    kept = [expected_flow(of, {"a": 100}) for of in (fakes.params(sources=own), small_of(own, samples=3))]
    assert kept[0] == kept[1], "a source's own picture is the only one of its row"


def small_of(sources: list[dict[str, Any]], **of_painter: Any) -> Params:
    return fakes.params(sources=sources, synthesize={"width": 64, "height": 64} | of_painter)


def test_requests_by_stage() -> None:
    params = small(safety={"ask": True})
    asked = dataset_asks(params, followed(params))
    found = Counter[str]()
    for ask in asked:
        found[ask.stage] += ask.requests
    assert found == {
        "brainstorm": 2,  # one a family
        "imagine": 200,
        "rewrite": 947,
        "find_text": 500,
        "mine_text": 100,
        "synthesize": 1280,
        "examine": 1280,
        "score": 1098,
        "proofread": 220,
        "follow": 1098,
        "safety": 1098,
        "annotate": 1743 + 942,
        "align": 732,
        "translate": 1743 + 942 + 732,
        "same_test": round((1743 + 942 + 732 + 942) / 2),  # ten pairs a caption and a prompt, twenty a request
    }
    assert {ask.stage: ask.role for ask in asked} == {
        "brainstorm": "seed_writer",
        "imagine": "writer",
        "synthesize": "painter",
        "translate": "translator",
        **dict.fromkeys(("rewrite", "find_text", "mine_text", "annotate"), "captioner"),
        **dict.fromkeys(("examine", "score", "proofread", "follow", "safety", "align"), "judge"),
        "same_test": "matcher",
    }


def test_admitted_pictures_are_embedded_where_these_are_compared() -> None:
    block = {"bits": None, "similarity": 0.98}
    with pytest.raises(UserError, match=r"roles\.image_embedder is not filled"):
        dataset_asks(small(same_pictures=block), followed(small()))
    params = small(same_pictures=block, roles=fakes.values()["roles"] | {"image_embedder": "world"})
    found = {ask.stage: ask for ask in dataset_asks(params, followed(params))}
    assert found["embed_pictures"].requests == found["follow"].requests == 1098


def test_of_items_that_are_less_alike_as_many_are_asked_about_as_may_be() -> None:
    hold_out = fakes.values()["hold_out"] | {"ask_from": 0.3, "asked": 20}
    params = small(hold_out=hold_out)
    [pairs] = [ask.requests for ask in dataset_asks(params, followed(params)) if ask.stage == "same_test"]
    assert pairs == 1743 + 942 + 732 + 942
    known = fakes.values()
    models = known["models"] | {"tfidf": {"kind": "tfidf"}}
    block = hold_out | {"ask_from": 0.4}
    tfidf = small(hold_out=block, models=models, roles=known["roles"] | {"text_embedder": "tfidf"})
    [pairs] = [ask.requests for ask in dataset_asks(tfidf, followed(tfidf)) if ask.stage == "same_test"]
    assert pairs == round((1743 + 942 + 732 + 942) / 4), "five a text"


def test_input_tokens_are_those_of_the_real_question_and_the_picture() -> None:
    own = (len(EXAMINE.opening) + 1 + len(EXAMINE.instruction) + 1) // 4  # each ends with a line break
    assert question_tokens(EXAMINE) == own
    # a field of 20 words of 6 characters stands in its block: <caption>, a line break, 120, a line break, </caption>
    with_field = len(EXAMINE.opening) + len(EXAMINE.instruction) + 2 + 120 + len("<caption>\n\n</caption>\n")
    assert question_tokens(EXAMINE, caption=20) == with_field // 4

    def examined(model: dict[str, Any]) -> float:
        params = with_models(FLUX, model, synthesize=LARGE)
        return next(ask.input_tokens for ask in dataset_asks(params, followed(params)) if ask.stage == "examine")

    assert examined(QWEN) == own + 37 * 37  # 1024 / 28 = 36.6
    assert examined({"kind": "openai", "id": "some/model"}) == own + 1000


def test_written_tokens() -> None:
    assert tokens_of_words(60) == 90  # six characters a word, four a token
    params = small()
    *captions, detail = [ask for ask in dataset_asks(params, followed(params)) if ask.stage == "annotate"]
    assert [ask.requests for ask in captions] == [942, 1743 - 942]  # a picture's first caption, and the others
    assert detail.requests == 942 and detail.output_tokens == pytest.approx(1073 / 4)


def test_what_a_picture_shares_with_its_first_caption_is_read_once() -> None:
    params = with_models(FLUX, QWEN, synthesize=LARGE)
    first, more, detail = [ask for ask in dataset_asks(params, followed(params)) if ask.stage == "annotate"]
    shared = len(EXAMINE.opening) / 4 + 37 * 37
    assert (first.cached_tokens, more.cached_tokens, detail.cached_tokens) == (0, shared, shared)
    hours, read = hours_for(more, params), hours_for(first, params)
    assert hours and read
    assert read / first.requests - hours / more.requests == pytest.approx(shared / 3300 / 3600)
    in_process = with_models(FLUX, QWEN | {"kind": "transformers", "revision": "0" * 40})
    assert hours_for(more, in_process) == hours_for(replace(more, cached_tokens=0), in_process)  # which keeps no prefix


def test_hours_of_painting() -> None:
    def hours(steps: int | None, setting: int, model_id: str = FLUX["id"]) -> float | None:
        painter = {"kind": "openai", "id": model_id, "sampling": {"num_inference_steps": steps} if steps else {}}
        params = with_models(painter, QWEN, synthesize={"width": setting, "height": setting, "max_failures": 0})
        return hours_for(Ask("synthesize", "painter", 3600, 100, 0), params)

    assert hours(28, 1024) == hours(None, 1024) == pytest.approx(5.05)
    assert hours(14, 512) == pytest.approx(5.05 / 8)  # half the steps, a quarter of the pixels
    assert hours(28, 1024, "some/painter") is None


@pytest.mark.parametrize(
    ("numerics", "seconds"),
    [
        ("bfloat16", 5.05),
        ("bfloat16+fp8+compile", 3.1),
        ("bfloat16+fp8", 5.05),
        ("bfloat16+compile+flash_3+cache_dit", 3.91 * 0.863 * 0.638),
    ],
)
def test_switches_that_are_on_are_counted(numerics: str, seconds: float) -> None:
    params = with_models(FLUX | {"numerics": numerics}, QWEN | {"numerics": "bfloat16"}, synthesize=LARGE)
    painted = Ask("synthesize", "painter", 3600, 100, 0)
    assert hours_for(painted, params) == pytest.approx(seconds)


def test_hours_of_reading_and_writing() -> None:
    ask = Ask("examine", "judge", 3600, 3300, 1800)  # a second to read, a second to write
    assert hours_for(ask, with_models(FLUX, QWEN)) == pytest.approx(2.0)
    assert hours_for(ask, with_models(FLUX, {"kind": "openai", "id": "gpt"})) is None
    assert hours_for(ask, with_models(FLUX, {"kind": "sandbox"})) is None


def test_cost() -> None:
    prices = Endpoint(input_price=2.0, output_price=10.0, image_price=0.05)
    # 1000 * (500 * 2 + 100 * 10) / 1e6
    assert ask_cost(Ask("score", "judge", 1000, 500, 100), prices) == pytest.approx(2.0)
    assert ask_cost(Ask("synthesize", "painter", 1000, 0, 0), prices) == pytest.approx(50.0)
    assert ask_cost(Ask("score", "judge", 1000, 500, 100), Endpoint()) is None


def test_tokens_are_as_replies_took_them_here(project: Path) -> None:
    params = with_models(FLUX, {"kind": "openai", "id": "gpt"})
    asked = [
        Ask("examine", "judge", 100, 500, 40),
        Ask("examine", "judge", 300, 900, 40),
        Ask("score", "judge", 9, 5, 6),
    ]
    painted = Ask("synthesize", "painter", 10, 90, 0)
    thinks = Settings.model_validate({"models": {"other": {"output_price": 1.0, "thinking_tokens": 200}}})

    def tokens() -> dict[str, tuple[float, float]]:
        lines = dataset_lines(params, [*asked, painted], thinks)
        return {line.stage: (line.input_tokens, line.output_tokens) for line in lines}

    # 100 * 500 + 300 * 900 = 320,000 read; 400 * (40 + 200) = 96,000 written with thinking; a painter writes nothing
    expected = {"examine": (320_000, 96_000), "score": (45, 9 * 206), "synthesize": (900, 0)}
    assert tokens() == expected
    entry = {"stage": "examine", "model": "other", "asked": 4, "tokens_read": 2400, "tokens_written": 1200}
    others = [entry | {"model": "another"}, {"stage": "score", "model": "other", "asked": 5}]  # of an earlier version
    (project / ".store").mkdir()
    lines = [entry, entry | {"asked": 6, "tokens_read": 2600, "tokens_written": 1800}, *others]
    (project / ".store/log.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    # (2400 + 2600) / 10 = 500 read and (1200 + 1800) / 10 = 300 written a request, 400 times
    assert tokens() == expected | {"examine": (200_000, 120_000)}
    assert dataset_lines(params, asked, thinks)[0].cost == pytest.approx(0.12)


def test_disk() -> None:
    params = with_models(FLUX, QWEN, synthesize={"width": 100, "height": 100, "max_failures": 0})
    places = disk_space(params, followed(params), [Ask("score", "judge", 10, 0, 5)])
    assert places == {
        "datasets/sources: images": 1447 * 70_000,
        "datasets/source_rows: source images": 1447 * 70_000,
        "datasets/synthesize": pytest.approx(1280 * 10_000 * 0.33),
        "datasets/release": pytest.approx(942 * 10_000 * 0.33),
        "report/dataset: thumbnails": pytest.approx(1280 * 10_000 * 0.16),
        "all tables and replies: texts": 10 * 5 * 4 * 3,
        "reply store: pictures as they came": pytest.approx(1280 * 10_000 * 1.4),
    }
    of_world = small()  # the embedded world paints JPEG
    assert disk_space(of_world, followed(of_world), [])["reply store: pictures as they came"] == pytest.approx(
        1280 * 64 * 64 * 0.33
    )
    published = {"kind": "jpeg", "quality": 86, "subsampling": "4:2:0"}  # the nearest that was measured is 85
    smaller = with_models(FLUX, QWEN, synthesize=LARGE | {"encoding": published})
    places = disk_space(smaller, replace(followed(smaller), candidates=8_000_000, kept=5_890_000), [])
    assert round(places["datasets/release"] / 1e9) == 815  # GB; published are 823
    assert places["report/dataset: thumbnails"] == pytest.approx(100_000 * 512 * 512 * 0.16)  # pages show 100,000


@given(st.lists(st.integers(0, 10_000_000), min_size=4, max_size=4), st.integers(0, 3), st.integers(0, 1_000_000))
def test_more_rows_never_ask_less(counts: list[int], position: int, more: int) -> None:
    params = small()
    fewer = dict(zip("abcd", counts, strict=True))
    wave = "abcd"[position]
    before, after = (expected_flow(params, rows) for rows in (fewer, fewer | {wave: fewer[wave] + more}))
    assert all(
        x.requests <= y.requests for x, y in zip(dataset_asks(params, before), dataset_asks(params, after), strict=True)
    )
    assert before.kept <= before.admitted <= before.candidates <= before.rows


def one_source(path: str, **more: Any) -> Params:
    return fakes.params(sources=[{"wave": "w", "kind": "file", "path": path, "columns": {"caption": "c"}} | more])


def test_rows_are_counted_where_the_source_lies_here(project: Path) -> None:
    sources = project / "datasets/sources"
    (sources / "shards").mkdir(parents=True)
    for name, rows in (("shards/00000", 3), ("shards/00001", 4), ("one", 5)):
        pq.write_table(pa.table({"c": ["x"] * rows, "jpg": [b""] * rows}), sources / f"{name}.parquet")
    (sources / "shards/00000_stats.json").write_text("{}")
    (sources / "a.csv").write_text("c\nx\ny\n")
    (sources / "a.tsv").write_text("c\tz\nx\t1")
    (sources / "a.jsonl").write_text('{"c": "x"}\n\n{"c": "y"}\n')
    (sources / "empty.csv").write_text("")
    for name, rows in (("shards", 7), ("one.parquet", 5), ("a.csv", 2), ("a.tsv", 1), ("a.jsonl", 2), ("empty.csv", 0)):
        assert source_rows(one_source(f"datasets/sources/{name}"), {}) == {"w": rows}
    assert source_rows(one_source("datasets/sources/shards", limit=4), {}) == {"w": 4}
    assert source_rows(one_source("datasets/sources/shards", limit=40), {}) == {"w": 7}
    assert source_rows(one_source("datasets/sources/shards"), {"w": 9}) == {"w": 9}


@pytest.mark.usefixtures("project")
def test_unknown_rows_are_asked_for_in_one_line() -> None:
    hub = {"wave": "h", "kind": "hub", "repo": "a/b", "revision": "0" * 40, "split": "s", "columns": {"caption": "c"}}
    file = {"wave": "f", "kind": "file", "path": "datasets/sources/f.csv", "columns": {"caption": "c"}}
    params = fakes.params(sources=[hub, file])
    with pytest.raises(UserError) as error:
        source_rows(params, {})
    assert str(error.value) == (
        "how many rows h, f will have is not known: give it, as in `--rows h=100000 --rows f=100000`"
    )
    assert source_rows(params, {"h": 10, "f": 20}) == {"h": 10, "f": 20}
    with pytest.raises(UserError, match=r"^--rows g=1: there is no source 'g'"):
        source_rows(params, {"g": 1})


@pytest.mark.parametrize(
    "option",
    [
        "x",
        "x=three",
        "x=²",
    ],
)
def test_rows_that_are_none(option: str) -> None:
    with pytest.raises(UserError, match=r"^--rows .*: write it as WAVE=COUNT, such as"):
        given_rows([option])


def test_the_papers_profile_comes_to_the_published_totals() -> None:
    params = check_values(Params, profile("flux-reason-6m"), Path("params.yaml"))
    found = expected_flow(
        params, {source.wave: getattr(source, "limit", None) or source.count for source in params.sources}
    )
    assert found.candidates == pytest.approx(8e6, rel=0.02)  # section 2.2
    assert found.kept == pytest.approx(5_890_279, rel=0.02)  # released rows
    assert found.captions == pytest.approx(20e6, rel=0.02)  # section 2.5, in each language
    assert found.captions / found.kept >= 3


@pytest.fixture
def with_profiles(project: Path) -> Path:
    shutil.copytree(ROOT / "profiles", project / "profiles")
    shutil.copy(ROOT / "params.yaml", project)
    return project


def call(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["estimate", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert all(len(line) <= 120 for line in result.output.splitlines())
    return result.exit_code, result.output


@pytest.mark.usefixtures("with_profiles")
def test_the_embedded_world_costs_nothing() -> None:
    code, said = call()
    assert code == 0 and said.startswith("params.yaml: an estimate; no model was asked\n")
    assert said.endswith("\n`gamut try 3` tries it with a few records, `dvc repro` builds it\n")
    assert "no GPU, no cost" in said and "H200" not in said and "tokens read" not in said
    told = json.loads(CliRunner().invoke(app, ["estimate", "--json"]).stdout)
    asked = {line["stage"]: line["requests"] for line in told["dataset"]}
    assert (asked["imagine"], asked["find_text"]) == (60, 150) and told["models"][0]["free"]
    assert told["rows"]["rows"] == 330 and sum(told["bytes"].values()) > 0
    for row in ("imagine    │ world         │       60 │", "find_text  │ world         │      150 │"):
        assert row in said


@pytest.mark.usefixtures("with_profiles")
def test_the_papers_profile_says_hours_and_where_every_figure_comes_from() -> None:
    code, said = call("flux-reason-6m")
    assert code == 0 and "H200-hours ┃" in said and "cost ┃" not in said
    flat = " ".join(said.split())
    assert "`gamut use flux-reason-6m` puts it in place, then `gamut try 3` tries" in flat
    assert "15,000 A100-days" in flat and "H200-hours and costs of gemini" in flat
    assert re.search(r"The dataset takes [\d.]+ H200-seconds for each kept picture", flat)
    of_benchmarks = (*figures.MEASURED_LENGTHS, *figures.SPEEDS)
    for figure in (*SHARES.values(), *figures.COUNTS, *figures.LENGTHS, *of_benchmarks, *figures.SIZES):
        assert f"{figure.value:,g}  {figure.meaning.split()[0]}" in said


def test_money_needs_prices(with_profiles: Path) -> None:
    assert "cost ┃" not in call("openai")[1]
    prices = "[models.painter]\nimage_price = 0.05\n[models.chat]\ninput_price = 0.1\noutput_price = 0.5\n"
    (with_profiles / "run.toml").write_text(prices)
    said = call("openai")[1]
    painted = next(line for line in said.splitlines() if line.startswith("│ synthesize"))
    assert painted.split("│")[-2].strip() == "7.15"  # 143 candidates at 0.05
    assert "H200-hours and costs of" not in said


@pytest.mark.usefixtures("with_profiles")
def test_mistakes_are_one_line() -> None:
    assert call("parti") == (
        1,
        "how many rows parti will have is not known: give it, as in `--rows parti=100000`\n",
    )
    assert call("parti", "--rows", "parti=1632")[0] == 0
    assert call("partii")[1] == "there is no profile 'partii'; did you mean 'parti'?\n"
    assert call("parti", "--rows", "1632")[0] == 1


def test_lines_add_up_a_stages_parts() -> None:
    params = with_models(FLUX, QWEN)
    asked = [Ask("annotate", "captioner", 10, 100, 20), Ask("annotate", "captioner", 5, 200, 40)]
    [line] = dataset_lines(params, asked, Settings(models={"other": Endpoint(input_price=1e6)}))
    assert (line.stage, line.model, line.requests) == ("annotate", "other", 15)
    assert (line.input_tokens, line.output_tokens, line.cost) == (2000, 400, 2000)
    assert line.gpu_hours == pytest.approx((2000 / 3300 + 400 / 1800) / 3600)
