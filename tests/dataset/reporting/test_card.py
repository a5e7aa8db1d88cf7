"""The data card: every number in it is a figure of the build or a parameter, and what it says is true of this build."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gamut.dataset.reporting import card as cards
from gamut.dataset.reporting.card import DESCRIPTIONS, card
from gamut.dataset.reporting.counts import DESCRIPTIONS as COUNTED
from gamut.dataset.reporting.figures import Report, gather_figures, reasons_by_step
from gamut.dataset.reporting.outputs import CARD, CONTACT_SHEET
from stages.dataset.annotate import Annotate
from stages.dataset.pipeline import ASKING, Params
from tests import fakes
from tests.dataset import small_build

NUMBER = re.compile(r"(?<![\w/.,-])\d+(?:,\d{3})*(?:\.\d+)?(?:%|(?![\w/]))")
"""A number that stands alone: not in FLUX-Reason-6M, prism/v1 or distinct-2."""
OPENAI = {
    "kind": "openai",
    "id": "org/big",
    "revision": "abc",
    "numerics": "bfloat16",
    "sampling": {"temperature": 0.7, "max_tokens": 512},
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("build"))
        small_build.write()
        return gather_figures(small_build.params()).report


def leaves(values: Any) -> Iterator[Any]:
    if isinstance(values, dict | list | tuple):
        for value in values.values() if isinstance(values, dict) else values:
            yield from leaves(value)
    else:
        yield values


def spelled(values: Any) -> set[str]:
    """Every way in which the card may write the numbers among these values."""
    numbers = [value for value in leaves(values) if isinstance(value, int | float) and not isinstance(value, bool)]
    return {form for number in numbers for form in (f"{number:,}", str(number), f"{number:.1%}")}


def known(params: Params, report: Report) -> set[str]:
    """The figures, the parameters, and the sums that the card makes of them."""
    own = reasons_by_step(report)
    sums = [sum(of.values()) for of in own.values()] + [sum(report["seeds"].values())]
    sums += [sum(report["hold_out"].values()) - report["hold_out"]["kept"]]
    for role in {step.role for step in ASKING}:
        used = [report["asked"][step.name] for step in ASKING if step.role == role and step.name in report["asked"]]
        sums += [sum(of[name] for of in used) for name in ("calls", "input_tokens", "output_tokens")]
    fixed = {"2", "0", "10"}  # section 2 of the paper; scores from 0 to 10
    captions = {name.split("_")[0] for name in report["pictures_with"]}
    given = params.model_dump()
    families = len(given["brainstorm"]["families"])
    return fixed | captions | spelled([report, own, sums, given, families])


def test_every_number_is_computed(report: Report) -> None:
    params = small_build.params()
    found = set(NUMBER.findall(card(params, report)))
    assert len(found) > 20 and not found - known(params, report)


def test_every_figure_reaches_the_text(report: Report) -> None:
    """Each one, when it changes, changes the card: nothing is written from memory."""
    params, before = small_build.params(), card(small_build.params(), report)
    shown = ("release", "sources", "descriptions", "pictures_with", "held_out_for", "failures", "declined", "novelty")
    for section in shown:
        for path, value in paths(report[section]):
            changed = {**report, section: with_value(report[section], path, value + 7)}
            assert card(params, changed) != before, (section, path)


def paths(values: dict[str, Any], start: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for key, value in values.items():
        yield from paths(value, (*start, key)) if isinstance(value, dict) else [((*start, key), value)]


def with_value(values: dict[str, Any], path: tuple[str, ...], value: Any) -> dict[str, Any]:
    key, *rest = path
    return values | {key: with_value(values[key], tuple(rest), value) if rest else value}


def test_that_the_captioner_read_the_prompts_is_said_where_it_did(report: Report) -> None:
    params = small_build.params()
    with_prompt = params.model_copy(update={"annotate": Annotate(max_failures=0, prompt_for_names=True)})
    assert "given each picture's prompt" not in card(params, report)
    assert "translated. The captioner was given each picture's prompt to take names from:" in card(with_prompt, report)


def test_a_filter_that_nobody_was_asked_about_is_not_there(report: Report) -> None:
    params = small_build.params()
    without = params.model_copy(update={"follow": params.follow.model_copy(update={"ask": False})})
    assert "sense 6; how far a picture follows its prompt 5; legibility" in card(params, report)
    text = card(without, report | {"follow": {}})
    assert "follows its prompt" not in text and "what its prompt asks for" not in text


def test_what_is_in_it(report: Report) -> None:
    text = card(small_build.params(), report)
    assert (
        "\n2 synthesized pictures with 5 captions in English and 5 in Chinese, 2.5 a picture in each language." in text
    )
    assert "| `caption_detail` | generation chain-of-thought | 2 | 100.0% | 30.0 |" in text
    assert "| `caption_text` | lettering, quoted as it stands in the picture | 0 | 0.0% | 0.0 |" in text
    assert "language: 1 with 2 captions, 1 with 3 captions.\n" in text
    assert "asked for in 64×64 pixels" in text
    assert tuple(DESCRIPTIONS) == COUNTED


def test_kept_pictures_and_sizes_are_named(report: Report) -> None:
    """The wave `legacy` has one of the two released pictures."""
    kept = [source | ({"route": "keep"} if source["wave"] == "legacy" else {}) for source in small_build.SOURCES]
    small = {"width": 64, "height": 64, "sizes": [{"width": 64, "height": 64}]}
    text = card(
        small_build.params(sources=kept, roles=fakes.values()["roles"] | {"painter": "gpt"}, synthesize=small), report
    )
    assert "\n2 pictures (1 of them the sources' own, the others synthesized) with 5 captions" in text
    assert "asked for in 64×64 pixels; sources' own pictures have theirs" in text
    assert "* `keep`: the source's own pictures, not painted anew." in text


def test_how_it_was_made(report: Report) -> None:
    text = card(small_build.params(), report)
    assert "| legacy | rewrite | random scenes of the embedded world | 4 | 1 | 2 | 1 | 50.0% |" in text
    assert "| imagined | imagine | the writer | 3 | 0 | 2 | 1 | 50.0% |" in text
    assert "* `rewrite`: " in text and "* `as_is`" not in text
    assert "Of 3 seed prompts in 2 concept families 2 were kept, and each call of the writer showed 2 of them." in text
    assert "| writer | the embedded world |  | imagine | 2 | 200 | 20 |" in text
    # judge: examine 4, score 3, proofread 1, follow 3, align 2
    assert "| judge | org/model | its defaults | examine, score, proofread, follow, align | 13 | 1,300 | 130 |" in text
    # of the three embedded prompts two are alike, and the third is .6 from both
    assert "Of 3 of them, evenly out of all, the nearest other one has a similarity of 1.0 (the median;" in text
    assert "of one in ten 1.0 or more, and 66.7% have one above 0.9. 33.3% of all were left out because" in text
    assert "clarity 7, structure 6; characteristics: composition 7," in text


def test_what_was_left_out(report: Report) -> None:
    text = card(small_build.params(), report)
    rows = dict(re.findall(r"^\| `(\w+)` \| [^|]+ \| (.*) \|$", text.split("## What was left out")[1], re.MULTILINE))
    assert rows == {
        "legible": "2 | 1 | 1 legibility",
        "prompts": "8 | 5 | 1 duplicate, 1 invalid_input, 1 rewrite_parse_error",
        "synthesize": "5 | 4 | 1 unsupported",
        "admit": "4 | 3 | 1 clarity",
        "categorize": "3 | 3 | none",
        "typography": "1 | 1 | none",
        "prompt": "3 | 3 | none",
        "hold_out": "3 | 2 | 1 benchmark",
        "release": "2 | 2 | none",
        "originals": "2 | 1 | 1 alignment",
    }
    assert "Prompts that repeat an earlier one: 1; that nearly repeat one: 0." in text
    assert "\n1 picture was held out as an item" in text and "; prism/v1: 1.\n" in text
    assert "2 parse_error (failures); 1 unsupported (declined)" in text
    assert "1 caption was withheld in both languages because a translation is missing; 0 pictures were withheld" in text


def test_pictures_that_look_alike(report: Report) -> None:
    assert "and so do pictures that look alike.\n" in card(small_build.params(), report)
    on = small_build.params(same_pictures={"bits": 12, "similarity": 0.98})
    alike = report | {"same_pictures": {"kept": 2, "same_picture": 1}}
    text = card(on, alike | {"select": report["select"] | {"same_picture": 1}})
    assert "differ in more than 12 of 143 bits and the cosine of their embeddings is below 0.98.\n" in text
    assert "| `same_pictures` | it repeats no earlier picture | 3 | 2 | 1 same_picture |" in text


def test_the_embedded_world_is_named_where_it_answered(report: Report) -> None:
    mixed = card(small_build.params(), report)
    assert "which answered as painter, captioner, translator, seed_writer, writer; other models had the other" in mixed
    roles = fakes.values()["roles"]
    alone = card(small_build.params(roles=dict.fromkeys(roles, "world")), report)
    assert "seed_writer, writer. It is a small artificial world" in alone
    real = card(small_build.params(models={"big": OPENAI}, roles=dict.fromkeys(roles, "big")), report)
    assert "No number here says" in alone and "No number here says" in mixed and "No number here says" not in real


def test_a_model_is_named_with_revision_numerics_and_sampling(report: Report) -> None:
    roles = dict.fromkeys(fakes.values()["roles"], "big")
    params = small_build.params(models={"big": OPENAI}, roles=roles)
    assert cards.model(params, "writer", "big") == (
        "org/big, revision abc, bfloat16",
        "temperature 0.7, max_tokens 512",
    )
    faulty = small_build.params(models={"world": {"kind": "sandbox", "faults": {"blur": 0.1}}, "gpt": OPENAI})
    assert cards.model(faulty, "painter", "world") == ("the embedded world", "faults injected: blur 0.1")


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ({"kind": "file", "path": "datasets/sources/a.tsv", "columns": {"caption": "c"}}, "`datasets/sources/a.tsv`"),
        ({"kind": "folder", "path": "datasets/sources/pictures", "route": "mine_text"}, "`datasets/sources/pictures`"),
        (
            {
                "kind": "hub",
                "repo": "o/d",
                "revision": "0" * 40,
                "config": "en",
                "split": "train",
                "columns": {"caption": "c"},
            },
            f"`o/d` on the Hugging Face Hub, en/train, revision {'0' * 40}",
        ),
    ],
)
def test_every_kind_of_source_is_named(block: dict[str, Any], words: str) -> None:
    params = fakes.params(sources=[{"wave": "w"} | block])
    assert cards.origin(params.sources[0]) == words


def test_its_pictures_are_those_of_the_same_build(report: Report) -> None:
    shown = re.findall(r"!\[[^]]+\]\(([^)]+)\)", card(small_build.params(), report))
    assert {os.path.normpath(CARD.parent / path) for path in shown} == {str(CONTACT_SHEET)}


def test_a_build_of_which_nothing_came(project: Path) -> None:
    small_build.empty()
    params = small_build.params()
    report = gather_figures(params).report
    text = card(params, report)
    assert "\n0 synthesized pictures with 0 captions" in text and "seed prompts in" not in text
    assert not set(NUMBER.findall(text)) - known(params, report)
