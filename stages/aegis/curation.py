"""AEGIS as the commands see it: how its items are reviewed, come in, and what its card says."""

from __future__ import annotations

from collections.abc import Sequence

from gamut.evaluation.curating.curation import Card, Curation, Published
from gamut.evaluation.defining.editions import Item
from stages.aegis.construction import parameters as proposing
from stages.aegis.construction.propose import BESIDE, REPEATABLE, TEXTS, items_of, objections
from stages.aegis.layout import ANNOTATIONS
from stages.aegis.shared.benchmark import AEGIS
from stages.aegis.shared.items import DOMAINS

CITATION = """\
@misc{aegis,
  title={AEGIS: Exploring the Limit of World Knowledge Capabilities for Unified Multimodal Models},
  author={Jintao Lin and Bowen Dong and Weikang Shi and Chenyang Lei and Suiyun Zhang and Rui Liu and Xihui Liu},
  year={2026},
  eprint={2601.00561},
  archivePrefix={arXiv}
}"""
PROPOSED = """\
A model drafted a clear prompt for each topic and task, hid what is to be known in it behind a kind of reasoning, and \
asked for all that a right answer has; another answered the clear prompt, which is the reference. Questions that \
repeat others were left out. Which decision a person made on which item stands in the project's \
`datasets/reviews/aegis/`."""
IMPORTED = "Items were imported: prompts, references and checklists were written elsewhere; what was mended is listed."


def provenance(items: Sequence[Item]) -> str:
    return PROPOSED if all(isinstance(item.id, str) for item in items) else IMPORTED


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
    card=Card(
        what="""\
AEGIS asks unified models what they know of the world in four tasks: they answer questions about pictures, paint, edit \
and write texts with pictures. Prompts are put as people put them, with something to be inferred, and clearly. It \
follows *AEGIS: Exploring the Limit of World Knowledge Capabilities for Unified Multimodal Models*.""",
        scored="""\
A judge, which is a model that sees pictures, answers each question of an item's checklist with Y or N, given the \
clear prompt, the reference and the answer. An item's score is the share of questions whose verdict speaks for the \
answer; reported are averages over items, 0 to 100.""",
        made=provenance,
        counted=("task", "topic"),
        fields={
            "task": "understanding, generation, editing or interleaved (texts and pictures in one answer)",
            "topic": "one of 21, in three domains",
            "reasoning": "what has to be inferred: spatial, temporal, causal, comparative, analogical, logical or none",
            "clear_prompt": "the prompt without anything to be inferred",
            "reference": "a right answer's text; `<image1>` is the first picture of role `reference`",
            "keywords": "the key points of a right answer",
            "checklist": "questions to be answered with yes or no: `about` text, image or consistency, `inverted` "
            "where no is right, `keyword` the key point that it is tied to",
        },
        limits=("The judge is a model, and errs: look at its controls.",),
        citation=CITATION,
    ),
)
