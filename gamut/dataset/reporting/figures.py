"""The figures of a build, gathered from its tables (FLUX-Reason-6M, figure 4), and the few that DVC shows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from gamut.asking.limits import FAILURES
from gamut.dataset.reporting.contact_sheet import Lots, draw_of_shard, merge_lots
from gamut.dataset.reporting.counts import (
    HIGHEST_SCORE,
    USAGE,
    captions_in,
    frequencies_in,
    most_frequent_first,
    no_captions,
    novelty,
    reasons_in,
    rows_by_wave,
    scores_in,
    share,
    statuses,
    sum_of,
    usage_in,
)
from gamut.dataset.shared.joins import table_of
from gamut.dataset.shared.source_blocks import Build as Parameters
from gamut.dataset.shared.source_blocks import ImagineSource
from gamut.dataset.steps import ASKING, DECIDING, NOT_CHOSEN, REPEATED, STATISTICS, STEPS, safety
from gamut.pipeline.asks import Asks
from gamut.pipeline.shards import values_of_shards
from gamut.pipeline.steps import Decides
from gamut.tables.columns import Row, grouped, wave_of
from gamut.tables.reading import manifest, shard_names

Counts = dict[str, int]
Report = dict[str, dict[str, Any]]
"""Sections of flat numbers; some have sub-sections."""

SOURCES, RELEASE, PREFERENCES, CAPTIONS = map(table_of, ("source_rows", "release", "preferences", "captions"))
TABLES = (SOURCES, *(step.table for step in STEPS if isinstance(step, Asks | Decides)))
"""All tables before the release whose rows have a status or a decision (kept, or the reason why not), in the order of
the build.
"""
DECIDED = tuple(step.table for step in DECIDING)
"""The tables whose rows have a decision (kept, or the reason why not); the rows of the others have a status."""
SCORES = {
    step.table: [name.removeprefix("score_") for name in step.schema.names if name.startswith("score_")]
    for step in ASKING
    if step.filters
}
"""The scores that each table holds."""

DECLINED = ("unsupported", "refused_generation", "refused_judge", "excluded_by_human")
"""Statuses that are answers without a value; `limits.FAILURES` are the others."""


@dataclass(frozen=True)
class Build:
    """What is known of a build: its figures, and the numbers that only plots and the contact sheet need."""

    report: Report
    captions: dict[str, Any]
    scores: dict[str, list[int]]
    drawn: Lots


def gather_figures(params: Parameters) -> Build:
    shards_of = {folder: frozenset(shard_names(folder)) for folder in (*TABLES, RELEASE, CAPTIONS)}
    shards = [*dict.fromkeys(shard for some in shards_of.values() for shard in sorted(some))]
    drawing = {"seed": params.seed, "lowest": safety.lowest_of(params)}
    count = partial(count_shard, shards_of=shards_of, drawing=drawing)
    values = values_of_shards(STATISTICS, shards, count, parameters=lambda _: drawing)
    total = sum_of([NOTHING, *(of["counts"] for of in values)])
    decided = {name: most_frequent_first(reasons, "kept") for name, reasons in total["reasons"].items()}
    fates = {folder.name: decided.get(folder.name) or statuses(folder) for folder in TABLES}
    captions, scores = total["captions"], {k: of for table in total["scores"].values() for k, of in table.items()}
    pictures, english, chinese = (sum(captions[name].values()) for name in ("pictures", "english", "chinese"))
    held_back = withheld_counts(fates, pictures)
    report: Report = {
        "release": {
            "pictures": pictures,
            "captions_english": english,
            "captions_chinese": chinese,
            "captions_per_picture": mean_per(english, pictures),
        },
        "sources": sources(grouped((wave_of(shard), of["counts"]) for shard, of in zip(shards, values, strict=True))),
        "descriptions": descriptions(captions, pictures),
        "pictures_with": {
            f"{number}_caption{'s' if number != '1' else ''}": count
            for number, count in sorted(captions["pictures"].items(), key=lambda item: int(item[0]))
        },
        "keep_rate": keep_rates(fates | {"withheld": held_back}, pictures),
        **fates,
        "held_out_for": dict(sorted(total["held_out_for"].items())),
        **failures(fates),
        "withheld": held_back,
        **({"preferences": {"pairs": manifest(PREFERENCES)["rows"]}} if params.synthesize.samples > 1 else {}),
        "captions": total["beside"],
        "scores": {"pictures": manifest(table_of("scores"))["rows"]},
        "mean_score": {
            name: mean_per(float(np.dot(of, np.arange(len(of)))), sum(of)) for name, of in scores.items() if any(of)
        },
        "asked": calls_and_tokens(total["usage"], pictures),
        "novelty": novelty({source.wave for source in params.sources if isinstance(source, ImagineSource)}),
    }
    return Build(report, captions, scores, merge_lots([of["drawn"] for of in values]))


NOTHING = {
    "reasons": {step.name: {"kept": 0} for step in DECIDING},
    "images_missing": 0,
    "held_out_for": {},
    "scores": {folder.name: {name: [0] * (HIGHEST_SCORE + 1) for name in names} for folder, names in SCORES.items()},
    "usage": {step.name: dict.fromkeys(USAGE, 0) for step in ASKING},
    "captions": no_captions(),
    "beside": {"language": {}, "length": {}},
}
"""The counts of no shard."""


def count_shard(shard: str, shards_of: Mapping[Path, Collection[str]], drawing: Mapping[str, Any]) -> Row:
    """Return the counts of one shard, and the pictures that the contact sheet draws from it."""
    there = {folder for folder, shards in shards_of.items() if shard in shards}
    counts: Row = {
        "reasons": {folder.name: reasons_in(folder, shard) for folder in DECIDED if folder in there},
        "scores": {folder.name: scores_in(folder, shard, names) for folder, names in SCORES.items() if folder in there},
        "usage": {step.name: usage_in(step.table, shard) for step in ASKING if step.table in there},
    }
    if SOURCES in there:
        counts["images_missing"] = sum(frequencies_in(SOURCES, shard, "image_reason").values())
    if table_of("hold_out") in there:
        counts["held_out_for"] = frequencies_in(table_of("hold_out"), shard, "edition")
    if RELEASE in there:
        counts["captions"] = captions_in(RELEASE, shard)
    if CAPTIONS in there:
        counts["beside"] = {name: frequencies_in(CAPTIONS, shard, name) for name in ("language", "length")}
    if RELEASE not in there:
        return {"counts": counts, "drawn": {}}
    may_be_seen = safety.publishable(shard, drawing["lowest"])
    return {"counts": counts, "drawn": draw_of_shard(shard, drawing["seed"], may_be_seen)}


def summary_figures(report: Report) -> dict[str, float]:
    """Return the figures that DVC shows next to boards. Each name is the heading of a column: few fit a terminal."""
    return {"pictures": report["release"]["pictures"]}


def mean_per(total: float, number: int) -> float:
    return round(total / number, 3) if number else 0.0


def sources(by_wave: Mapping[str, Sequence[Row]]) -> dict[str, dict[str, float]]:
    candidates, released = rows_by_wave(SOURCES), rows_by_wave(RELEASE)
    return {
        wave: {
            "candidates": count,
            "images_missing": sum(of["images_missing"] for of in by_wave[wave]),
            "prompts": sum(of["reasons"]["prompts"]["kept"] for of in by_wave[wave]),
            "released": released[wave],
            "share": share(released[wave], released.total()),
        }
        for wave, count in candidates.items()
    }


def descriptions(captions: Mapping[str, Counts], pictures: int) -> dict[str, dict[str, float]]:
    return {
        name: {
            "captions": count,
            "share_of_pictures": share(count, pictures),
            "mean_words": mean_per(captions["words"][name], count),
        }
        for name, count in captions["english"].items()
    }


def reasons_by_step(fates: Mapping[str, Counts]) -> dict[str, Counts]:
    """Return for each step that leaves rows out how many it kept, and its own reasons for the others (later tables
    repeat them). A filter has the name of its faults.
    """
    found: dict[str, Counts] = {}
    for step in STEPS:
        if not step.passes:
            continue
        if isinstance(step, Decides):
            earlier = [reason for counts in found.values() for reason in counts if reason != "kept"]
            if step.name == "same_pictures" and (worse := fates["select"].get(NOT_CHOSEN)):
                best = fates["select"]["kept"] + fates["select"].get(REPEATED, 0)
                found["choose"] = {"kept": best, NOT_CHOSEN: worse}
            found[step.name] = {reason: n for reason, n in fates[step.name].items() if reason not in earlier}
        elif isinstance(step, Asks) and step.filters:
            spoke = (f"{step.fault}_", f"{step.name}_")  # a fault of the picture, or no judgement of it
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
    """Return the keep rates of each filter, of the three phases together (select), and of the build."""
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


def calls_and_tokens(usages: Mapping[str, Counts], pictures: int) -> dict[str, dict[str, float]]:
    """Return calls and tokens for each stage, for all stages together, and per kept picture."""
    found: dict[str, dict[str, float]] = {stage: {**use} for stage, use in usages.items() if use["calls"]}
    total = {name: sum(use[name] for use in usages.values()) for name in USAGE}
    each = {name: mean_per(total[name], pictures) for name in USAGE}
    return found | {"all": {**total}, "per_kept_picture": each}
