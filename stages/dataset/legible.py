"""Which source images hold text clear enough to be described (FLUX-Reason-6M, section 2.2, mining)."""

from __future__ import annotations

from functools import partial

from gamut.dataset.shared.parameters import Score
from gamut.pipeline.steps import Decides, Figure, start
from gamut.project.validation import Strict
from gamut.tables.columns import Row, table_schema


class Legible(Strict):
    """Lowest legibility of a source image's text that passes, 0..10."""

    legibility: Score


def decide(row: Row, lowest: Legible) -> Row:
    if row["status"] != "ok":
        reason = f"find_text_{row['status']}"
    elif row["score_legibility"] < lowest.legibility:
        reason = "legibility"
    else:
        reason = None
    return {"id": row["id"], "legible": reason is None, "reason": reason}


STEP = Decides(
    "legible",
    about="find_text",
    columns=("score_legibility", "status"),
    schema=table_schema("id legible:bool reason"),
    rule=lambda params, _: partial(decide, lowest=params.legible),
    parameters={"legible": Legible},
    passes="the text in a source image is legible",
    share={"legible": Figure(0.2, "of the mined images have legible text", "our guess; half of LAION-2B's have any")},
)

if __name__ == "__main__":
    start(STEP)
