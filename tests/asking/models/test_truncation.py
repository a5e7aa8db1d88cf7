"""What tokenizers cut, as pipelines of several kinds use them: no weights, one token a letter."""

from __future__ import annotations

import string
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("transformers")

import transformers

from stages.asking.models.diffusers import Reading, cuts, watch

TEMPLATE = "{% for message in messages %}[{{ message.content }}]{% endfor %}"


def tokenizer() -> Any:
    """One token a letter, one that begins the text and one that ends it."""
    letters = [*string.ascii_lowercase, *(f"{letter}</w>" for letter in string.ascii_lowercase)]
    tokens = ["<|startoftext|>", "<|endoftext|>", "[", "]", "[</w>", "]</w>", *letters]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    return transformers.CLIPTokenizer(vocab=vocabulary, merges=[], model_max_length=77)


def test_only_what_may_be_cut_is_noted():
    words = tokenizer()
    kind = type(words)
    readings = watch(SimpleNamespace(components={"tokenizer": words, "vae": object()}), {})
    assert isinstance(words, kind) and type(words).__name__ == kind.__name__
    cut = words(["o" * 90, "o"], padding="max_length", max_length=10, truncation=True)
    assert [len(ids) for ids in cut["input_ids"]] == [10, 10], "the tokenizer answers as before"
    words("o" * 90, truncation=True)
    words("o" * 90)
    assert readings == [Reading(0, 10, [92, 3]), Reading(0, 77, [92])]


def test_a_template_and_a_processor_hide_nothing():
    words = tokenizer()
    words.chat_template = TEMPLATE
    readings = watch(SimpleNamespace(components={"tokenizer": SimpleNamespace(tokenizer=words)}), {})
    asked = [{"role": "user", "content": "o" * 10}]
    words.apply_chat_template(asked, tokenize=True, truncation=True, max_length=8)
    [reading] = readings
    assert (reading.limit, reading.tokens) == (8, [12]), "ten letters and two brackets of the template"


@pytest.mark.parametrize(
    ("readings", "prompts", "said"),
    [
        ([Reading(0, 77, [77])], 1, [""]),
        ([Reading(0, 77, [120])], 1, ["the prompt was cut at 77 of 120 tokens"]),
        ([Reading(0, 77, [120]), Reading(1, 512, [130])], 1, [""]),
        ([Reading(0, 77, [200]), Reading(1, 128, [190])], 1, ["the prompt was cut at 128 of 190 tokens"]),
        ([Reading(0, 77, [120]), Reading(0, 77, [99])], 1, ["the prompt was cut at 77 of 120 tokens"]),
        ([Reading(0, 77, [9, 80]), Reading(0, 77, [3, 3])], 2, ["", "the prompt was cut at 77 of 80 tokens"]),
        ([Reading(0, 77, [9, 80, 3, 3])], 2, ["", "the prompt was cut at 77 of 80 tokens"]),
        ([Reading(0, 77, [9]), Reading(0, 77, [80])], 2, ["", "the prompt was cut at 77 of 80 tokens"]),
    ],
    ids=[
        "just as many",
        "SDXL",
        "FLUX: T5 reads what CLIP sums up",
        "HiDream: the best of them",
        "then a long one",
        "two prompts",
        "two prompts and their negatives at once",
        "FLUX.2-klein: a call for each prompt",
    ],
)
def test_what_is_said(readings: list[Reading], prompts: int, said: list[str]):
    assert cuts(readings, prompts) == said
