"""What a pipeline's tokenizers cut off a prompt: diffusers paints what is left and says so, if at all, in a log.

Every pipeline counts in its own way (templates around the prompt, several text encoders of several limits). So nothing
is computed anew here: the tokenizers are watched as the pipeline uses them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple


class Reading(NamedTuple):
    """One call of a tokenizer that may cut: which tokenizer, after how many tokens, and how many each text has."""

    tokenizer: int
    limit: int
    tokens: Sequence[int]


def watch(pipeline: Any, arguments: Mapping[str, Any]) -> list[Reading]:
    """Return a list to which the tokenizers of a pipeline add what they read from now on.

    Qwen-Image's reads 1,024 tokens, of which the pipeline drops afterwards what is too many: it is told beforehand.
    """
    if type(pipeline).__name__.startswith("QwenImage") and "max_sequence_length" in arguments:
        pipeline.tokenizer_max_length = arguments["max_sequence_length"]
    readings: list[Reading] = []
    for number, tokenizer in enumerate(tokenizers(pipeline)):
        watch_one(number, tokenizer, readings)
    return readings


def tokenizers(pipeline: Any) -> Iterator[Any]:
    from transformers import PreTrainedTokenizerBase

    found = [getattr(part, "tokenizer", part) for part in getattr(pipeline, "components", {}).values()]
    unlike = {id(one): one for one in found if isinstance(one, PreTrainedTokenizerBase)}
    return iter(unlike.values())


def watch_one(number: int, tokenizer: Any, readings: list[Reading]) -> None:
    """Have a tokenizer note what it reads: by a class of its own, since Python looks up `__call__` there, and a
    tokenizer also calls itself (chat templates).
    """
    kind = type(tokenizer)

    def call(self: Any, text: Any = None, *args: Any, **options: Any) -> Any:
        made = kind.__call__(self, text, *args, **options)
        if options.get("truncation") and text:
            texts = [text] if isinstance(text, str) else list(text)
            special = options.get("add_special_tokens", True)
            whole = kind.__call__(self, texts, add_special_tokens=special)["input_ids"]
            limit = options.get("max_length") or self.model_max_length
            readings.append(Reading(number, limit, [len(tokens) for tokens in whole]))
        return made

    tokenizer.__class__ = type(kind.__name__, (kind,), {"__call__": call})


def cuts(readings: Sequence[Reading], prompts: int) -> list[str]:
    """Return a remark for each of the prompts of one call, empty where a tokenizer read it whole.

    A pipeline with several reads a prompt as far as the best of them: CLIP's 77 tokens give FLUX and SD3 a summary
    beside what T5 reads. Negative prompts follow the prompts, in the same order. Some read all in one call, others
    (FLUX.2-klein) each in its own.
    """
    read: dict[tuple[int, int], list[int]] = {}
    for one in readings:
        read.setdefault((one.tokenizer, one.limit), []).extend(one.tokens)
    said = []
    for prompt in range(prompts):
        cut = {
            tokenizer: (limit, too_many[0])
            for (tokenizer, limit), tokens in read.items()
            if (too_many := [count for count in tokens[prompt::prompts] if count > limit])
        }
        whole = not cut or len(cut) < len({tokenizer for tokenizer, _ in read})
        said.append("" if whole else "the prompt was cut at {} of {} tokens".format(*max(cut.values())))
    return said
