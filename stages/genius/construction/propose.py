"""The proposed cases, from reviewed rows of them to items, and what speaks against a row as rewritten."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

import orjson
from pydantic import ValidationError

from stages.asking.requests import seed_of
from stages.evaluation.construction.proposals import counts, write_proposal
from stages.evaluation.construction.slots import Slots
from stages.evaluation.running.placing import names_in
from stages.genius.construction.parameters import Params
from stages.genius.construction.probes import may_be_right, probe_of, stated, untaken
from stages.genius.construction.scenes import read_pool
from stages.genius.shared.items import SUB_TASKS, GeniusItem, Probe
from stages.tables.columns import Row

BESIDE = ("task", "sub_task", "shown", "consistency_hints")
WORDS = ("context", "prompt", "rule_hint", "text_hint", "multimodal_hint")
TEXTS = (*WORDS, "distractors")
"""Texts of an item, and the wrong options of its probe, a line each, or nothing."""
REPEATABLE = TEXTS
"""Texts that may be the same for several items: what differs may stand in the pictures alone."""
POOL = Path(__file__).with_name("pools") / "scenes.yaml"
"""The words in which rewritten options are read, whichever pool their case was drawn from: what is not among these,
rules cannot read."""
AMONG = "shown"
"""Two cases may be put in the same words: which of them is meant say their pictures."""


def propose(slots: Slots[Params]) -> dict[str, float]:
    """Write the proposed cases, for people to review, and of what cannot be proposed why not. Its figures say also how
    many have a probe, and why others have none.
    """
    waves: dict[str, list[Row]] = {sub_task: [] for sub_task in chain.from_iterable(SUB_TASKS.values())}
    without = dict[str, str]()
    for row, distractors, why in with_probes(slots):
        images = slots.images(row["id"], "paint_pictures") if row["status"] == "ok" else []
        shown = " | ".join(f"{picture['name']}: {picture['shows']}" for picture in row["pictures"])
        own = {"shown": shown, "distractors": "\n".join(distractors)}
        texts = {name: row.get(name) or "" for name in (*BESIDE, *TEXTS)} | own
        kept = {name: row[name] for name in ("id", "status", "reason")}
        waves[row["sub_task"]].append(kept | texts | {"images": images})
        without |= {row["id"]: why} if why else {}
    similarity = slots.params.propose.similarity
    proposed = write_proposal("genius", slots.edition, waves, (*BESIDE, *TEXTS), similarity, among=AMONG)
    items = [row for row in proposed if row["status"] == "ok"]
    figures = counts(proposed, ["task"], ["task", "sub_task"]) | {
        "probes": sum(bool(row["distractors"]) for row in items)
    }
    reasons = Counter(f"without_probe.{without[row['id']]}" for row in items if row["id"] in without)
    return figures | dict(sorted(reasons.items()))


def with_probes(slots: Slots[Params]) -> Iterator[tuple[Row, Sequence[str], str | None]]:
    """Yield every case with the wrong options of its probe, or why it has none."""
    written = {row["id"]: row for row in slots.rows("write_distractors")}
    checks: dict[str, list[Row]] = {}
    for row in slots.rows("check_distractors"):
        checks.setdefault(row["id"], []).append(row)
    for row in slots.joined("draw_cases", "describe_pictures", "paint_pictures"):
        own = written.get(row["id"])
        why = untaken(own, checks.get(row["id"], ())) if own else None
        yield row, own["distractors"] if own and why is None else (), why


def items_of(accepted: Sequence[Row]) -> list[GeniusItem]:
    return [item_of(row) for row in accepted]


def item_of(row: Row) -> GeniusItem:
    own = {name: row[name] for name in ("id", "task", "sub_task", *WORDS)}
    own |= {"consistency_hints": orjson.loads(row["consistency_hints"]), "images": row["images"]}
    own |= {"probe": probe_of_row(row)} if row["distractors"] else {}
    return GeniusItem.model_validate(own)


def probe_of_row(row: Row) -> Probe:
    """Their order is drawn by all that the options say; ValueError where they cannot be options."""
    rule_hint, distractors = row["rule_hint"], row["distractors"].splitlines()
    return probe_of(rule_hint, distractors, seed_of("\n".join([row["id"], rule_hint, *distractors]), 0))


def objections(own: Row, said: Mapping[str, str]) -> Iterator[str]:
    there = {f"<image:{image['name']}>" for image in own.get("images") or ()}
    for name in WORDS:
        if unknown := names_in(own[name]) - there:
            yield f"new_{name}: there is no picture {min(unknown)}: it may name {', '.join(sorted(there)) or 'none'}"
    if own["distractors"]:
        try:
            probe_of_row(own)
        except ValueError as error:
            why = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error
            yield f"new_distractors is to have three lines, each a wrong option beside the rule's hint: {why}"
        else:
            yield from objections_to_options(own["rule_hint"], own["distractors"].splitlines())
    if lost := there - names_in(own["context"]) - names_in(own["prompt"]):
        yield f"neither context nor prompt names {min(lost)} any more: nobody would know what it is for"


def objections_to_options(rule_hint: str, distractors: Sequence[str]) -> Iterator[str]:
    """Yield which option names a picture, and which a right picture could show; the rest is for the reviewer to see."""
    right, pool = stated(rule_hint), read_pool(POOL)
    for text in (right, *distractors):
        if named := names_in(text):
            yield f"new_distractors: the option {text!r:.80} names {min(named)}: options are words alone"
    for text in distractors:
        if may_be_right(text.strip(), right, pool):
            yield f"new_distractors: {text!r:.80} is not wrong: a picture that is right could show it"
