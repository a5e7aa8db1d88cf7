"""Lengths and numbers that `gamut estimate` expects of steps, each with its origin."""

from __future__ import annotations

from gamut.pipeline.steps import Figure

GUESS = "our guess"
CATEGORIES = Figure(
    1.85, "categories a kept picture", "20 M captions of 5.89 M: 3.4 less a chain-of-thought, .55 originals"
)
PAIRS_FROM = 0.4
"""The lowest `ask_from` for which these figures hold; below it, as many items are near as may be asked about."""
PAIRS = Figure(10, "items near a caption or prompt that are asked about", "PartiPrompts, all-MiniLM-L6-v2 from .4 on")
PAIRS_BY_WORDS = Figure(5, "items near a caption or prompt that are asked about", "PartiPrompts, tfidf from .4 on")

DETAIL_CHARACTERS = Figure(1073, "characters in a chain-of-thought", "the released data's median")
CHARACTERS_PER_WORD = Figure(6, "characters a word, 4 a token", "of those 1,073 for 150 to 220 words")
CAPTION_WORDS = Figure(55, "words in a caption of a category", "the middle of what is asked for, as for all replies")
LEGACY_WORDS = Figure(10, "words in a source's own caption", GUESS)
VERDICT_WORDS = 5
"""Words in a model's verdict on one of several pairs: its number, and for one in five a few words and JSON around."""
PROMPT_WORDS = 65
"""Words in a prompt that a captioner wrote."""
SEED_WORDS = 27
"""Words in a seed prompt."""
DETAIL_WORDS = DETAIL_CHARACTERS.value / CHARACTERS_PER_WORD.value
