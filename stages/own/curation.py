"""Your own benchmark's curation: where its items come from, and its block."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gamut.evaluation.curating.curation import Curation
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
    """Return its block for params.yaml: all contestants, controls of the first one, and a judge from there."""
    others = (one["judges"] for one in values.values() if isinstance(one, dict) and one.get("judges"))
    judge = next(others, [values["roles"]["judge"]])[0]
    known = [*(values.get("contestants") or {})]
    return BLOCK.format(edition=version, judge=judge, contestants=", ".join(known), controls_of=", ".join(known[:1]))


CURATION = Curation(benchmark=OWN, released=OWN_LINES, block=block_text, is_proposed=lambda item: False)
