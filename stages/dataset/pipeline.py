"""The dataset's steps in their order: the only list of them, from which dvc.yaml, the parameters of the whole build,
its figures, card, pages, calibration and estimate follow.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import create_model

from gamut.dataset.reporting.outputs import CARD, CONTACT_SHEET, METRICS, PLOTS, SUMMARY
from gamut.dataset.shared.parameters import Calibrate
from gamut.dataset.shared.source_blocks import Build
from gamut.pipeline.asks import Asks, Filter
from gamut.pipeline.entries import uncached_output
from gamut.pipeline.steps import Decides, Makes, Step, parameter_fields
from stages.dataset import (
    align,
    annotate,
    brainstorm,
    caption_lengths,
    captions,
    compare_pictures,
    embed_items,
    embed_pictures,
    embed_prompts,
    find_text,
    hash_pictures,
    hold_out,
    imagine,
    legible,
    mine_text,
    originals,
    players,
    preferences,
    prompts,
    release,
    resemble,
    rewrite,
    same_pictures,
    same_test,
    scores,
    seeds,
    select,
    sources,
    suspect,
    synthesize,
    translate,
    translate_lengths,
    world,
)
from stages.dataset.choosing import SCORING, Choosing
from stages.dataset.filters import FILTERS

IMAGINING = (brainstorm, seeds, imagine, embed_prompts)
PAINTING = (world, sources, *IMAGINING, rewrite, find_text, legible, mine_text, prompts, synthesize)
COMPARING = (embed_items, hash_pictures, embed_pictures, same_pictures)
CAPTIONING = (select, annotate, caption_lengths, align, originals, translate, translate_lengths)
HOLDING_OUT = (compare_pictures, resemble, suspect, same_test, hold_out)
RELEASING = (*HOLDING_OUT, release, preferences, captions, scores, players)
STEPS: tuple[Step, ...] = (
    *(module.STEP for module in PAINTING),
    *FILTERS,
    *SCORING.values(),
    *(module.STEP for module in (*COMPARING, *CAPTIONING, *RELEASING)),
)
ASKING = tuple(step for step in STEPS if isinstance(step, Asks))
DECIDING = tuple(step for step in STEPS if isinstance(step, Decides))


def filters() -> Iterator[Filter]:
    """Yield every filter and characteristic, in the order of the build."""
    return (filter_ for step in ASKING for filter_ in step.filters)


if TYPE_CHECKING:

    class Params(Build):
        """The part of params.yaml that the build reads."""

else:
    Params = create_model(
        "Params",
        __base__=(Choosing, Build),
        **parameter_fields([*STEPS, Step("calibrate", parameters={"calibrate": Calibrate})]),
    )


SHOWN = [
    key for key, (_, default) in parameter_fields(STEPS).items() if default is ... and key not in ("hold_out", "seeds")
]
"""Blocks of params.yaml that decide something about a build and that its card names."""
CALIBRATE = Makes(
    "calibrate",
    base=Params,
    reads="datasets/world/truth datasets/decisions datasets/labels source_rows synthesize "
    + " ".join(step.name for step in ASKING if step.filters),
    tracked=[
        *("seed", "calibrate", "sources", "roles.painter", "models.${roles.painter}"),
        *dict.fromkeys(filter_.parameter.partition(".")[0] for filter_ in filters()),
    ],
    outs=(uncached_output("metrics/precision_recall"), uncached_output("metrics/calibration.json")),
    metrics=(uncached_output("metrics/filters.json"),),
    remark="""\
datasets/labels and datasets/decisions are read as a whole: calibrate.labels names one file or none (null), and each
person has a folder, which no dependency can express. So decisions about a benchmark run it again: it asks no model,
and its metrics stay the same""",
)
STATISTICS = Makes(
    "statistics",
    base=Params,
    reads=f"source_rows {' '.join(step.name for step in (*ASKING, *DECIDING))} release preferences captions scores",
    tracked=("seed", "models", "roles", "sources", *SHOWN),
    outs=[uncached_output(str(path)) for path in (PLOTS, CONTACT_SHEET, CARD, METRICS)],
    metrics=(uncached_output(str(SUMMARY)),),
)
STAGES = (*STEPS, CALIBRATE, STATISTICS)
"""All steps, and the two stages that read the whole build."""
