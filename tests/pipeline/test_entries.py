"""The text of a dvc.yaml: what DVC reads from it is what its records say, however long or strange values are."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from gamut.pipeline.entries import WIDTH, Entry, dvc_yaml_text, read_dvc_yaml, uncached_output

BELOW = Path("stages/gir/dvc.yaml")
ANSWER = Entry(
    name="answer",
    command="stages.gir.answer ${item.contestant}",
    code=("gamut/asking", "stages/gir/shared"),
    data=("datasets/editions/gir/${gir.edition}.jsonl",),
    params=("seed", "contestants.${item.contestant}"),
    outs=("datasets/gir/answers/${item.contestant}", uncached_output("metrics/gir.json")),
    matrix={"contestant": "${gir.contestants}"},
    remark="Everybody answers.",
)


def test_a_stage_is_a_few_plain_lines() -> None:
    assert dvc_yaml_text(BELOW, "stages/gir/curation.py", "GIR-Bench.", [ANSWER]).splitlines() == [
        "# Written by `gamut pipeline` from stages/gir/curation.py: edit that, and run it again.",
        "# GIR-Bench.",
        "vars: [../../params.yaml]",
        "stages:",
        "  # Everybody answers.",
        '  answer: {wdir: ../.., matrix: {contestant: "${gir.contestants}"}, '
        'cmd: "python -m stages.gir.answer ${item.contestant}",',
        '    params: [seed, "contestants.${item.contestant}"], outs: ["datasets/gir/answers/${item.contestant}",',
        "    {metrics/gir.json: {cache: false}}],",
        '    deps: [gamut/asking, stages/gir/shared, "datasets/editions/gir/${gir.edition}.jsonl"]}',
    ]


texts = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]) | st.just(" "), min_size=1)
plots = st.dictionaries(texts, texts | st.lists(texts) | st.booleans() | st.dictionaries(texts, texts), min_size=1)


@given(st.lists(texts, min_size=1), st.lists(plots))
def test_whatever_stands_in_it_is_read_as_it_is(data: list[str], plotted: list[dict]) -> None:
    found = read_dvc_yaml(dvc_yaml_text(Path("dvc.yaml"), "x", "", [ANSWER._replace(data=data)], plotted))
    assert found["stages"]["answer"]["deps"] == [*ANSWER.code, *data] and found.get("plots", []) == plotted


def test_lines_have_a_width() -> None:
    text = dvc_yaml_text(BELOW, "x", "", [ANSWER._replace(data=[f"datasets/table_{n}" for n in range(90)])])
    assert max(map(len, text.splitlines())) <= WIDTH
