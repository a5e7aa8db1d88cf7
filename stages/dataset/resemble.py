"""Which items each selected picture comes nearest to, by the embeddings of its texts and as a picture; nothing is
decided.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow.compute as pc

from stages.asking.run import ask
from stages.dataset.leaks.embedding import resembling
from stages.dataset.leaks.pictures import read_hashes
from stages.dataset.leaks.suspects import described
from stages.dataset.shared.joins import EMBEDDED_ITEMS, HASHED_PICTURES, RESEMBLING, SELECTED, pictures
from stages.dataset.shared.parameters import Params
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.reading import shard_columns, shard_names


def resemble(params: Params) -> None:
    hashes = read_hashes(HASHED_PICTURES)
    ask(
        resembling(
            "resemble",
            params.role_model("text_embedder"),
            shard_names(SELECTED),
            with_pictures if hashes[1] else described,
            sum(pc.sum(table["kept"]).as_py() or 0 for _, table in shard_columns(SELECTED, ["kept"])),
            EMBEDDED_ITEMS,
            hashes,
            params.hold_out,
            RESEMBLING,
        )
    )


def with_pictures(shard: str) -> Iterator[Row]:
    texts = {row["id"]: row for row in described(shard)}
    for row in pictures(shard, SELECTED, "kept"):
        yield texts[row["id"]] | row


if __name__ == "__main__":
    main("resemble", resemble, Params)
