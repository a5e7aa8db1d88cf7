"""Replies bound by a grammar: whatever a random network writes is JSON of the schema, or cut off."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import torch
import transformers as package
from tokenizers import Tokenizer
from tokenizers.decoders import ByteLevel as Decoder
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel
from tokenizers.trainers import BpeTrainer

from stages.asking.models import chat_network, transformers
from stages.asking.requests import Chat, Create, Message, Request
from stages.dataset import examine
from stages.project.errors import UserError
from tests import tiny_chat_models
from tests.tiny_chat_models import ID
from tests.tiny_chats import ask, ends_of_turns_alone, opened

REASON = "xgrammar is not installed (an extra of its own, as it wants triton): pip install -e '.[grammar]'"
pytest.importorskip("xgrammar", reason=REASON)

VERDICT = {
    "type": "object",
    "properties": {
        "kind": {"enum": ["cube", "ball"]},
        "score": {"type": "integer", "minimum": 0, "maximum": 10},
        "sure": {"type": "boolean"},
    },
    "required": ["kind", "score", "sure"],
    "additionalProperties": False,
}
SAID = {
    "type": "object",
    "properties": {"said": {"type": "string"}},
    "required": ["said"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ends_of_turns_alone(tiny_chat_models.qwen2(tmp_path_factory.mktemp("grammars") / "qwen2"))


def bound(folder: Path, **values: Any) -> Any:
    return opened(folder, structured_output="grammar", **values)


def asked(schema: dict[str, Any], text: str, seed: int) -> Chat:
    return Chat("x", (Message("user", (text,)),), schema, seed)


def test_a_random_network_writes_json_of_the_schema(folder: Path) -> None:
    network = bound(folder, sampling={"temperature": 1, "max_tokens": 60})
    prompts = [chat_network.prompt_of(network, asked(VERDICT, "Judge.", seed)) for seed in range(12)]
    replies = transformers.answered(network, prompts)
    assert {reply.finish for reply in replies} == {"stop"}, "60 tokens are more than it can be"
    values = [json.loads(reply.content) for reply in replies]
    for value, reply in zip(values, replies, strict=True):
        assert reply.content.decode() == json.dumps(value), "no other whitespace"
        assert reply.output_tokens == len(reply.content) + 1, "a byte a token, and the end"
        assert [*value] == ["kind", "score", "sure"]
        assert value["kind"] in ("cube", "ball") and value["score"] in range(11) and value["sure"] in (True, False)
    assert len({reply.content for reply in replies}) > 5


def test_tokens_of_several_bytes_and_rows_of_the_network_without_a_token(tmp_path: Path) -> None:
    """As published ones are: merges run across quotes and commas, and the network has rows that are no token."""
    texts = [
        json.dumps({"kind": kind, "score": score, "sure": True}) for kind in ("cube", "ball") for score in range(11)
    ]
    learnt = Tokenizer(BPE())
    learnt.pre_tokenizer, learnt.decoder = ByteLevel(add_prefix_space=False, use_regex=False), Decoder()
    trainer = BpeTrainer(
        vocab_size=400, special_tokens=list(tiny_chat_models.CONTROL), initial_alphabet=tiny_chat_models.BYTES
    )
    learnt.train_from_iterator(texts, trainer)
    words = package.PreTrainedTokenizerFast(
        tokenizer_object=learnt,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        chat_template="{{ messages[0].content }}",
    )
    end = words.convert_tokens_to_ids("<|im_end|>")
    torch.manual_seed(1)
    config = package.Qwen2Config(**tiny_chat_models.LANGUAGE | {"vocab_size": len(words) + 37, "eos_token_id": end})
    package.Qwen2ForCausalLM(config).save_pretrained(tmp_path)
    words.save_pretrained(tmp_path)
    network = bound(tmp_path, sampling={"temperature": 1.5, "max_tokens": 60})
    replies = transformers.answered(
        network, [chat_network.prompt_of(network, asked(VERDICT, "?", n)) for n in range(12)]
    )
    assert {reply.finish for reply in replies} == {"stop"}
    assert {reply.content.decode() for reply in replies} <= {*texts, *(text.replace("true", "false") for text in texts)}
    assert any(reply.output_tokens < 20 for reply in replies), "in fewer tokens than bytes"


def test_rows_of_a_batch_have_each_a_form_of_their_own(folder: Path) -> None:
    """Padded as on a GPU: in float32 the last bits that padding changes decide no token of these."""
    for sampling in ({"temperature": 0.8, "top_p": 0.9}, {}):
        network = bound(folder, sampling={"max_tokens": 40, **sampling})
        free = Create(("Say anything at all.",), ("text",), 0, 0, 3)
        requests: list[Request] = [asked(VERDICT, "Judge.", 1), free, asked(SAID, "Say.", 2), asked(VERDICT, "Ah", 4)]
        prompts = [chat_network.prompt_of(network, request) for request in requests]  # type: ignore[arg-type]
        alone = [reply for prompt in prompts for reply in transformers.answered(network, [prompt])]
        assert transformers.answered(network, prompts) == alone
        assert [reply.content[:1] == b"{" for reply in alone] == [True, False, True, True], sampling
        unbound = opened(folder, sampling={"max_tokens": 40, **sampling})
        assert ask(unbound, free) == ask(network, free), "a grammar changes nothing of free text"


def allowed(network: Any, written: str, schema: dict[str, Any] = SAID, thinking: Any = "never") -> set[str]:
    """The tokens that may follow what was written, each a byte."""
    step = network.follow([(schema, thinking)])
    tokens = [[0]]
    for token in [None, *network.tokenizer.encode(written, add_special_tokens=False)]:
        tokens[0] += [] if token is None else [token]
        scores = step(torch.tensor(tokens), torch.zeros(1, len(ID)))
    return {token for token, number in ID.items() if scores[0, number] == 0}


def test_control_tokens_and_the_end_stand_where_they_may(folder: Path) -> None:
    network = bound(folder)
    assert allowed(network, "") == {"{"}
    inside = allowed(network, '{"said": "a')
    assert {"b", '"', "\\"} <= inside and not inside & {*tiny_chat_models.CONTROL}
    assert allowed(network, '{"said": "a"') == {"}"}, "neither a comma nor whitespace"
    assert allowed(network, '{"said": "a"}') == {"<|im_end|>"}


def test_the_form_begins_after_thinking(folder: Path) -> None:
    network = bound(folder)
    assert allowed(network, "", thinking="possible") == {"<", "{"}
    assert allowed(network, "<think>Hm {", thinking="possible") >= {"a", "<", "\u010a"}
    assert allowed(network, "<think>Hm</think>\n", thinking="possible") == {"{", "\u010a", "\u0120"}
    assert allowed(network, "Hm</think>", thinking="begun") == {"{", "\u010a", "\u0120"}
    assert "<|im_end|>" not in allowed(network, "Hm", thinking="begun")
    assert allowed(network, 'Hm</think>{"said": ""}', thinking="begun") == {"<|im_end|>"}


def test_schemas_of_questions_have_a_grammar_that_is_made_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import xgrammar

    made = []
    make = xgrammar.Grammar.from_json_schema
    monkeypatch.setattr(
        xgrammar.Grammar, "from_json_schema", staticmethod(lambda *of, **how: made.append(of) or make(*of, **how))
    )
    network = bound(folder, sampling={"max_tokens": 4})
    request = examine.EXAMINE.about({}, seed=1).request
    replies = ask(network, request, request, asked(SAID, "Say.", 1), request)
    assert len(made) == 2 and {reply.content for reply in replies} == {replies[0].content, replies[2].content}


def test_a_vocabulary_that_cannot_write_a_form_is_told_in_one_line(tmp_path: Path) -> None:
    """As it is saved, an "a" ends this network's replies: it cannot write this key."""
    network = bound(tiny_chat_models.qwen2(tmp_path / "qwen2"))
    with pytest.raises(UserError, match=r"^judge \(tiny\): its vocabulary has no token to go on [^\n]*$"):
        ask(network, asked({"type": "object", "properties": {"a": {}}, "required": ["a"]}, "Say.", 1))
