"""BibTeX that a parser takes apart into what was put in, whatever characters a title or a name has."""

from __future__ import annotations

import pytest

from stages.publish.card import bibtex
from stages.publish.publication import Publication


def entry(**values: object) -> str:
    given = {"repo": "org/My_name.v2", "version": "1.2.0-rc.1", "title": "T", "license": "mit"} | values
    return bibtex(Publication.model_validate(given))


def depth(text: str) -> int:
    """How deep the braces are at the end, as BibTeX counts them: it knows no escaping."""
    level = 0
    for sign in text:
        level += {"{": 1, "}": -1}.get(sign, 0)
        assert level >= 0
    return level


def test_an_entry() -> None:
    assert entry(authors=["Ada Lovelace", "Ohm, Georg"]) == (
        "@misc{My-name-v2-1-2-0-rc-1,\n"
        "  title = {{T}},\n"
        "  author = {Ada Lovelace and Ohm, Georg},\n"
        "  version = {1.2.0-rc.1},\n"
        "  howpublished = {Hugging Face Hub},\n"
        "  url = {https://huggingface.co/datasets/org/My_name.v2}\n"
        "}\n"
    )


@pytest.mark.parametrize("text", ["a } b { c", "\\{", "50 % & #1 $x$ a_b ~ ^", "甲：乙"])
def test_braces_stay_in_pairs(text: str) -> None:
    assert depth(entry(title=text, authors=[text, "B"])) == 0


def test_signs_that_mean_something_to_latex_are_spelled() -> None:
    assert "{{100\\% \\& \\{" not in entry(title="100% & {")
    assert "title = {{100\\% \\& {\\textbraceleft}}}" in entry(title="100% & {")
