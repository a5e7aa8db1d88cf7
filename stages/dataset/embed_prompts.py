"""Embeddings of some imagined prompts, evenly out of all: `statistics` uses them to say how near prompts are."""

from __future__ import annotations

from functools import partial

import numpy as np

from gamut.asking.models.opening import open_when_asked
from gamut.asking.requests import Embed
from gamut.asking.seeing import Embedding
from gamut.dataset.shared.joins import table_of
from gamut.dataset.shared.visits import Asking, without_vectors
from gamut.pipeline.asks import Asks, Work
from gamut.pipeline.steps import StepParameters, start
from gamut.tables.columns import ASKED, Row, make_id, table_schema
from gamut.tables.reading import manifest, shard_columns

SAMPLE = 2000
"""The same number for every large build: the distance to the nearest prompt depends on how many there are."""
SCHEMA = table_schema("id prompt vector:[float32]", *ASKED)


def work(params: StepParameters) -> Work:
    prompts, start, number = list[str](), 0, manifest(table_of("imagine"))["rows"]
    wanted = (np.arange(min(number, SAMPLE)) * max(1, number / SAMPLE)).astype(int)
    for _, rows in shard_columns(table_of("imagine"), ["caption"]):
        here = wanted[(wanted >= start) & (wanted < start + rows.num_rows)] - start
        prompts += rows["caption"].take(here).drop_null().to_pylist()
        start += rows.num_rows
    records = [{"id": make_id("prompts", n), "prompt": prompt} for n, prompt in enumerate(prompts)]
    opening = partial(open_when_asked, texts=lambda: prompts)
    return Work(["prompts-00000"], lambda shard: iter(records), lambda shard: len(records), embed, opening)


def embed(record: Row) -> Asking:
    [answer] = yield [Embedding(Embed(record["prompt"]))]
    return [{**record, "vector": answer.value, **without_vectors([answer])}]


STEP = Asks("embed_prompts", role="text_embedder", reads="datasets/imagine", schema=SCHEMA, work=work)

if __name__ == "__main__":
    start(STEP)
