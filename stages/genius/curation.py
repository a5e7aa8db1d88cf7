"""GENIUS as the commands see it: how its items are reviewed, come in, and what its card says."""

from __future__ import annotations

from collections.abc import Sequence

from gamut.evaluation.curating.curation import Card, Curation, Published
from gamut.evaluation.defining.editions import Item
from stages.genius.construction import parameters as proposing
from stages.genius.construction.propose import CONTEXT_COLUMNS, GROUP_COLUMN, REPEATABLE, TEXTS, item_of, objections
from stages.genius.layout import FOLDER, LICENCE, SOURCE
from stages.genius.shared.benchmark import GENIUS
from stages.genius.shared.items import TASKS

CITATION = """\
@misc{genius,
  title={GENIUS: Generative Fluid Intelligence Evaluation Suite},
  author={Ruichuan An and Sihan Yang and Ziyu Guo and Wei Dai and Zijun Shen and Haodong Li and Renrui Zhang and Xinyu \
Wei and Guopeng Li and Wenshan Wu and Wentao Zhang},
  year={2026}
}"""
PROPOSED = """\
Rules were drawn by a seed from a grammar over scenes, which also wrote what a right picture shows and what has to \
stay as it is. Which decision a person made on which item stands in the project's `datasets/reviews/genius/`."""
IMPORTED = "Items were imported as they were published: contexts, instructions, hints and pictures."


def imported_items(items: Sequence[Item]) -> list[Item]:
    """Return the items that were imported: they are named by the folders of their tasks."""
    return [item for item in items if str(item.id).partition("/")[0] in TASKS]


def why_withheld(items: Sequence[Item]) -> str | None:
    """Return why items may not be published, whatever their origin says: some were, for non-commercial research."""
    if not (found := imported_items(items)):
        return None
    return (
        f"{len(found):,} of its items were published for non-commercial research (CC BY-NC 4.0), such as "
        f"{found[0].id!r}: leave them out"
    )


CARD = Card(
    what="""\
GENIUS asks for pictures by rules that stand only in a context of texts and pictures: preferences to be induced from \
examples, constraints made up on the spot, and knowledge that contradicts what is known. It follows *GENIUS: \
Generative Fluid Intelligence Evaluation Suite*.""",
    scored="""\
A judge, which is a model that sees pictures, gives 0, 1 or 2: for what a right picture shows, for each thing that has \
to stay as it is in one of the given pictures, unless the answer is a copy of that, and for looks. Reported is the sum \
of the three, weighted 6 : 3.5 : 0.5, each averaged over all items that have it, 0 to 100.""",
    made=lambda items: IMPORTED if imported_items(items) else PROPOSED,
    counted=("task",),
    fields={
        "task": "implicit_pattern, symbolic_constraint, visual_constraint, prior_conflicting or multi_semantic",
        "sub_task": "what kind of item of its task it is, where that is known",
        "context": "lays the rule down, and names pictures as `<image:NAME>`",
        "prompt": "what is asked for by that rule",
        "rule_hint": "what a right picture shows; no contestant is given it",
        "consistency_hints": "what has to stay as it is in which picture, the `reference`; many items have none",
        "probe": "four texts, of which the one that is `right` is true of a right picture; many items have none",
    },
    limits=(
        "The judge is a model, and errs: look at its controls.",
        "Items without a consistency hint are judged for the rule and for looks alone.",
    ),
    tags=("genius",),
    citation=CITATION,
)
PLACE = "https://huggingface.co/datasets/HankYang428/GENIUS"
PUBLISHED = Published(
    place=PLACE,
    by_hand=f"put the folders of the tasks ({TASKS[0]}, …) of {PLACE}, or of the Google Drive that the README of "
    f"{SOURCE} names, into a folder DIR, then `gamut import genius DIR released`",
    sizes=dict(zip(TASKS, (86, 153, 60, 101, 110), strict=True)),
    licence=LICENCE,
    repo="HankYang428/GENIUS",
    files=("implicit_pattern/test_data.json", *(f"{task}/*" for task in TASKS)),
    lacks=("probe", "text_hint", "multimodal_hint"),
)

CURATION = Curation(
    benchmark=GENIUS,
    proposing=proposing.Params,
    texts=TEXTS,
    beside=CONTEXT_COLUMNS,
    among=GROUP_COLUMN,
    repeatable=REPEATABLE,
    objections=objections,
    items_of=lambda accepted: [item_of(row) for row in accepted],
    released=FOLDER,
    published=PUBLISHED,
    withheld=why_withheld,
    card=CARD,
)
