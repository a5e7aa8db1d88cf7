"""Phase one of the filter, decided: which pictures are clear and whole enough (FLUX-Reason-6M, section 2.3)."""

from __future__ import annotations

import pyarrow as pa

from stages.dataset.shared.joins import ADMITTED, QUALITY, Decisions
from stages.dataset.shared.parameters import Admit, Params
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.reading import slices

SCHEMA = pa.schema([pa.field("id", pa.string()), pa.field("admitted", pa.bool_()), pa.field("reason", pa.string())])


def admit(params: Params) -> None:
    """Decide about every examined picture."""
    with Decisions(ADMITTED, SCHEMA) as table:
        for shard, _, rows in slices(QUALITY, ["id", "score_image_clarity", "score_image_structure", "status"]):
            table.write(shard, [decide(row, params.admit) for row in rows])


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
