"""Sandbox editions by their keys: a perfect contestant has the highest scores, one that errs the lowest, by the
benchmarks' own records, the world's judge and the observers of the laptop.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from math import sqrt
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.asking.models.ocr import open_rapidocr
from gamut.asking.models.world import sandbox
from gamut.asking.outcomes import Outcome
from gamut.asking.parts import unbundle
from gamut.asking.requests import Create, Part, Picture, Read, Reply, Request
from gamut.evaluation.defining.benchmark import Benchmark, benchmark_of
from gamut.evaluation.defining.editions import read_edition
from gamut.evaluation.defining.pictures import pictures_of
from gamut.evaluation.defining.questions import JudgeQuestion
from gamut.project.model_kinds import RapidOCRModel, SandboxModel
from gamut.project.settings import Endpoint
from gamut.project.validation import check_values, read_yaml
from gamut.tables.images import media_type
from gamut.world import keys
from gamut.world.answering import Unsupported
from gamut.world.contestant import answer, sample_fails
from gamut.world.judge import answer as judge
from tests.gir.looked_at import rows_of
from tests.paths import ROOT

SETTINGS = {
    "aegis": ("raw", "clear"),
    "gapeval": ("und", "gen"),
    "genius": ("interleaved", "edit", "probe"),
    "gir": ("t2i", "edit", "category", "prompt", "name", "choice"),
}
SIZE = 320
MANY = 4000
COUPLINGS = get_args(SandboxModel.model_fields["coupling"].annotation)


@pytest.fixture(autouse=True)
def in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@cache
def record(name: str) -> Benchmark[Any, Any]:
    return benchmark_of(name)


@cache
def block_of(name: str) -> Any:
    benchmark = record(name)
    return benchmark.block(check_values(benchmark.params, read_yaml(ROOT / "params.yaml"), Path("params.yaml")))


def prompted_in(name: str) -> Iterator[tuple[Any, str, Mapping[str, Picture]]]:
    """Every item of a sandbox edition in every setting on which it stands, with its pictures."""
    benchmark, pictures = record(name), pictures_of(name, "sandbox")
    for item in read_edition(name, "sandbox", benchmark.item):
        for setting in SETTINGS[name]:
            if benchmark.settings_of is None or setting in benchmark.settings_of(item, SETTINGS[name]):
                yield item, setting, pictures.of(item)


def answered(
    name: str, item: Any, setting: str, shown: Mapping[str, Picture], faults: Mapping[str, float]
) -> list[Part]:
    """What the world makes of an item with these faults."""
    prompt = record(name).prompt(block_of(name), item, setting, shown)
    size = prompt.size or (SIZE, SIZE)
    request = Create(prompt.parts, prompt.modalities, *(size if "image" in prompt.modalities else (0, 0)), 7)
    said: Reply = sandbox.answer(request, faults, "creator")
    assert said.finish == "stop", (item.id, said.content)
    made = unbundle(said.content)
    return [part if isinstance(part, str) else Picture(part, media_type(part)) for part in made.parts]


def judged(judge_question: JudgeQuestion, made: Sequence[Part], shown: Mapping[str, Picture]) -> list[float]:
    """The values that the world's judge gives."""
    asked = judge_question.question.about(judge_question.fields, judge_question.material(made, shown), 1)
    replies: list[Reply] = []
    step: Request | Outcome = asked.next(replies)
    while not isinstance(step, Outcome):
        replies.append(sandbox.answer(step, {}, "judge"))
        step = asked.next(replies)
    assert step.status == "ok", step.reason
    return [one.value for one in judge_question.read(step.value)]


@cache
def reader() -> Any:
    return open_rapidocr("reader", RapidOCRModel(kind="rapidocr"), Endpoint(batch=1))


def read(request: Read) -> Reply:
    [reply] = reader().generate([request])
    return reply


def share(name: str, faults: Mapping[str, float]) -> float:
    """The mean share of the highest score: of all items and settings, of GIR of one case a task."""
    benchmark, found, seen = record(name), list[float | None](), set[tuple[str, str]]()
    for item, setting, shown in prompted_in(name):
        if name == "gir" and (item.task, setting) in seen:
            continue
        seen.add((benchmark.stratum(item), setting))
        made = answered(name, item, setting, shown, faults)
        if name == "gir":
            rows = rows_of(item, setting, made, shown, read)
            found += [row["value"] for row in rows if not row["question"].endswith("_released")]
        if setting == "probe":
            found.append(float(made[0] == item.probe.right))
        for judge_question in benchmark.judge_questions(block_of(name), item, setting):
            scales = [benchmark.measures[measure] for measure in judge_question.measures]
            values = judged(judge_question, made, shown)
            found += [(v - s.lowest) / (s.highest - s.lowest) for v, s in zip(values, scales, strict=True)]
    assert None not in found
    return sum(value or 0.0 for value in found) / len(found)


@pytest.mark.parametrize("name", SETTINGS)
def test_who_knows_all_has_the_highest_scores(name: str) -> None:
    assert share(name, {}) > 0.97


@pytest.mark.parametrize(("name", "most"), [("aegis", 0.2), ("gapeval", 0.0), ("genius", 0.45), ("gir", 0.15)])
def test_who_gives_what_is_right_of_other_items_has_low_ones(name: str, most: float) -> None:
    """GENIUS's looks are as good as before: a third to a half of what is judged."""
    assert share(name, {"wrong_reasoning": 1.0}) <= most


def test_who_sees_no_context_guesses_and_a_hint_tells() -> None:
    found = {"without_context": 0, "text_hints": 0}
    for item, setting, shown in prompted_in("genius"):
        if setting != "interleaved":
            continue
        for other in found:
            made = answered("genius", item, other, shown, {})
            found[other] += judged(
                record("genius").judge_questions(block_of("genius"), item, other)[0], made, shown
            ) == [2]
    assert found["text_hints"] == 20 and 5 <= found["without_context"] <= 15


def test_a_picture_handed_back_unsolved_is_wrong() -> None:
    for item, setting, shown in prompted_in("gapeval"):
        if item.drawn and setting == "gen":
            [judge_question] = record("gapeval").judge_questions(block_of("gapeval"), item, setting)
            [question] = [picture for name, picture in shown.items() if name.startswith("question")]
            assert judged(judge_question, [question], shown) == [0]


def test_what_is_in_no_edition_is_painted_or_refused() -> None:
    scene = "two red cars to the left of a blue house"
    [picture] = answer([scene], ("image",), (SIZE, SIZE), 1, 0, {}, "independent")
    assert isinstance(picture, bytes)
    [told] = answer([picture, "What is this?"], ("text",), (0, 0), 1, 0, {}, "independent")
    assert scene in str(told)
    for parts in (["Name the capital of France."], [picture, picture[:-2], scene]):
        with pytest.raises(Unsupported):
            answer(parts, ("image",), (SIZE, SIZE), 1, 0, {}, "independent")


def test_items_that_the_world_has_no_words_for_have_no_key() -> None:
    chair = {"id": "1", "prompt": "?", "objects": ["dining table"], "numbers": [2]}
    relations = {"id": "2", "prompt": "?", "relations": [{"subject": ["a", "b"], "direction": "left", "object": ["c"]}]}
    for item in (chair, chair | {"objects": ["cat"], "numbers": [9]}, relations, {"id": 3, "prompt": "?"}):
        assert not keys.paintable(keys.key_of("gir/v1", item))
    assert keys.key_of("gir/v1", chair | {"objects": ["cat"]}).shows == "two cats."


def test_a_broken_edition_stops_no_answer_about_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = ['{"id": "1", "prompt": "?"', "[]", '{"prompt": "?"}', '{"id": "2", "images": [{}]}', "\udcff"]
    for name, text in (("toy", lines), ("gir", ['{"id": "3", "prompt": "?", "lettering": "OPEN"}'])):
        (tmp_path / keys.EDITIONS / name).mkdir(parents=True)
        path = tmp_path / keys.EDITIONS / name / "v1.jsonl"
        path.write_bytes("\n".join(text).encode(errors="surrogateescape"))
    assert [key.id for key in keys.known_keys()] == ["gir/v1/3"]


def test_grades_err_within_their_scale() -> None:
    scene = "two red cats"
    [picture] = answer([scene], ("image",), (SIZE, SIZE), 1, 0, {}, "independent")
    fields = {"rubric": f"The picture shows {scene}."}
    said = {judge("own_grade", fields, [], n, {"answer": [picture]}, {"slips": 1.0})["score"] for n in range(30)}
    assert said == {0, 1, 2}


def shares(coupling: str, text: float, image: float) -> dict[tuple[bool, bool], float]:
    """The shares of samples by whether words and picture are right."""
    found = [
        (not sample_fails("x", sample, "text", text, coupling), not sample_fails("x", sample, "image", image, coupling))
        for sample in range(MANY)
    ]
    return {both: found.count(both) / MANY for both in product((True, False), repeat=2)}


@pytest.mark.parametrize(
    ("coupling", "text", "image", "both", "neither"),
    [
        ("alike", 0.2, 0.6, 0.4, 0.2),  # what fails in words fails as a picture: 1 - 0.6 are right, 0.2 wrong in both
        ("independent", 0.2, 0.6, 0.32, 0.12),
        ("apart", 0.2, 0.6, 0.2, 0.0),  # 1 - 0.2 - 0.6
        ("apart", 0.7, 0.6, 0.0, 0.3),  # no more apart than rates allow: 0.7 + 0.6 - 1
    ],
)
def test_joint_shares_follow_from_rates_and_coupling(
    coupling: str, text: float, image: float, both: float, neither: float
) -> None:
    found = shares(coupling, text, image)
    # Four standard deviations of a share p of 4,000.
    for value, wanted in ((found[True, True], both), (found[False, False], neither)):
        assert value == pytest.approx(wanted, abs=4 * sqrt(wanted * (1 - wanted) / MANY) + 1e-9)


@given(st.text(max_size=9), st.integers(0, 99), st.sampled_from(("text", "image")), st.sampled_from(COUPLINGS))
def test_what_fails_at_a_lower_rate_fails_at_a_higher_one(asked: str, sample: int, side: str, coupling: str) -> None:
    found = [sample_fails(asked, sample, side, rate, coupling) for rate in (0.0, 0.2, 0.5, 0.9, 1.0)]
    assert found == sorted(found) and not found[0] and found[-1]
