"""`eval.yaml`: a benchmark as the Hub registers it, one task a language.

The Hub shows a leaderboard only for benchmarks that it has let in, and for evaluation frameworks that it knows; until
then the file says no more than how the tasks are named.
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
