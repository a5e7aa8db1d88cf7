"""The proposed cases, from reviewed rows to items, and problems of a rewritten row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

import orjson
from pydantic import ValidationError

from gamut.evaluation.construction.proposals import proposal_figures, write_proposal
from gamut.evaluation.construction.slots import Slots
from gamut.evaluation.running.placing import names_in
from gamut.tables.columns import Row
from stages.genius.construction.parameters import Params
from stages.genius.shared.items import SUB_TASKS, GeniusItem, Probe
from stages.genius.shared.probes import lettered_probe

CONTEXT_COLUMNS = ("task", "sub_task", "shown", "consistency_hints")
WORDS = ("context", "prompt", "rule_hint", "text_hint", "multimodal_hint")
TEXTS = (*WORDS, "distractors")
"""Texts of an item, and the wrong options of its probe, one per line."""
COLUMNS = (*CONTEXT_COLUMNS, *TEXTS)
REPEATABLE = TEXTS
"""Texts that may be the same for several items: they may differ only in their pictures."""
GROUP_COLUMN = "shown"
"""Two cases may have the same words: their pictures tell them apart."""


def propose(slots: Slots[Params]) -> dict[str, float]:
    """Write the proposed cases for people to review, and why others cannot be proposed."""
    waves: dict[str, list[Row]] = {sub_task: [] for sub_task in chain.from_iterable(SUB_TASKS.values())}
    for row in slots.joined("draw_cases", "paint_pictures"):
        shown = " | ".join(f"{picture['name']}: {picture['shows']}" for picture in row["pictures"])
        waves[row["sub_task"]].append(slots.proposed_row(row | {"shown": shown}, COLUMNS, "paint_pictures"))
    similarity = slots.params.propose.similarity
    proposed = write_proposal("genius", slots.edition, waves, COLUMNS, similarity, among=GROUP_COLUMN)
    return proposal_figures(proposed, ["task"], ["task", "sub_task"])


def item_of(row: Row) -> GeniusItem:
    own = {name: row[name] for name in ("id", "task", "sub_task", *WORDS)}
    own |= {"consistency_hints": orjson.loads(row["consistency_hints"]), "images": row["images"]}
    own |= {"probe": probe_of(row)}
    return GeniusItem.model_validate(own)


def probe_of(row: Row) -> Probe:
    return lettered_probe(row["id"], row["rule_hint"], row["distractors"].splitlines())


def objections(row: Row, texts: Mapping[str, str]) -> Iterator[str]:
    known_names = {f"<image:{image['name']}>" for image in row.get("images") or ()}
    for name in WORDS:
        if unknown := names_in(row[name]) - known_names:
            known = ", ".join(sorted(known_names)) or "none"
            yield f"new_{name}: there is no picture {min(unknown)}: it may name {known}"
    try:
        options = probe_of(row).options
    except ValueError as error:
        why = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error
        yield f"new_distractors is to have three lines, each a wrong option beside the rule's hint: {why}"
    else:
        for text in options:
            if named := names_in(text):
                yield f"new_distractors: the option {text!r:.80} names {min(named)}: options are words alone"
    if lost := known_names - names_in(row["context"]) - names_in(row["prompt"]):
        yield f"neither context nor prompt names {min(lost)} any more: nobody would know what it is for"
