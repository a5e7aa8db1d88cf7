"""What a model draws is each record's own: twenty of one stage, at temperature 1, with their real seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transformers")

import transformers

from stages.asking.models.chat_network import Network, prompt_of
from stages.asking.models.transformers import answered
from stages.asking.outcomes import Outcome
from stages.asking.questions import Asked
from stages.asking.requests import Chat, Reply
from stages.asking.visiting import Answer
from stages.dataset.translate import into_chinese
from tests import fakes, tiny_chat_models
from tests.tiny_chats import ends_of_turns_alone, opened

RECORDS, BATCH = 20, 20


def indifferent(folder: Path) -> Network:
    """A network whose next token hardly depends on what it read: what it writes is what its seed draws."""
    config = transformers.Qwen2Config(
        **tiny_chat_models.LANGUAGE | {"initializer_range": 0.001, "num_hidden_layers": 1}
    )
    network = transformers.Qwen2ForCausalLM(config)
    tiny_chat_models.save(folder, network, tiny_chat_models.TEXT_TEMPLATE)
    return opened(ends_of_turns_alone(folder), sampling={"temperature": 1, "max_tokens": 8})


def asked_about(number: int) -> Asked:
    """What is asked about a record by the stage's own visit, whose seeds come of the build's."""
    record = {"id": f"w-{number:08d}", "captions": [{"description": "detail", "caption": f"{number} cubes"}]}
    lost = [Answer(Outcome("parse_error", reason="lost"), "fake", ())]
    [[asked]], _ = fakes.drive(into_chinese(fakes.params(seed=4))(record), lambda asked: lost)
    assert isinstance(asked, Asked)
    return asked


def replies_to(network: Network, requests: Sequence[Any]) -> list[Reply]:
    """In batches, as on a GPU: one by one this takes five times as long."""
    prompts = [prompt_of(network, request) for request in requests]
    batches = [prompts[first : first + BATCH] for first in range(0, len(prompts), BATCH)]
    return [reply for batch in batches for reply in answered(network, batch)]


def test_no_two_records_are_answered_alike_and_no_repair_as_what_it_repairs(tmp_path: Path) -> None:
    network = indifferent(tmp_path / "network")
    asked = [asked_about(number) for number in range(RECORDS)]
    first = replies_to(network, [one.request for one in asked])
    ended = [replace(reply, finish="stop") for reply in first]  # what is cut off would not be repaired
    repairs = [one.next([reply]) for one, reply in zip(asked, ended, strict=True)]
    assert all(isinstance(request, Chat) for request in repairs)
    said = [reply.content for reply in [*first, *replies_to(network, repairs)]]
    assert len(set(said)) == 2 * RECORDS

    one_seed = [replace(one.request, seed=4) for one in asked[:10]]
    assert len({reply.content for reply in replies_to(network, one_seed)}) == 1, "so it would be with the build's seed"
