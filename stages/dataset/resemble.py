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
from stages.dataset.shared.joins import pictures, table_of
from stages.dataset.shared.parameters import Params
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.reading import shard_columns, shard_names


def resemble(params: Params) -> None:
    hashes = read_hashes(table_of("hashed_pictures"))
    ask(
        resembling(
            "resemble",
            params.role_model("text_embedder"),
            shard_names(table_of("select")),
            with_pictures if hashes[1] else described,
            sum(pc.sum(table["kept"]).as_py() or 0 for _, table in shard_columns(table_of("select"), ["kept"])),
            table_of("embed_items"),
            hashes,
            params.hold_out,
            table_of("resemble"),
        )
    )


def with_pictures(shard: str) -> Iterator[Row]:
    texts = {row["id"]: row for row in described(shard)}
    for row in pictures(shard, table_of("select"), "kept"):
        yield texts[row["id"]] | row


if __name__ == "__main__":
    main("resemble", resemble, Params)
