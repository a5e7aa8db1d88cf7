"""The steps that make prompts of PRISM-Bench, and the stages in which they run."""

import pyarrow as pa

from gamut.evaluation.construction.slots import TEXT, Construction, Stage, Step
from gamut.evaluation.construction.stages import main_of
from stages.prism.construction.cluster import candidates, embed, represent
from stages.prism.construction.compose import compose, localize
from stages.prism.construction.parameters import Params
from stages.prism.construction.proposals import propose

CAPTION = {"track": TEXT, "row": TEXT, "text": TEXT, "score": pa.int8()}
PICTURES = ("datasets/annotate", "datasets/examine", "datasets/select")
CLUSTER = Stage(
    "cluster",
    steps=(
        Step(candidates, CAPTION),
        Step(embed, {"vector": pa.list_(pa.float32())}),
        Step(represent, CAPTION | {"cluster": pa.int32(), "captions": pa.int32()}),  # of the cluster
    ),
    asks=("embedder",),
    parameters=("candidates", "sampled"),
    shared=("seed",),
    data=(*PICTURES, "datasets/score"),
    metrics="cluster",
    remark="Of the captions with the highest scores, clustered by K-means, those nearest to the centroids.",
)
DRAFT = Stage(
    "draft",
    steps=(
        Step(compose, {"track": TEXT, "elements": TEXT, "row": TEXT, "prompt": TEXT}),  # `role: text` a line; of whom
        Step(localize, {"track": TEXT, "prompt_zh": TEXT}),
    ),
    asks=("writer", "translator"),
    parameters=("pools", "curated"),
    shared=("seed",),
    data=(*PICTURES, "datasets/originals", "${prism.pools}"),
    remark="Prompts are composed of elements of the pools, and all are put into Chinese.",
)
PROPOSE = Stage(
    "propose",
    shared=("near_duplicates",),
    data=("datasets/source_rows", "datasets/synthesize"),
    figures=propose,
    metrics="construction",
)
PRISM = Construction("prism", Params, (CLUSTER, DRAFT, PROPOSE))

if __name__ == "__main__":
    main_of(PRISM)
