"""GIR-Bench as the commands see it: how its items come in, and what its card says."""

from __future__ import annotations

from collections.abc import Sequence

from gamut.evaluation.curating.curation import Card, Curation, Published
from gamut.evaluation.defining.editions import Item
from stages.gir.construction import parameters as proposing
from stages.gir.construction.propose import CONTEXT_COLUMNS, GROUP_COLUMN, TEXTS, item_of, objections
from stages.gir.layout import NAMES, REFERENCE
from stages.gir.shared.benchmark import GIR

CITATION = """\
@misc{girbench,
  title={GIR-Bench: Versatile Benchmark for Generating Images with Reasoning},
  author={Hongxiang Li and Yaowei Li and Bin Lin and Yuwei Niu and Yuhang Yang and Xiaoshuang Huang and Jiayin Cai and \
Xiaolong Jiang and Yao Hu and Long Chen},
  year={2025},
  eprint={2510.11026},
  archivePrefix={arXiv}
}"""
PROPOSED = """\
Riddles of numbers and places, Sudokus and jigsaws were drawn by a seed, each with one solution; words that a sign is \
to say belong to a clue. Of each entity there are reference pictures, and a model described it without its name. Which \
decision a person made on which item stands in the project's `datasets/reviews/gir/`."""
IMPORTED = """\
Items were imported as they were published. The frames of Sudokus were found in their pictures, and so was into how \
many tiles a picture was cut, where the files do not say it."""


def origin_text(items: Sequence[Item]) -> str:
    imported = any(str(item.id).partition("/")[0] in NAMES.values() for item in items)
    return IMPORTED if imported else PROPOSED


PLACE = "https://huggingface.co/datasets/lihxxx/GIR-Bench"
PUBLISHED = Published(
    place=PLACE,
    by_hand=f"put the folder reference of {PLACE} into a folder DIR, then `gamut import gir DIR/reference released`",
    # 300 entities, 300 riddles and 370 edits; how these fall on tasks is not said
    sizes={**dict.fromkeys(NAMES, 100), "jigsaw": 130, "sudoku": 120, "perception": 120},
    repo="lihxxx/GIR-Bench",
    files=("reference/prompt/SpatialLayout.json", "reference/*"),
    source="reference",
)

CURATION = Curation(
    benchmark=GIR,
    proposing=proposing.Params,
    texts=TEXTS,
    beside=CONTEXT_COLUMNS,
    among=GROUP_COLUMN,
    objections=objections,
    items_of=lambda accepted: [item_of(row) for row in accepted],
    released=REFERENCE,
    published=PUBLISHED,
    card=Card(
        what="""\
GIR-Bench asks models for pictures that take reasoning, in three subsets: entities, drawn by their names and by \
descriptions that name neither them nor a synonym (UGC); pictures of riddles of numbers, places and words (T2I); and \
edits of pictures that solve a puzzle (Edit). It follows *GIR-Bench: Versatile Benchmark for Generating Images with \
Reasoning*.""",
        scored="""\
No judge looks at answers: a detector counts and places things, a reader reads words and digits, an embedding compares \
pictures of entities with reference pictures, and rules compare pixels: tiles with those of the solution, the region \
that was painted green with a mask. Who is shown an entity's pictures names it, or chooses among four. An item's score \
is 0 to 1; reported are 100 times the means over tasks, and the gap between what a model paints by name and by \
description.""",
        made=origin_text,
        counted=("task",),
        fields={
            "task": "zoology, botany or geography (UGC), quantity, spatial or text (T2I), jigsaw, sudoku or perception "
            "(Edit)",
            "prompt": "what is asked for; of an entity its description, which does not name it",
            "entity": "what it is called; `names`: all names that are right in an answer",
            "distractors": "other entities of its domain, to choose among",
            "objects": "labels of things; `numbers`: how many of each, 0 too",
            "absent": "labels of what nobody asked for",
            "proof": "why there is one right answer, for whoever doubts it: equations, places, an order, a share",
            "relations": "`subject` lies in `direction` from `object`, each one label or those of a group",
            "lettering": "the words that are to be read",
            "rows": "of tiles into which a picture was cut; `columns`: as many beside each other",
            "puzzle": "digits row by row, 0 for an empty cell; `answer`: the same filled in",
            "frame": "outer edges of the grid: left, top, right, bottom, as shares of the picture's width and height",
        },
        limits=(
            "Detectors, readers and embeddings err; scores can be compared where the same ones looked.",
            "A task with few items says little: look at the intervals.",
            "A picture is held against few reference pictures: pose and light count too.",
        ),
        tags=("gir-bench",),
        citation=CITATION,
    ),
)
