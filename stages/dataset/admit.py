"""Phase one of the filter, the decision: which pictures are clear and whole enough (FLUX-Reason-6M, section 2.3)."""

from __future__ import annotations

from functools import partial

from gamut.dataset.shared.parameters import Score
from gamut.pipeline.steps import Decides, Figure, start
from gamut.project.validation import Strict
from gamut.tables.columns import Row, table_schema


class Admit(Strict):
    """Lowest scores that pass, 0..10."""

    clarity: Score
    structure: Score


def decide(row: Row, lowest: Admit) -> Row:
    """Admit a picture whose scores reach the thresholds; otherwise say which one it missed first."""
    if row["status"] != "ok":
        reason = f"examine_{row['status']}"
    elif row["score_image_clarity"] < lowest.clarity:
        reason = "clarity"
    elif row["score_image_structure"] < lowest.structure:
        reason = "structure"
    else:
        reason = None
    return {"id": row["id"], "admitted": reason is None, "reason": reason}


STEP = Decides(
    "admit",
    about="examine",
    columns=("score_image_clarity", "score_image_structure", "status"),
    schema=table_schema("id admitted:bool reason"),
    rule=lambda params, _: partial(decide, lowest=params.admit),
    parameters={"admit": Admit},
    passes="the picture is clear and whole",
    left="of sufficient quality",
    share={"admitted": Figure(0.858, "of the pictures are clear and whole", "5.89 M rows of 8 M, split evenly")},
)

if __name__ == "__main__":
    start(STEP)
