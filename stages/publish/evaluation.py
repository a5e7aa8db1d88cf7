"""`eval.yaml`: a benchmark as the Hub registers it, one task a language.

Only where params.yaml wants it: the Hub checks the file when it is pushed, and takes only evaluation frameworks that it
knows, of which gamut is none yet; a leaderboard it shows only for benchmarks that it has let in.
"""

from __future__ import annotations

from stages.publish.card import About
from stages.publish.products import Product

FRAMEWORK = "gamut"


def evaluation(product: Product, about: About) -> str:
    """Return the file's text."""
    from huggingface_hub import CardData

    tasks = [{"id": f"{product.name}_{code}", "config": "default", "split": product.split} for code in about.languages]
    whole = CardData(
        name=product.publication.title,
        description=about.summary,
        evaluation_framework=FRAMEWORK,
        tasks=tasks,
    )
    return whole.to_yaml() + "\n"
