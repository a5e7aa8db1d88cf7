"""Implicit patterns: what somebody likes has to be found out from pictures, and applied (section 2.2; figure 11)."""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction

from stages.genius.construction.cases import Case, Rule
from stages.genius.construction.scenes import Pool, Scene, in_words


def preferred_style(chance: random.Random, pool: Pool) -> Case:
    """One style is liked, another disliked: a thing is to be painted in the one that is liked."""
    first, second, asked = pool.things_for(chance, 3)
    styles = chance.sample(pool.styles, 2)
    pictures = (("a", Scene((first,), style=styles[0])), ("b", Scene((second,), style=styles[1])))
    liked = chance.randrange(2)
    verbs = ("like", "dislike") if liked == 0 else ("dislike", "like")
    others = [style for style in pool.styles if style != styles[liked]]
    subject = in_words(Scene((asked,)), pool)
    return Case(
        context=f"I {verbs[0]} the style of <image:a>. I {verbs[1]} the style of <image:b>.",
        prompt=f"Paint {subject} in the style that I like.",
        pictures=pictures,
        wanted=Scene((asked,), style=styles[liked]),
        others=tuple(Scene((asked,), style=style) for style in others),
        told=f"The style that I like is that of a {styles[liked]}.",
        shown=f"<image:{'ab'[liked]}> is a {styles[liked]}, and that is the style that I like.",
    )


RULES: Mapping[str, Rule] = {
    "preferred_style": Rule(preferred_style, Fraction(1, 5), Fraction(1, 2)),
}
