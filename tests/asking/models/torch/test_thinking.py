"""Thinking of chat models in this process: switched by the chat template's variables, kept apart, counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from gamut.asking.models.torch import chat_network
from gamut.asking.parts import bundle
from gamut.asking.requests import Create, Reply
from gamut.project.errors import UserError
from tests import tiny_chat_models
from tests.tiny_chats import ask, chat, opened

BEGUN, ENDED = "<think>\n", "<think>\n\n</think>\n\n"
END = "{{ '<|im_start|>assistant\n' }}"
SWITCH = "{% if enable_thinking is not defined or enable_thinking %}BEGUN{% else %}ENDED{% endif %}"
TEMPLATE = tiny_chat_models.TEXT_TEMPLATE.replace(END, END + SWITCH.replace("BEGUN", BEGUN).replace("ENDED", ENDED))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose replies only the token that ends a turn ends; many bytes do, as these models are saved."""
    folder = tiny_chat_models.qwen2(tmp_path_factory.mktemp("thinking") / "qwen2", TEMPLATE)
    file = folder / "generation_config.json"
    config = json.loads(file.read_bytes())
    file.write_text(json.dumps(config | {"eos_token_id": config["eos_token_id"][:1]}))
    return folder


@pytest.mark.parametrize(
    ("variables", "end"),
    [(None, BEGUN), ({"enable_thinking": True}, BEGUN), ({"enable_thinking": False}, ENDED)],
)
def test_variables_reach_the_chat_template(variables: Any, end: str, folder: Path) -> None:
    network = opened(folder, chat_template_kwargs=variables)
    prompt = chat_network.prompt_of(network, chat("a <think>"))
    assert network.tokenizer.decode(prompt.tokens).endswith(f"<|im_end|>\n<|im_start|>assistant\n{end}")
    assert prompt.thinks == (end == BEGUN)


def test_a_name_that_is_no_variable_of_the_template_is_an_error(folder: Path) -> None:
    with pytest.raises(UserError) as caught:
        opened(folder, chat_template_kwargs={"enable_thinkin": False})
    fix = "fix models.tiny.chat_template_kwargs in params.yaml"
    assert str(caught.value) == f"judge (tiny): enable_thinkin is not a variable of its chat template: {fix}"


def replied(written: str, folder: Path, monkeypatch: pytest.MonkeyPatch, **values: Any) -> list[Reply]:
    """What becomes of this, written as free text and as JSON, a byte a token and an end."""
    network = opened(folder, **values)
    tokens = [*network.tokenizer.encode(written, add_special_tokens=False), tiny_chat_models.ID["<|im_end|>"]]
    monkeypatch.setattr(
        network.weights, "generate", lambda input_ids, **_: torch.tensor([[*input_ids[0].tolist(), *tokens]])
    )
    return ask(network, Create(("Say.",), ("text",), 0, 0, 1), chat("Say."))


def test_thinking_that_the_template_begins_is_kept_apart(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free, form = replied('Hm, {"b"}\n</think>\n\n{"a": 1}', folder, monkeypatch)
    assert free.content == bundle(['{"a": 1}'], 'Hm, {"b"}') and form.content == b'{"a": 1}'
    assert free.output_tokens == form.output_tokens == len('Hm, {"b"}\n</think>\n\n{"a": 1}') + 1
    cut = replied("Hm, still", folder, monkeypatch)
    assert [reply.content for reply in cut] == [bundle([""], "Hm, still"), b"<think>Hm, still"]


def test_a_tag_within_json_is_part_of_its_text(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    off = {"chat_template_kwargs": {"enable_thinking": False}}
    assert replied('{"a": "</think>"}', folder, monkeypatch, **off)[1].content == b'{"a": "</think>"}'
    assert replied('<think>Hm</think>{"a": 1}', folder, monkeypatch, **off)[1].content == b'{"a": 1}'
