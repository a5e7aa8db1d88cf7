"""A benchmark of one's own as the commands see it: where its items come from, its block, and what its card says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gamut.evaluation.curating.curation import Card, Curation
from stages.own.layout import OWN_LINES
from stages.own.shared.benchmark import OWN

BLOCK = """\
own:                   # own prompts and own questions, see docs/own.md
  edition: {edition}
  contestants: [{contestants}]
  judges: [{judge}]      # slugs of models; further ones judge everything again
  repeats: 1           # of every judgement
  controls_of: [{controls_of}] # whose answers are also degraded in known ways, as controls of the judges
  answer: {{width: 512, height: 512, samples: 1}} # pixels; answers to each item
  judge: {{max_unjudged: 0.05}} # the share of a contestant's answers that may stay unjudged: with more it has no rank
"""


def block_text(version: str, values: Mapping[str, Any]) -> str:
    """Return its block for params.yaml: all contestants, the first one's controls, a judge named there."""
    others = (one["judges"] for one in values.values() if isinstance(one, dict) and one.get("judges"))
    judge = next(others, [values["roles"]["judge"]])[0]
    known = [*(values.get("contestants") or {})]
    return BLOCK.format(edition=version, judge=judge, contestants=", ".join(known), controls_of=", ".join(known[:1]))


CURATION = Curation(
    benchmark=OWN,
    released=OWN_LINES,
    block=block_text,
    card=Card(
        what="A benchmark of prompts that people wrote for a purpose of their own, each with how answers are judged.",
        scored="""\
A judge, which is a model that sees pictures, answers the questions of an item's checklist with Y or N, or gives \
points by its rubric; where an item has neither, by how far the answer carries out the prompt, and where it says so by \
the looks. An item's score is the mean of these in percent of their scales; reported are means over items, 0 to 100.""",
        made=lambda items: "Items were written elsewhere and imported from one file, as they came.",
        counted=("answer",),
        fields={
            "answer": "with what it is to be answered: picture, text or both",
            "groups": "for which there are values of their own",
            "references": "right texts; right pictures have the role `reference`",
            "checklist": "questions to which Y is right, with a tag that says what of the answer they are about",
            "rubric": "what a judge is told to go by",
            "scale": "the highest score by the rubric: 2, or 10 where nothing is said",
            "aesthetics": "whether looks are judged too",
        },
        limits=("The judge is a model, and errs: look at its controls.",),
    ),
)
