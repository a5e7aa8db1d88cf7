"""AEGIS as the commands see it: how its items are reviewed and come in."""

from __future__ import annotations

from gamut.evaluation.curating.curation import Curation, Published
from stages.aegis.construction import parameters as proposing
from stages.aegis.construction.propose import BESIDE, REPEATABLE, TEXTS, items_of, objections
from stages.aegis.layout import ANNOTATIONS
from stages.aegis.shared.benchmark import AEGIS
from stages.aegis.shared.items import DOMAINS

PLACE = "https://huggingface.co/datasets/DongSky/AEGIS"
PUBLISHED = Published(
    place=PLACE,
    by_hand=f"put annotation.json and images of {PLACE} into a folder DIR, then `gamut import aegis "
    "DIR/annotation.json released --images DIR/images`",
    # 21 topics with 15 items of each task, and 5 that want texts and pictures
    sizes={
        f"{task}_{domain}": number * len(topics)
        for task, number in (("understanding", 15), ("generation", 15), ("editing", 15), ("interleaved", 5))
        for domain, topics in DOMAINS.items()
    },
    licence="mit",
    redistributable=True,
    repo="DongSky/AEGIS",
    files=("annotation.json", "images/*"),
    source="annotation.json",
    images="images",
)

CURATION = Curation(
    benchmark=AEGIS,
    proposing=proposing.Params,
    texts=TEXTS,
    beside=BESIDE,
    repeatable=REPEATABLE,
    objections=objections,
    items_of=items_of,
    released=ANNOTATIONS,
    published=PUBLISHED,
    is_proposed=lambda item: isinstance(item.id, str),
)
