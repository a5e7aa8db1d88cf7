"""Which of the six characteristics a prompt's words point to: a rough guess for balance, made before any picture.

What a picture truly shows is scored later by the judge (FLUX-Reason-6M, section 2.3); this costs nothing and asks
nobody. The characteristics are looked for from the rarest in web captions to the commonest (section 2.2: imagination
and text rendering are severely lacking there).
"""

from __future__ import annotations

import re

from stages.texts.chinese import quoted

CUES = {
    "imaginative": r"surreal|fantas\w+|dreamlike|impossible|levitat\w+|floating|otherworldly|mythical|dragons?|"
    r"magical?|alien|enchanted|giant moon|two moons|miniature world|made entirely of|defying gravity",
    "style": r"(?:in the )?style of|painting|watercolou?r|oil on|illustration|woodcut|engraving|sketch|render(?:ing)?|"
    r"pop art|poster|cubis\w+|impressionis\w+|anime|pixel art|art deco|art nouveau|long exposure|fisheye|bokeh|"
    r"black and white|film grain|macro|tilt-shift",
    "abstract": r"mood|atmosphere|feeling|joyful|joyous|serene|serenity|melanchol\w+|lonely|solitude|peaceful|calm|"
    r"mysterious|dramatic|nostalgi\w+|ominous|hopeful|grief|anger|tender\w*|eerie|dreamy|gloomy|cheerful",
    "composition": r"(?:to the )?(?:left|right) of|next to|beside|behind|in front of|above|below|beneath|underneath|"
    r"on top of|between|surrounded by|in the foreground|in the background|inside|against a",
}
PATTERNS = {name: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for name, words in CUES.items()}
NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+")
"""A capital letter in the middle of a sentence: somebody or something with a name."""


def characteristic(prompt: str) -> str | None:
    """Return the characteristic that a prompt's words point to (one of `params.CHARACTERISTICS`), or None."""
    if quoted(prompt):
        return "text"
    for name, pattern in PATTERNS.items():
        if pattern.search(prompt):
            return name
    return "entity" if NAME.search(prompt) else None
