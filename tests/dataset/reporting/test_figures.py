"""The figures of a build of nine candidates, every one counted by hand, and of a build of which nothing came."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamut.dataset.reporting import counts
from gamut.dataset.reporting.figures import TABLES, gather_figures, reasons_by_step, summary_figures
from gamut.dataset.shared import joins
from tests.dataset import small_build
from tests.dataset.small_build import I0, SCHEMAS, asked, put


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the build; nobody changes it."""
    folder = tmp_path_factory.mktemp("build")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        small_build.write()
    return folder


@pytest.fixture(scope="module")
def report(built: Path) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(built)
        return gather_figures(small_build.params()).report


def test_the_release(report: dict[str, Any]) -> None:
    # two pictures: entity, detail, original (style has no translation); imaginative, detail
    assert report["release"] == {
        "pictures": 2,
        "captions_english": 5,
        "captions_chinese": 5,
        "captions_per_picture": 2.5,
    }
    assert report["pictures_with"] == {"2_captions": 1, "3_captions": 1}
    nothing = {"captions": 0, "share_of_pictures": 0.0, "mean_words": 0.0}
    assert report["descriptions"] == {
        "composition": nothing,
        "entity": {"captions": 1, "share_of_pictures": 0.5, "mean_words": 4.0},
        "text": nothing,
        "imaginative": {"captions": 1, "share_of_pictures": 0.5, "mean_words": 5.0},
        "style": nothing,
        "abstract": nothing,
        "detail": {"captions": 2, "share_of_pictures": 1.0, "mean_words": 30.0},  # (20 + 40) / 2
        "original": {"captions": 1, "share_of_pictures": 0.5, "mean_words": 3.0},
    }


def test_what_dvc_shows(report: dict[str, Any]) -> None:
    assert summary_figures(report) == {"pictures": 2}  # of 3 that were selected 1 is held out


def test_sources(report: dict[str, Any]) -> None:
    assert report["sources"] == {
        "legacy": {"candidates": 4, "images_missing": 1, "prompts": 2, "released": 1, "share": 0.5},
        "imagined": {"candidates": 3, "images_missing": 0, "prompts": 2, "released": 1, "share": 0.5},
        "mined": {"candidates": 2, "images_missing": 0, "prompts": 1, "released": 0, "share": 0.0},
    }


def test_what_became_of_every_row(report: dict[str, Any], built: Path) -> None:
    assert list(report["source_rows"].items()) == [("ok", 8), ("invalid_input", 1)]
    assert list(report["prompts"]) == ["kept", "duplicate", "invalid_input", "legibility", "rewrite_parse_error"]
    assert report["prompts"] == {
        "kept": 5,
        "duplicate": 1,
        "invalid_input": 1,
        "legibility": 1,
        "rewrite_parse_error": 1,
    }
    assert report["select"] == {"kept": 3, "clarity": 1, "synthesize_unsupported": 1}
    assert report["hold_out"] == {"kept": 2, "benchmark": 1} and report["held_out_for"] == {"prism/v1": 1}
    assert [name for name in report if name in {folder.name for folder in TABLES}] == [f.name for f in TABLES]
    rows = {folder.name: sum(counts.rows_by_wave(built / folder).values()) for folder in TABLES}
    assert {name: sum(report[name].values()) for name in rows} == rows


def test_keep_rates(report: dict[str, Any]) -> None:
    assert report["keep_rate"] == {
        "legible": 0.5,
        "prompts": 0.625,  # 5 of 8: the ninth had no legible text
        "synthesize": 0.8,
        "admit": 0.75,
        "categorize": 1.0,
        "typography": 1.0,
        "prompt": 1.0,
        "originals": 0.5,
        "hold_out": 0.6667,
        "release": 1.0,
        "select": 0.6,  # 3 of 5
        "build": 0.2222,  # 2 of 9
    }


def test_every_row_is_left_out_by_one_filter(report: dict[str, Any]) -> None:
    """Of 9 candidates 2 are released: 7 are left out; originals leave out captions, no rows."""
    own = reasons_by_step(report)
    left_out = Counter({name: sum(n for reason, n in of.items() if reason != "kept") for name, of in own.items()})
    assert left_out == Counter(legible=1, prompts=3, synthesize=1, admit=1, originals=1, hold_out=1)
    assert left_out.total() - left_out["originals"] == 9 - 2


def test_answers_that_are_missing(report: dict[str, Any]) -> None:
    assert {status: n for status, n in report["failures"].items() if n} == {
        "parse_error": 2
    }  # a rewrite, a translation
    assert {status: n for status, n in report["declined"].items() if n} == {"unsupported": 1}
    assert report["withheld"] == {"captions": 1, "captions_parse_error": 1, "pictures_without_detail": 0}


def test_a_picture_without_chain_of_thought_is_withheld(project: Path) -> None:
    small_build.write()
    put(joins.table_of("release"), [])
    assert gather_figures(small_build.params()).report["withheld"]["pictures_without_detail"] == 2


def test_calls_and_tokens(report: dict[str, Any]) -> None:
    """One reply a row, but: three seed prompts are one reply, and two rows of a slice share one."""
    calls = {
        "brainstorm": 1,
        "imagine": 2,
        "embed_prompts": 3,
        "rewrite": 3,
        "find_text": 2,
        "mine_text": 1,
        "synthesize": 5,
        "examine": 4,
        "score": 3,
        "proofread": 1,
        "follow": 3,
        "annotate": 7,
        "align": 2,
        "translate": 9,
    }
    expected = {s: {"calls": n, "input_tokens": 100 * n, "output_tokens": 10 * n} for s, n in calls.items()}
    assert sum(calls.values()) == 46
    assert report["asked"] == expected | {
        "all": {"calls": 46, "input_tokens": 4600, "output_tokens": 460},
        "per_kept_picture": {"calls": 23.0, "input_tokens": 2300.0, "output_tokens": 230.0},
    }


def test_mean_scores(report: dict[str, Any]) -> None:
    assert report["mean_score"] == {
        "legibility": 6.0,  # 9, 3
        "image_clarity": 7.5,  # 10, 3, 9, 8
        "image_structure": 8.75,  # 9, 9, 9, 8
        "composition": 0.0,
        "entity": 3.0,  # 9, 0, 0
        "text": 3.0,
        "imaginative": 3.333,
        "style": 2.667,
        "abstract": 0.0,
        "contrast": 9.0,
        "letterforms": 8.0,
        "sense": 9.0,
        "follows": 7.333,  # 9, 8, 5
        "original": 7.0,  # 9, 5
    }


def flat(values: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        yield from flat(value, f"{path}{key}.") if isinstance(value, dict) else [(f"{path}{key}", value)]


def test_dvc_can_show_every_figure(report: dict[str, Any]) -> None:
    """`dvc metrics diff` shows numbers in nested keys and drops lists; NaN is not JSON."""
    figures = dict(flat(report))
    assert all(type(value) in (int, float) and math.isfinite(value) for value in figures.values())
    assert not any("." in key for section in report.values() for key in section)
    json.dumps(report, allow_nan=False)


def test_a_build_of_which_nothing_came(project: Path) -> None:
    small_build.empty()
    build = gather_figures(small_build.params())
    assert build.report["release"] == {
        "pictures": 0,
        "captions_english": 0,
        "captions_chinese": 0,
        "captions_per_picture": 0.0,
    }
    assert build.report["sources"]["legacy"] == {
        "candidates": 0,
        "images_missing": 0,
        "prompts": 0,
        "released": 0,
        "share": 0.0,
    }
    assert build.report["keep_rate"] == build.report["mean_score"] == {}
    assert build.report["asked"]["per_kept_picture"] == {"calls": 0.0, "input_tokens": 0.0, "output_tokens": 0.0}
    assert all(math.isfinite(value) for _, value in flat(build.report))
    assert set(summary_figures(build.report).values()) == {0}


@settings(max_examples=20)
@given(st.lists(st.tuples(st.integers(0, 299), st.integers(0, 3)), max_size=40))
def test_a_request_is_counted_once_in_a_slice(tmp_path_factory: pytest.TempPathFactory, rows: list[Any]) -> None:
    """Rows 0-99, 100-199 and 200-299 are slices: within one a request is asked once, whoever needs it."""
    folder = tmp_path_factory.mktemp("table") / "table"
    rows = sorted(dict(rows).items())
    put(
        folder,
        [asked({"id": f"legacy-{n:08d}"}, str(request)) for n, request in rows],
        SCHEMAS[joins.table_of("mine_text")],
    )
    once = len({(n // 100, request) for n, request in rows})
    expected = {"calls": once, "input_tokens": 100 * once, "output_tokens": 10 * once}
    assert counts.usage_in(folder, "legacy-00000") == expected


def test_word_counts_have_bins_of_ten_and_one_for_the_longest(project: Path) -> None:
    texts = [" one two  three ", " ".join("w" * 10), " ".join("w" * 9), "w " * 499, "w " * 500, "w " * 9000]
    untrue = {f"bool_caption_{name}": name == "detail" for name in counts.DESCRIPTIONS} | {"caption_original": "a car"}
    put(
        joins.table_of("release"),
        [{"id": f"legacy-{n:08d}", "caption_detail": text, **untrue} for n, text in enumerate(texts)],
    )
    found = counts.captions_in(joins.table_of("release"), "legacy-00000")
    assert {n * 10: count for n, count in enumerate(found["lengths"]["detail"]) if count} == {
        0: 2,  # 3 and 9 words
        10: 1,
        490: 1,
        500: 2,  # 500 and 9,000
    }
    assert found["words"]["detail"] == 3 + 10 + 9 + 499 + 500 + 9000
    assert found["english"]["detail"] == 6 and found["chinese"]["detail"] == 0
    assert found["english"]["original"] == 0 and found["pictures"] == {"1": 6}  # it stands there, its flag false


def test_novelty(project: Path) -> None:
    """Embedded are two that are alike, and a third whose cosine to both is .6: the nearest are 1, 1 and .6."""
    small_build.write()
    of_all = {"prompts": 3, "embedded": 3, "nearest_median": 1.0, "nearest_90th_percentile": 1.0}
    of_all |= {"share_near_another": 0.6667, "share_repeating_another": 0.3333}  # 2 of 3; the second of two that repeat
    assert counts.novelty({"imagined"}) == of_all
    assert counts.novelty({"other"})["share_repeating_another"] == 0.0
    put(joins.table_of("embed_prompts"), [])  # the embedder failed
    nothing = {"embedded": 0, "nearest_median": 0.0, "nearest_90th_percentile": 0.0, "share_near_another": 0.0}
    assert counts.novelty({"imagined"}) == of_all | nothing
    put(joins.table_of("imagine"), [asked({"id": I0, "caption": None, "seeds": ["seeds-00000000"]}, I0, "parse_error")])
    assert counts.novelty({"imagined"}) == {"prompts": 0}


def test_the_nearest_other_vector() -> None:
    """Of (3, 4), (0, 2), (-1, 0): cosines .8, -.6 and 0; what has no length is near nothing."""
    found = counts.nearest_others(np.array([[3.0, 4.0], [0.0, 2.0], [-1.0, 0.0], [0.0, 0.0]]))
    assert found.round(9).tolist() == [0.8, 0.8, 0.0, 0.0]
    assert counts.nearest_others(np.array([[1.0, 0.0]])).tolist() == [0.0]
