"""Phase one of the filter, decided: which pictures are clear and whole enough (FLUX-Reason-6M, section 2.3)."""

from __future__ import annotations

from functools import partial

import pyarrow as pa

from stages.dataset.shared.joins import decide_all, strings, table_of
from stages.dataset.shared.parameters import Admit, Params
from stages.project.stage import main
from stages.tables.columns import Row

SCHEMA = pa.schema([*strings("id"), pa.field("admitted", pa.bool_()), *strings("reason")])


def admit(params: Params) -> None:
    columns = ["id", "score_image_clarity", "score_image_structure", "status"]
    decide_all(table_of("examine"), table_of("admit"), SCHEMA, columns, lambda _: partial(decide, lowest=params.admit))


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


if __name__ == "__main__":
    main("admit", admit, Params)
