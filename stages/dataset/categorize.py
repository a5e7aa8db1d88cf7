"""Phase two of the filter, the decision: which characteristics reach their thresholds (FLUX-Reason-6M, section 2.3)."""

from __future__ import annotations

from functools import partial

from gamut.dataset.shared.parameters import CHARACTERISTICS, Score
from gamut.pipeline.steps import Decides, Figure, start
from gamut.project.validation import Strict
from gamut.tables.columns import Row, table_schema


class Categorize(Strict):
    """Lowest relevance that makes a picture belong, 0..10."""

    composition: Score
    entity: Score
    text: Score
    imaginative: Score
    style: Score
    abstract: Score


def decide(row: Row, lowest: Categorize) -> Row:
    if row["status"] != "ok":
        return {"id": row["id"], "categories": [], "text": False, "reason": f"score_{row['status']}"}
    found = [name for name in CHARACTERISTICS if row[f"score_{name}"] >= getattr(lowest, name)]
    reason = None if found else "no_category"
    return {"id": row["id"], "categories": found, "text": "text" in found, "reason": reason}


STEP = Decides(
    "categorize",
    about="score",
    columns=("status", *(f"score_{name}" for name in CHARACTERISTICS)),
    schema=table_schema("id categories:[string] text:bool reason"),
    rule=lambda params, _: partial(decide, lowest=params.categorize),
    parameters={"categorize": Categorize},
    passes="it shows at least one characteristic",
    left="with a category",
    share={"text": Figure(0.2, "of the clear pictures are labelled text rendering", "our guess; 12 % of the release")},
)

if __name__ == "__main__":
    start(STEP)
