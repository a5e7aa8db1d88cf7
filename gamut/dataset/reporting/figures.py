"""The figures of a build, gathered from its tables (FLUX-Reason-6M, figure 4), and the few that DVC shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gamut.asking.limits import FAILURES
from gamut.dataset.reporting.counts import (
    DESCRIPTIONS,
    Captions,
    Usage,
    captions,
    frequencies,
    novelty,
    reasons_by_wave,
    rows_by_wave,
    scores,
    share,
    statuses,
    sum_of_waves,
    usage,
    values_by_wave,
)
from gamut.dataset.shared.joins import table_of
from gamut.dataset.shared.source_blocks import Build as Parameters
from gamut.dataset.shared.source_blocks import ImagineSource
from gamut.dataset.steps import ASKING, DECIDING, STEPS
from gamut.pipeline.asks import Asks
from gamut.pipeline.steps import Decides

Counts = dict[str, int]
Report = dict[str, dict[str, Any]]
"""Sections of flat numbers; some have sub-sections."""

SOURCES = table_of("source_rows")
TABLES = (SOURCES, *(step.table for step in STEPS if isinstance(step, Asks | Decides)))
"""All tables before the release whose rows have a status, or are kept or have a reason why not, in the order of the
build.
"""
DECIDED = tuple(step.table for step in DECIDING)
"""The tables whose rows are kept or have a reason why not; the rows of the others have a status."""
SCORES = {
    step.table: [name.removeprefix("score_") for name in step.schema.names if name.startswith("score_")]
    for step in ASKING
    if step.filters
}
"""The scores that each table holds."""

DECLINED = ("unsupported", "refused_generation", "refused_judge", "excluded_by_human")
"""Statuses that are answers, though without a value; `limits.FAILURES` are the others."""


@dataclass(frozen=True)
class Build:
    """What is known of a build: its figures, and what only plots need."""

    report: Report
    captions: Captions
    scores: dict[str, NDArray[np.int64]]


def gather_figures(params: Parameters) -> Build:
    decided = {folder: reasons_by_wave(folder) for folder in DECIDED}
    fates = {folder.name: sum_of_waves(decided[folder]) if folder in decided else statuses(folder) for folder in TABLES}
    released = captions(table_of("release"))
    pictures = released.pictures.total()
    found = {name: counts for folder, names in SCORES.items() for name, counts in scores(folder, names).items()}
    usages = {step.name: usage(step.table) for step in ASKING}
    held_back = withheld_counts(fates, pictures)
    report: Report = {
        "release": {
            "pictures": pictures,
            "captions_english": released.english.total(),
            "captions_chinese": released.chinese.total(),
            "captions_per_picture": mean_per(released.english.total(), pictures),
        },
        "sources": sources({wave: counts["kept"] for wave, counts in decided[table_of("prompts")].items()}),
        "descriptions": descriptions(released),
        "pictures_with": {
            f"{number}_caption{'s' if number != 1 else ''}": count
            for number, count in sorted(released.pictures.items())
        },
        "keep_rate": keep_rates(fates | {"withheld": held_back}, pictures),
        **fates,
        "held_out_for": frequencies(table_of("hold_out"), "edition"),
        **failures(fates),
        "withheld": held_back,
        "mean_score": {
            name: mean_per(float(of @ np.arange(len(of))), int(of.sum())) for name, of in found.items() if of.any()
        },
        "asked": calls_and_tokens(usages, pictures),
        "novelty": novelty({source.wave for source in params.sources if isinstance(source, ImagineSource)}),
    }
    return Build(report, released, found)


def summary_figures(report: Report) -> dict[str, float]:
    """Return what DVC shows beside boards: each name heads a column of its tables, which have to fit a terminal."""
    return {"pictures": report["release"]["pictures"]}


def mean_per(total: float, number: int) -> float:
    return round(total / number, 3) if number else 0.0


def sources(prompts: Mapping[str, int]) -> dict[str, dict[str, float]]:
    candidates, released = rows_by_wave(SOURCES), rows_by_wave(table_of("release"))
    missing = values_by_wave(SOURCES, "image_reason")
    return {
        wave: {
            "candidates": count,
            "images_missing": missing[wave],
            "prompts": prompts[wave],
            "released": released[wave],
            "share": share(released[wave], released.total()),
        }
        for wave, count in candidates.items()
    }


def descriptions(released: Captions) -> dict[str, dict[str, float]]:
    pictures = released.pictures.total()
    return {
        name: {
            "captions": released.english[name],
            "share_of_pictures": share(released.english[name], pictures),
            "mean_words": mean_per(released.words[name], released.english[name]),
        }
        for name in DESCRIPTIONS
    }


def reasons_by_step(fates: Mapping[str, Counts]) -> dict[str, Counts]:
    """Return how many rows each step kept that leaves some out, and its own reasons for the others, which later tables
    repeat; a filter goes by what its faults are called.
    """
    found: dict[str, Counts] = {}
    for step in STEPS:
        if not step.passes:
            continue
        if isinstance(step, Decides):
            earlier = [reason for counts in found.values() for reason in counts if reason != "kept"]
            found[step.name] = {reason: n for reason, n in fates[step.name].items() if reason not in earlier}
        elif isinstance(step, Asks) and step.filters:
            spoke = (f"{step.fault}_", f"{step.name}_")  # against a picture, or nobody could judge it
            against = {reason: n for reason, n in fates["select"].items() if reason.startswith(spoke)}
            found[step.fault] = {"kept": sum(fates[step.name].values()) - sum(against.values())} | against
        elif isinstance(step, Asks):
            found[step.name] = {"kept" if status == "ok" else status: n for status, n in fates[step.name].items()}
        else:
            without_detail = fates["withheld"]["pictures_without_detail"]
            lost = {"no_chain_of_thought": without_detail} if without_detail else {}
            found[step.name] = {"kept": fates["hold_out"]["kept"] - without_detail} | lost
    return found


def keep_rates(fates: Mapping[str, Counts], pictures: int) -> dict[str, float]:
    """Return them for each filter, for the three phases together (select), and for the build."""
    each = {name: (own.get("kept", 0), sum(own.values())) for name, own in reasons_by_step(fates).items()}
    each["select"] = (fates["select"]["kept"], sum(fates["select"].values()))
    each["build"] = (pictures, sum(fates[SOURCES.name].values()))
    return {name: share(kept, came) for name, (kept, came) in each.items() if came}


def failures(fates: Mapping[str, Counts]) -> dict[str, Counts]:
    tables = [fates[step.name] for step in ASKING]
    return {
        "failures": {status: sum(table.get(status, 0) for table in tables) for status in FAILURES},
        "declined": {status: sum(table.get(status, 0) for table in tables) for status in DECLINED},
    }


def withheld_counts(fates: Mapping[str, Counts], pictures: int) -> Counts:
    """Count captions without a translation, and pictures without a chain-of-thought in both languages."""
    lost = {f"captions_{status}": count for status, count in fates["translate"].items() if status != "ok"}
    held_out = sum(fates["hold_out"].values()) - fates["hold_out"]["kept"]
    without_detail = fates["select"]["kept"] - held_out - pictures
    return {"captions": sum(lost.values())} | lost | {"pictures_without_detail": without_detail}


def calls_and_tokens(usages: Mapping[str, Usage], pictures: int) -> dict[str, dict[str, float]]:
    """Return them for each stage, for all together, and for each kept picture."""
    counted = ("calls", "input_tokens", "output_tokens")
    stages = {stage: {name: getattr(use, name) for name in counted} for stage, use in usages.items() if use.calls}
    total = {name: sum(stage[name] for stage in stages.values()) for name in counted}
    return stages | {"all": total, "per_kept_picture": {name: mean_per(total[name], pictures) for name in counted}}
