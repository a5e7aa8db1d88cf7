"""What the dataset's card says: the data card that the build wrote, with its pictures where a version has them."""

from __future__ import annotations

from stages.dataset.reporting.outputs import CARD
from stages.project.errors import UserError
from stages.project.papers import FLUX_REASON
from stages.publish.card import About
from stages.publish.files import PICTURES
from stages.publish.products import Product

MEND = "`dvc repro statistics` writes it, `git restore datasets/card.md metrics` brings back what was committed"
REBUILDING = """\
`dvc repro` there rebuilds these bytes where the models give the same replies, as the embedded world does and stored \
replies do; a model behind a server need not answer twice alike."""
RIGHTS = """\
The terms of others may hold too: of the painter's model for the pictures, of the models that wrote them for the \
texts, of their source for the captions in `caption_original`."""


def about(product: Product) -> About:
    """Return the build's own card, without its title, and what goes with it; a UserError when it is not there."""
    try:
        title, _, body = CARD.read_text(encoding="utf-8").partition("\n")
    except FileNotFoundError:
        raise UserError(f"{CARD}: there is no data card: {MEND}") from None
    if not title.startswith("# "):
        raise UserError(f"{CARD}: does not begin with a title: {MEND}")
    return About(
        summary=f"{product.rows:,} synthesized pictures with captions in English and Chinese, among them a generation "
        "chain-of-thought for each.",
        body=body.replace("](../metrics/", f"]({PICTURES}"),
        languages=("en", "zh"),
        tasks=("text-to-image", "image-to-text"),
        tags=("gamut", "synthetic", "image-captions", "chain-of-thought"),
        rebuilding=REBUILDING,
        rights=RIGHTS,
        paper="The pipeline follows this paper",
        paper_citation=FLUX_REASON,
    )
