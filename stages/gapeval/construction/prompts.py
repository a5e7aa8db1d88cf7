"""A case in words: one question for two answers."""

from typing import NamedTuple


class Prompts(NamedTuple):
    """`question` is answered in words, `prompt` in a picture; `reference_text`: what is right in words."""

    question: str
    prompt: str
    reference_text: str
