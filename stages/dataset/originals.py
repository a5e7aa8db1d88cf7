"""Which of the sources' own captions are kept beside the new ones (FLUX-Reason-6M, section 2.5).

The published data keep those whose alignment with the synthesized picture is 8 or more.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pyarrow as pa

from stages.dataset.shared.deciding import Rule, decide_all
from stages.dataset.shared.joins import ALIGNED, ORIGINALS, SOURCE_ROWS
from stages.dataset.shared.parameters import Originals, Params
from stages.dataset.shared.texts import clean, is_latin, is_readable
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.reading import read_shard

SCHEMA = pa.schema(
    [
        pa.field("id", pa.string()),
        pa.field("caption", pa.string()),
        pa.field("score_original", pa.int8()),
        pa.field("kept", pa.bool_()),
        pa.field("reason", pa.string()),
    ]
)


def originals(params: Params) -> None:
    """Decide about every caption that was compared with its picture."""

    def rule_of(shard: str) -> Rule:
        rows = read_shard(SOURCE_ROWS, shard, ["id", "wave", "caption"])
        captions = {row["id"]: row["caption"] for row in rows}
        withheld = {row["id"] for row in rows if row["wave"] in params.withheld}
        return lambda row: decide(row, captions, withheld, params.originals)

    decide_all(ALIGNED, ORIGINALS, SCHEMA, ["id", "score_original", "status"], rule_of)


def decide(row: Row, captions: Mapping[str, str], withheld: Collection[str], lowest: Originals) -> Row:
    """Keep a caption whose alignment reaches the threshold, unless it is not readable, not in Latin letters, or of a
    source whose texts may not be passed on (`withheld`: ids).
    """
    caption = clean(captions[row["id"]])
    if row["status"] != "ok":
        reason = f"align_{row['status']}"
    elif row["score_original"] < lowest.alignment:
        reason = "alignment"
    elif not is_readable(caption):
        reason = "not_readable"
    elif not is_latin(caption):
        reason = "not_in_latin_letters"
    elif row["id"] in withheld:
        reason = "not_redistributable"
    else:
        reason = None
    score = row["score_original"]
    return {"id": row["id"], "caption": caption, "score_original": score, "kept": reason is None, "reason": reason}


if __name__ == "__main__":
    main("originals", originals, Params)
