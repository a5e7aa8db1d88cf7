"""Probes of published items: a writer adds wrong options, contestants choose, and the gap has a board."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gamut.asking.models import opening
from gamut.asking.parts import bundle
from gamut.asking.requests import Chat, Create, Reply, Request, fields_of, pictures_of
from gamut.command.estimate.benchmarks import benchmark_lines
from gamut.evaluation.boards import agree, rank, score
from gamut.evaluation.bodies import answer, judge, write
from gamut.evaluation.curating.freeze import import_items
from gamut.evaluation.defining.editions import path_of
from gamut.project.errors import UserError
from gamut.project.settings import Settings
from gamut.project.validation import check_values
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows
from stages.genius.curation import CURATION
from stages.genius.shared.benchmark import GENIUS, Params
from stages.genius.shared.items import GeniusItem
from tests import fakes
from tests.genius.genius_folders import ROOT, drawn, entry, put_task
from tests.genius.small_genius import VALUES

RIGHT = ("It shows three cats.", "It shows a worm in a book.")
SCORED = "(All satisfied: 2 score; Satisfied one sentence: 1 score; Not satisfied: 0 score)"
WRONG = {RIGHT[0]: ["It shows two cats.", "It shows three dogs.", "It shows a sun."]}
SETTINGS = ["interleaved", "text_hints", "multimodal_hints", "probe"]
MODEL = {"kind": "openai", "id": "m", "revision": "1"}


def params(max_failures: int = 1, **changes: Any) -> Params:
    answering = {"width": 64, "height": 64, "max_failures": max_failures}
    block = VALUES | {"repeats": 1, "settings": SETTINGS, "writers": ["gpt"], "answer": answering}
    one = {"class": "unified", "model": MODEL | {"pictures_from": "chat"}}
    models = {"gpt": MODEL, "world": MODEL}
    values = fakes.values(genius=block | changes, contestants={"one": one})
    return check_values(Params, values | {"models": values["models"] | models}, Path("params.yaml"))


def reply(request: Request) -> Reply:
    """The writer knows of the first item alone; the contestant chooses what shows three cats, and paints blue."""
    if isinstance(request, Create):
        text = "\n".join(part for part in request.parts if isinstance(part, str))
        if "image" in request.modalities:
            return Reply(bundle([drawn(9)]))
        return Reply(bundle([f"The answer is {text[text.index(RIGHT[0]) - 3]}."]))
    assert isinstance(request, Chat)
    if request.name != "write_options":
        return Reply(json.dumps({"reason": "r", "score": 0}).encode())
    assert len(pictures_of(request)) == 3
    return Reply(json.dumps({"options": WRONG.get(fields_of(request)["right"], ["It shows a worm."] * 3)}).encode())


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("written")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name in ("GAMUT_STORE", "GAMUT_RUN"):
            patch.delenv(name, raising=False)
        patch.setattr(opening, "open_model", lambda *_: fakes.Fake(reply))
        put_task("multi_semantic", *(entry(n, rc_hint=f"{right} {SCORED}") for n, right in enumerate(RIGHT)))
        list(import_items(CURATION, ROOT, "v1"))
        before = path_of("genius", "v1").read_bytes()
        write.write(GENIUS, params(), "gpt")
        answer.answer(GENIUS, params(), "one")
        judge.judge(GENIUS, params(), "one", "world")
        score.measure(GENIUS, params(), "one")
        score.score(GENIUS, params(), "one")
        agree.agree(GENIUS, params())
        rank.rank(GENIUS, params())
        assert path_of("genius", "v1").read_bytes() == before
        yield folder


@pytest.fixture
def items(project: Path, monkeypatch: pytest.MonkeyPatch) -> list[GeniusItem]:
    monkeypatch.chdir(project)
    return GENIUS.items(params())


def rows(table: str) -> list[Row]:
    return [*read_rows(Path("datasets/genius", table))]


def test_a_writer_adds_wrong_options_to_what_the_hint_says(items: list[GeniusItem]) -> None:
    probe = items[0].probe
    assert probe is not None and {*probe.options} == {RIGHT[0], *WRONG[RIGHT[0]]}
    assert probe.options["ABCD".index(probe.right)] == RIGHT[0] and GENIUS.items(params()) == items


def test_whose_options_cannot_be_used_has_no_probe(items: list[GeniusItem]) -> None:
    """They say less than the hint: a picture that is right would show them too. They are asked for three times."""
    [_, failed] = rows("written/gpt")
    assert (failed["status"], len(failed["replies"]), items[1].probe) == ("parse_error", 3, None)
    assert "two options are the same" in failed["reason"]
    with pytest.raises(UserError, match=r"genius\.write@gpt"):
        write.write(GENIUS, params(max_failures=0), "gpt")


def test_both_hints_and_the_probe_are_answered_and_ranked(items: list[GeniusItem]) -> None:
    answered = Counter(row["setting"] for row in rows("answers/one"))
    assert answered == {"interleaved": 2, "text_hints": 2, "multimodal_hints": 2, "probe": 1}
    found = json.loads(Path("metrics/genius/v1/board.json").read_text())
    assert (found["probe.rules.one.overall"], found["execution_gap.world.one.gap"]) == (100, 100)  # known, not painted
    assert {"text_hints_over_interleaved.world.one.gain", "multimodal_hints_over_interleaved.world.one.gain"} <= {
        *found
    }


def test_nobody_writes_where_no_probe_is_put(items: list[GeniusItem]) -> None:
    plain = params(settings=["interleaved"])
    assert GENIUS.writing is not None and GENIUS.writing.lacking(GENIUS.block(plain), items) == {}


def test_the_bill_counts_them_before_there_are_any(items: list[GeniusItem], monkeypatch: pytest.MonkeyPatch) -> None:
    Path("datasets/genius/written").rename("datasets/genius/hidden")
    lines = {line.stage: line.requests for line in benchmark_lines(GENIUS, params(), Settings())}
    Path("datasets/genius/hidden").rename("datasets/genius/written")
    assert lines["genius.write"] == 2 and lines["genius.answer"] == 2 * len(SETTINGS)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["It shows two cats.", "It shows a cat.", "It shows a dog"], None),
        (["It shows two cats.", "It shows three cats", "It shows a dog."], "the same"),
        (["It shows two cats.", "It shows cats.", "It shows a dog."], "left out or added"),
        (["It shows two cats.", "It shows three red cats.", "It shows a dog."], "left out or added"),
        (["It shows two cats.", "It shows <image:a.png>.", "It shows a dog."], "names a picture"),
        (["It shows two cats.", " ", "It shows a dog."], "blank"),
        (["A) It shows two cats.", "B) It shows a cat.", "C) It shows a dog."], "a letter or number before it"),
        (["1. It shows two cats.", "(2) It shows a cat.", "It shows a dog."], "a letter or number before it"),
        (["3.5 cats.", "A cat: it sits.", "**A.** dog"], "a letter or number before it"),
        (["3.5 cats.", "A cat: it sits.", "It shows dogs."], None),
        (["It shows two cats."], "1 wrong options are given"),
    ],
)
def test_options_that_may_be_right_or_are_none_are_asked_for_again(options: list[str], why: str | None) -> None:
    assert GENIUS.writing is not None
    question = GENIUS.writing.question
    said = question.check(question.reply(options=options), {"right": RIGHT[0]})  # type: ignore[call-arg]
    assert (said is None) if why is None else (said is not None and why in said)


def test_a_writer_has_to_be_one_that_writes() -> None:
    with pytest.raises(UserError, match=r"genius\.writers\.0: no model 'nobody'"):
        params(writers=["nobody"])
