"""What nothing in the dataset may resemble: embeddings of all texts of all frozen items, hashes of their pictures.

Planted paraphrases are embedded beside them, so that it is known how many are found again.
"""

from __future__ import annotations

from pathlib import Path

from stages.asking.run import ask
from stages.dataset.leaks.embedding import embedding_items, item_records, planted
from stages.dataset.leaks.items import pictures_of, texts_of
from stages.dataset.leaks.pictures import SCHEMA, hashed
from stages.dataset.shared.joins import table_of
from stages.dataset.shared.parameters import Params
from stages.evaluation.defining.editions import read_editions
from stages.project.stage import main
from stages.tables.writing import TableWriter


def embed_items(params: Params) -> None:
    items, block = list(read_editions()), params.hold_out
    texts = texts_of(items)
    records = item_records(texts, planted(texts, block.paraphrases, params.seed))
    ask(
        embedding_items(
            "embed_items", params.role_model("text_embedder"), records, table_of("embed_items"), block.max_failures
        )
    )
    write_hashes(table_of("hashed_pictures"), hashed(pictures_of(items)))


def write_hashes(folder: Path, pictures: list[dict[str, object]]) -> None:
    with TableWriter(folder, SCHEMA) as table:
        table.write("pictures", pictures)
    if lacking := [picture for picture in pictures if picture["reason"]]:
        first = lacking[0]
        print(
            f"{folder.name}: {len(lacking):,} of {len(pictures):,} pictures of items are not compared; the first, "
            f"{first['name']} of {first['edition']} {first['item']}: {first['reason']}"
        )


if __name__ == "__main__":
    main("embed_items", embed_items, Params)
