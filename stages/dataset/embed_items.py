"""What nothing in the dataset may resemble: embeddings of all texts of all frozen items, hashes of their pictures.

Planted paraphrases are embedded beside them, so that it is known how many are found again.
"""

from __future__ import annotations

from pathlib import Path

from gamut.dataset.leaks.embedding import embedding_items, item_records, planted
from gamut.dataset.leaks.items import ITEMS_SCHEMA, pictures_of, texts_of
from gamut.dataset.leaks.parameters import HoldOut
from gamut.dataset.leaks.pictures import SCHEMA, hashed
from gamut.dataset.shared.joins import table_of
from gamut.evaluation.defining.editions import read_editions
from gamut.pipeline.asks import Asks, Work
from gamut.pipeline.steps import Given, start
from gamut.tables.writing import TableWriter


def work(params: Given) -> Work:
    texts = texts_of(read_editions())
    return embedding_items(item_records(texts, planted(texts, params.hold_out.paraphrases, params.seed)))


def write_hashes(folder: Path, pictures: list[dict[str, object]]) -> None:
    with TableWriter(folder, SCHEMA) as table:
        table.write("pictures", pictures)
    if lacking := [picture for picture in pictures if picture["reason"]]:
        first = lacking[0]
        print(
            f"{folder.name}: {len(lacking):,} of {len(pictures):,} pictures of items are not compared; the first, "
            f"{first['name']} of {first['edition']} {first['item']}: {first['reason']}"
        )


STEP = Asks(
    "embed_items",
    role="text_embedder",
    reads="datasets/world/paraphrases datasets/paraphrases datasets/editions",
    schema=ITEMS_SCHEMA,
    work=work,
    run=lambda params: write_hashes(table_of("hashed_pictures"), hashed(pictures_of(read_editions()))),
    outs=("datasets/embed_items", "datasets/hashed_pictures"),
    parameters={"hold_out": HoldOut},
    tracked=("seed", "hold_out.paraphrases", "roles.text_embedder", "models.${roles.text_embedder}"),
    remark="The pictures of editions may lie elsewhere, so they are no dependency: editions name them by their sha256",
)

if __name__ == "__main__":
    start(STEP)
