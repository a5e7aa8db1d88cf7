"""Replies that can be nothing but JSON of their schema: xgrammar forbids each token that would leave it.

Whitespace is what `json.dumps` puts: where any is allowed, models write newlines until the reply is cut off. Thinking
comes before the form where the chat template begins it, and may where it knows it and has not ended it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

import orjson

from stages.project.errors import UserError
from stages.project.plain_text import one_line

Thinking = Literal["never", "possible", "begun"]
"""Whether a reply may begin with thinking; where it has `begun`, the opening tag stands in the prompt."""
Step = Callable[[Any, Any], Any]
"""A step of `generate`: from the tokens so far [batch, length] and the scores of the next one [batch, vocabulary] to
scores."""
GRAMMARS = 64  # compiled ones that are kept: a stage has a handful of schemas, each of a few megabytes
BEGUN, ENDED = re.compile(r"<think(?:ing)?>\s*\Z"), re.compile(r"</think(?:ing)?>\s*\Z")


def thinking_after(prompt: str, chat_template: str) -> Thinking:
    """Return whether a model thinks first, from how its prompt ends and what its chat template knows."""
    if BEGUN.search(prompt):
        return "begun"
    return "possible" if "<think" in chat_template and not ENDED.search(prompt) else "never"


def open_grammars(
    name: str, tokenizer: Any, width: int, ends: Sequence[int]
) -> Callable[[Sequence[tuple[Mapping[str, Any] | None, Thinking]]], Step]:
    """Return what makes the step for a batch, from each row's schema (None for free text) and thinking.

    `width` is the size of the network's vocabulary, which may be more than the tokenizer's; `ends` are the tokens that
    end a reply, and may be written only when it is whole. UserError when xgrammar does not know such a tokenizer.
    """
    import xgrammar

    mend = "take structured_output out of it in params.yaml"
    try:
        compiler = xgrammar.GrammarCompiler(vocabulary(tokenizer, width, ends))
    except ValueError as error:
        raise UserError(f"{name}: xgrammar knows no such tokenizer ({one_line(str(error), 300)}): {mend}") from None

    @lru_cache(GRAMMARS)
    def compiled(schema: bytes, thinking: Thinking) -> Any:
        form = xgrammar.Grammar.from_json_schema(schema.decode(), any_whitespace=False)
        if thinking == "never":
            return compiler.compile_grammar(form)
        between = xgrammar.Grammar.from_ebnf(r"root ::= [ \n]{0,2}")
        tag = {"type": "tag", "begin": "", "content": {"type": "any_text"}, "end": "</think>"}
        if thinking == "possible":
            tag["begin"] = "<think>"
        thought = xgrammar.Grammar.from_structural_tag({"type": "structural_tag", "format": tag})
        thoughtful = xgrammar.Grammar.concat(thought, between, form)
        either = thoughtful if thinking == "begun" else xgrammar.Grammar.union(form, thoughtful)
        return compiler.compile_grammar(either)

    def follow(rows: Sequence[tuple[Mapping[str, Any] | None, Thinking]]) -> Step:
        matchers = [
            None if schema is None else xgrammar.GrammarMatcher(compiled(orjson.dumps(schema), thinking))
            for schema, thinking in rows
        ]
        begun = False

        def step(tokens: Any, scores: Any) -> Any:
            nonlocal begun
            allowed = xgrammar.allocate_token_bitmask(len(matchers), width)  # of all tokens
            for row, (matcher, last) in enumerate(zip(matchers, tokens[:, -1].tolist(), strict=True)):
                if matcher is None or matcher.is_terminated():
                    continue
                goes_on = not begun or matcher.accept_token(last)
                if goes_on and not matcher.is_terminated():
                    matcher.fill_next_token_bitmask(allowed, row)
                    goes_on = bool(allowed[row].any())
                if not goes_on:
                    raise UserError(f"{name}: its vocabulary has no token to go on with a reply's form: {mend}")
            begun = True
            # In torch's own arithmetic, which is the same on every device.
            xgrammar.apply_token_bitmask_inplace(scores, allowed.to(scores.device), backend="torch_native")
            return scores

        return step

    return follow


def vocabulary(tokenizer: Any, width: int, ends: Sequence[int]) -> Any:
    """Return the vocabulary as xgrammar takes it: control tokens, which decoding leaves out, stand for no text."""
    import xgrammar

    whole = xgrammar.TokenizerInfo.from_huggingface(tokenizer, vocab_size=width, stop_token_ids=list(ends))
    control = {number for number, token in tokenizer.added_tokens_decoder.items() if token.special}
    written = [""] * width
    for token, number in tokenizer.get_vocab().items():
        if number < width and number not in control:
            written[number] = token
    return xgrammar.TokenizerInfo.from_vocab_and_metadata(written, whole.dump_metadata())
