"""Specs of what is asked: another one for whatever changes what a score means, and for nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from gamut.asking import material
from gamut.asking.material import enclose
from gamut.asking.requests import Detect
from gamut.asking.seeing import Detecting
from gamut.evaluation.defining.editions import Item
from gamut.evaluation.defining.questions import Check, JudgeQuestion, MeasuredValue, Prompt, Reflection
from gamut.evaluation.running.spec import (
    Specs,
    answer_spec,
    check_specs,
    code_of_values,
    digest,
    judgment_specs,
    spec_parts,
)
from gamut.project.code import digest_of, files_of
from gamut.project.errors import UserError
from gamut.project.validation import read_yaml
from stages.aegis.shared.benchmark import AEGIS
from stages.prism.shared.benchmark import PRISM
from tests.evaluation.small_pictures import named, png
from tests.fakes import ECHO, IDENTITY, Word
from tests.paths import ROOT


class Words(Word):
    words: int


CODE = "0badcafe"
PROMPT = Prompt(("a red owl",))
ITEM = Item(id="style/0", prompt="a red owl", images=named([png(1)]))
SHOWN = JudgeQuestion(
    ECHO, {}, ("echo",), lambda reply: [MeasuredValue(1)], lambda answer, pictures: [*answer, *pictures.values()]
)


def judged(
    *judge_questions: JudgeQuestion, prompt: Prompt = PROMPT, item: Item = ITEM, seed: int = 0, **identity: Any
) -> Specs:
    return judgment_specs(judge_questions, prompt, item, IDENTITY | identity, seed, CODE)


def differing(one: Specs, other: Specs) -> set[str]:
    """The names of the parts that differ in the spec of `echo`."""
    ours, theirs = spec_parts(one["echo", 0]), spec_parts(other["echo", 0])
    return {name for name in ours | theirs if ours.get(name) != theirs.get(name)}


def asked(**changes: Any) -> Specs:
    """The question in other words."""
    return judged(replace(SHOWN, question=replace(ECHO, **changes)))


def about(**changes: Any) -> Specs:
    return judged(replace(SHOWN, **changes))


def turned(reply: Any) -> list[MeasuredValue]:
    return [MeasuredValue(1), MeasuredValue(0)]


@pytest.mark.parametrize(
    ("changed", "parts"),
    [
        (judged(SHOWN, item=ITEM.model_copy(update={"images": tuple(named([png(2)]))})), {"shown", "item"}),
        (judged(SHOWN, item=ITEM.model_copy(update={"prompt": "an owl"})), {"item"}),
        (judged(SHOWN, prompt=Prompt(("a red owl!",))), set()),  # it is the answer's
        (asked(opening="Repeat!"), {"question"}),
        (asked(instruction="Again."), {"question"}),
        (asked(name="other"), {"question"}),
        (asked(reply=Words), {"reply"}),
        (about(fields={"checklist": "Is it red?"}), {"shown"}),
        (about(material=lambda answer, pictures: enclose("right", [*answer, *pictures.values()])), {"shown"}),
        (about(measures=("echo", "echo"), read=turned), {"at_once", "reading"}),
        (about(about=[("image",)]), {"reading"}),
        (judged(SHOWN, revision="2"), {"revision"}),
        (judged(SHOWN, numerics="bfloat16"), {"numerics"}),
        (judged(SHOWN, sampling={"temperature": 0.5}), {"sampling"}),
        (judged(SHOWN, extra_body={"think": True}), {"model"}),
        (judged(SHOWN, seed=1), {"seed"}),
    ],
)
def test_which_parts_a_change_is_in(changed: Specs, parts: set[str]) -> None:
    assert differing(judged(SHOWN), changed) == parts


def test_how_material_is_shown_is_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    enclosing = replace(SHOWN, material=lambda answer, pictures: enclose("answer", answer))
    words = Prompt(("a red owl",), ("text",))
    before = judged(enclosing, prompt=words)
    monkeypatch.setattr(material, "escape_tags", lambda text: text)
    assert differing(before, judged(enclosing, prompt=words)) == {"shown"}


def test_so_is_the_code_that_reads_replies() -> None:
    """All that the benchmark's record imports, and what makes values of replies; not of other benchmarks, nor pages."""
    files = files_of("stages.aegis.shared.benchmark", "gamut.evaluation.running.judging")
    assert {f"stages/aegis/shared/{name}.py" for name in ("benchmark", "items")} <= {*files}
    assert {"gamut/asking/questions.py", "gamut/asking/replied_json.py", "gamut/tables/columns.py"} <= {*files}
    assert {"gamut/evaluation/running/judging.py", "gamut/evaluation/running/checklists.py"} <= {*files}
    rest = {file.split("/")[1] for file in files} - {"aegis", "evaluation", "asking", "project", "tables"}
    assert not rest and not [file for file in files if "/boards/" in file or "/scoring/" in file or "/models/" in file]
    assert code_of_values(AEGIS) == digest_of(files)[:8] != code_of_values(PRISM)
    declared = {name: entry["deps"] for name, entry in read_yaml(ROOT / "stages/aegis/dvc.yaml")["stages"].items()}
    for stage in ("judge", "board"):  # DVC runs again what writes specs
        assert all(any(file == dep or file.startswith(f"{dep}/") for dep in declared[stage]) for file in files)
    judged_otherwise = judgment_specs([SHOWN], PROMPT, ITEM, IDENTITY, 0, code_of_values(AEGIS))
    assert differing(judged(SHOWN), judged_otherwise) == {"code"}


def test_of_several_pictures_it_matters_which_are_shown() -> None:
    both = Prompt(("a red owl",), ("text", "image"))
    first = replace(SHOWN, material=lambda answer, pictures: answer[:1])
    last = replace(SHOWN, material=lambda answer, pictures: answer[-1:])
    assert differing(judged(first, prompt=both), judged(last, prompt=both)) == {"shown"}


def test_a_second_round_depends_on_what_it_goes_on_from() -> None:
    first, other = replace(SHOWN, measures=("first",)), replace(ECHO, opening="Say.", name="elsewhere")
    following = replace(SHOWN, question=replace(ECHO, name="again"), follows=ECHO)
    asked_first = judged(first, following)
    assert differing(asked_first, judged(replace(first, fields={"a": "b"}), following)) == {"shown"}
    assert asked_first["first", 0] == judged(first)["first", 0]
    assert differing(asked_first, judged(first, replace(first, question=other), following)) == set()


def test_each_value_of_a_measure_has_its_own() -> None:
    other = replace(SHOWN, fields={"statement": "It is red."})
    specs = judged(replace(SHOWN, measures=("echo", "other"), read=turned), other)
    assert [*specs] == [("echo", 0), ("other", 0), ("echo", 1)]
    assert specs["echo", 0] == specs["other", 0] != specs["echo", 1] == judged(other)["echo", 0]


def test_of_an_observer() -> None:
    def seen(*labels: str, name: str = "count", **identity: Any) -> Specs:
        count = Check(
            name,
            "detector",
            lambda picture: Detecting(Detect(picture, labels)),
            ("echo",),
            lambda made, beside: [MeasuredValue(len(made))],
            lambda pictures: [*pictures.values()],
        )
        return check_specs([count], ITEM, IDENTITY | identity, CODE)

    now = seen("owl")
    assert differing(now, seen("owl")) == set() and differing(now, seen("owl", "cat")) == {"shown"}
    assert differing(now, seen("owl", name="other")) == {"question"}
    assert differing(now, seen("owl", revision="2")) == {"revision"}


def answered(prompt: Prompt = PROMPT, width: int = 256, seed: int = 0, rewritten: Any = None) -> Mapping[str, str]:
    return spec_parts(answer_spec(prompt, (width, 256), seed, rewritten))


def test_of_an_answer() -> None:
    now = answered()
    assert now == {"given": digest(["a red owl"]), "wanted": "image", "size": "256x256", "seed": "0"}
    assert answered(width=128) == now | {"size": "128x256"} and answered(seed=1) == now | {"seed": "1"}
    assert answered(Prompt(("a red owl",), size=(64, 64))) == now | {"size": "64x64"}
    assert "size" not in answered(Prompt(("a red owl",), ("text",)))
    assert answered(rewritten=["clearly"]) == now | {"rewritten": digest(["clearly"])}


def test_of_an_answer_that_is_reflected_on() -> None:
    """Its words and how often; all else is as it was."""
    ways = [Reflection("Why?", "Again!"), Reflection("What?", "Again!"), Reflection("Why?", "Anew!")]
    specs = [answered(PROMPT._replace(reflection=way)) for way in (*ways, Reflection("Why?", "Again!", 2))]
    assert len({spec["reflected"] for spec in specs}) == 4
    assert [{name: spec[name] for name in spec if name != "reflected"} for spec in specs] == [answered()] * 4


@pytest.mark.parametrize("spec", ["", "0123456789abcdef", "judge=", "a=1 a=2"])
def test_what_is_no_spec_is_said_in_a_line(spec: str) -> None:
    with pytest.raises(UserError, match="is not a spec: the table is of an earlier layout"):
        spec_parts(spec)
