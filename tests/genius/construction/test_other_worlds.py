"""Other worlds: how often whoever lacks a modality is right, counted over all that it might have said or shown."""

from __future__ import annotations

import re

from stages.genius.construction.other_worlds import RULES
from stages.genius.construction.rule_book import cases
from stages.genius.construction.scenes import accepts
from tests.genius.construction.solving import pool

MANY = 15


def test_a_context_has_two_to_five_sentences_and_an_instruction_one() -> None:
    for sub_task in RULES:
        for case in cases(sub_task, 15, MANY, pool()):
            assert 2 <= len(re.findall(r"\.(?= |$)", case.context)) <= 5
            assert case.prompt.endswith(".") and case.prompt.count(".") == 1


def test_an_edited_picture_is_never_right_as_it_is() -> None:
    for sub_task in RULES:
        for case in cases(sub_task, 14, MANY, pool()):
            assert not any(accepts(case.wanted, scene) for _, scene in case.pictures)
