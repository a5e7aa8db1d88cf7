"""GapEval as the commands see it: how its items come in, and what its card says."""

from __future__ import annotations

from gamut.evaluation.curating.curation import Card, Curation, Published
from stages.gapeval.construction import parameters as proposing
from stages.gapeval.construction.propose import CONTEXT_COLUMNS, GROUP_COLUMN, REPEATABLE, TEXTS, item_of, objections
from stages.gapeval.layout import FOLDER
from stages.gapeval.shared.benchmark import GAPEVAL

CITATION = """\
@misc{gapeval,
  title={Quantifying the Gap between Understanding and Generation within Unified Multimodal Models},
  author={Chenlong Wang and Yuhang Chen and Zhihan Hu and Dongping Chen and Wenhu Chen and Sarah Wiegreffe and Tianyi \
Zhou},
  year={2026},
  eprint={2602.02140},
  archivePrefix={arXiv}
}"""
PROPOSED = """\
Each item asks for one and the same thing in words and as a picture. Numbers, options, orders and what happens were \
computed. Which decision a person made on which item stands in the project's `datasets/reviews/gapeval/`."""
IMPORTED = "Items were imported as they were published: both prompts, the reference and the pictures."

PUBLISHED = Published(
    place="https://github.com/Lucky-Wang-Chenlong/GapEval",
    by_hand="https://github.com/Lucky-Wang-Chenlong/GapEval said that they come soon; `gamut import gapeval DIR "
    "released` takes the folder in which data_1, data_2, … lie",
    sizes={"world_knowledge": 147, "numerical": 100, "instruction_following": 94, "reasoning": 305},
)

CURATION = Curation(
    benchmark=GAPEVAL,
    proposing=proposing.Params,
    texts=TEXTS,
    beside=CONTEXT_COLUMNS,
    among=GROUP_COLUMN,
    repeatable=REPEATABLE,
    objections=objections,
    items_of=lambda accepted: [item_of(row) for row in accepted],
    released=FOLDER,
    published=PUBLISHED,
    card=Card(
        what="""\
GapEval puts each item twice, to be answered in text and in a picture, so that what a unified model understands can be \
held against what it generates: world knowledge, numerical perception, instruction following and reasoning. It follows \
*Quantifying the Gap between Understanding and Generation within Unified Multimodal Models*.""",
        scored="""\
A judge, which is a model that sees pictures, says of each answer whether it is right, given the question, the \
reference in words and, where there is one, as a picture. A picture that is nearly a copy of the reference or of a \
picture that was given is worth nothing; that is computed. Reported are shares of right answers in each setting, 0 to \
100, the mean over categories.""",
        made=lambda items: IMPORTED if any(str(item.id).startswith("data_") for item in items) else PROPOSED,
        counted=("category",),
        fields={
            "category": "world_knowledge, numerical, instruction_following or reasoning",
            "subcategory": "what kind of item of its category it is",
            "prompt": "what is asked for as a picture",
            "question": "the same, asked for in words",
            "reference_text": "what is right in words; the picture of role `reference` what is right as a picture",
            "proof": "what it was made of, and why nothing else is right, for whoever doubts it",
            "drawn": "whether the reference was drawn from the question's picture: then a right answer may nearly be a "
            "copy of it",
        },
        limits=(
            "The judge is a model, and errs: look at its controls.",
            "Who copies and changes one place of the picture is not found by the rule.",
        ),
        tags=("gapeval",),
        citation=CITATION,
    ),
)
