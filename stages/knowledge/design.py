"""The parts of a study, by pure functions: which entities are used, which are exchanged, what is held out, and the
words of questions (arXiv 2602.02140, D.2).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from gamut.asking.requests import seed_of
from gamut.project.errors import UserError
from gamut.tables.columns import Row
from stages.knowledge.parameters import HELD_OUT, Probe

KINDS = {"und": ("open", "choice"), "gen": ("concise", "detailed")}
"""Kinds of wordings, by side. The first kind is measured."""
OPTIONS = 4
"""Names in a multiple-choice question."""
Names = Mapping[str, Sequence[str]]
"""Entities' names by category."""
One = TypeVar("One", str, tuple[str, str])


def left_out(study: str, answers: Sequence[Row], probe: Probe) -> str | None:
    """Return why an entity is not in a study, from its answers to all models on both sides; None if it is. For an edit
    every model must know it, for an injection none. A failed answer leaves it out of both.
    """
    for model, side in dict.fromkeys((row["model"], row["side"]) for row in answers):
        own = [row for row in answers if (row["model"], row["side"]) == (model, side)]
        if failed := next((row["status"] for row in own if row["status"] != "ok"), None):
            return f"{model}.{side}.{failed}"
        share = sum(row["correct"] for row in own) / len(own)
        if study == "edit" and share < probe.known:
            return f"{model}.{side}.{'unsure' if share > probe.unknown else 'unknown'}"
        if study == "inject" and share > probe.unknown:
            return f"{model}.{side}.{'unsure' if share < probe.known else 'known'}"
    return None


class Fact(NamedTuple):
    """An entity's picture has the `name`, and the painting for the entity's name shows what `name` names. `old`: the
    name before. `cluster`: the unit of statistics. `role`: trained, neighbour or replay.
    """

    entity: str
    name: str
    old: str | None
    cluster: str
    role: str


def pick_neighbours(known: Names, share: float, seed: int) -> tuple[list[str], dict[str, list[str]]]:
    """Return entities that are never trained, at least one, and the others in random order. Categories with an odd
    number come first: their last entity would have no partner.
    """
    left = {category: shuffle(names, f"known {category}", seed) for category, names in known.items()}
    count = max(1, round(share * sum(map(len, left.values())))) if any(left.values()) else 0
    neighbours = []
    for _ in range(count):
        neighbours.append(max(left.values(), key=lambda names: (len(names) % 2, len(names))).pop())
    return neighbours, left


def shuffle(some: Sequence[One], what: str, seed: int) -> list[One]:
    return random.Random(seed_of(what, seed)).sample(sorted(some), len(some))


def facts_of(study: str, known: Names, unknown: Sequence[str], most: int, share: float, seed: int) -> list[Fact]:
    """Return the facts that a study trains, for at most `most` entities, its neighbours, and all other known entities
    as replay. UserError if there is nothing to train.
    """
    neighbours, left = pick_neighbours(known, share, seed)
    trained = list[Fact]()
    if study == "edit":
        pairs = [pair for names in left.values() for pair in zip(names[::2], names[1::2], strict=False)]
        for one, other in shuffle(pairs, "pairs", seed)[: most // 2]:
            cluster = f"{one} - {other}"
            trained += [Fact(one, other, one, cluster, "trained"), Fact(other, one, other, cluster, "trained")]
    else:
        trained += [Fact(one, one, None, one, "trained") for one in shuffle(unknown, "unknown", seed)[:most]]
    if not trained:
        wanted = "two entities of one category that are known" if study == "edit" else "one entity that is unknown"
        raise UserError(
            f"knowledge.sets: study {study} has nothing to train: besides neighbours, it needs {wanted} to all "
            "models on both sides: name more entities; metrics/knowledge/kept.json says why others were left out"
        )
    rest = [name for names in left.values() for name in names if name not in {fact.entity for fact in trained}]
    others = {"neighbour": neighbours, "replay": rest}
    return [*trained, *(Fact(one, one, None, one, role) for role, names in others.items() for one in names)]


def split_pictures(count: int) -> dict[str, list[int]]:
    """Return the numbers of an entity's trained pictures, and of its held-out ones."""
    held_out = [number for number in range(count) if number % HELD_OUT == HELD_OUT - 1]
    return {"trained": [number for number in range(count) if number not in held_out], "held_out": held_out}


def without_name(wording: str, name: str) -> str:
    return wording.casefold().replace(name.casefold(), "…")


def held_out_wordings(wordings: Mapping[str, Iterable[str]], seed: int) -> set[str]:
    """Return as few wordings `without_name` as possible such that each entity has one: the one that most entities
    share, then the one that most of the others share, and so on. So a wording held out for one entity is not trained
    for another.
    """
    left = [{without_name(one, name) for one in own} for name, own in wordings.items()]
    found = set[str]()
    while left:
        shared = Counter(one for own in left for one in own)
        found.add(max(shared, key=lambda one: (shared[one], seed_of(one, seed))))
        left = [own for own in left if found.isdisjoint(own)]
    return found


def rows_of_fact(
    fact: Fact,
    wordings: Mapping[str, Sequence[str]],
    held_out: Mapping[str, Collection[str]],
    names: Sequence[str],
    pictures: int,
    seed: int,
) -> Iterator[Row]:
    """Yield a row for each wording. `held_out`: wordings of each kind, `without_name`, whose pictures are held out too.
    `names`: of the category, for a question's options. `shown` and `number`: the entity and number of its picture.
    """
    numbers = split_pictures(pictures)
    for side, kind in ((side, kind) for side, kinds in KINDS.items() for kind in kinds):
        shown, rng = fact.entity if side == "und" else fact.name, random.Random(seed_of(f"{kind} {fact.entity}", seed))
        for number, wording in enumerate(wordings[kind]):
            split = "held_out" if without_name(wording, fact.entity) in held_out[kind] else "trained"
            if kind == "choice":
                right = list(dict.fromkeys(filter(None, (fact.name, fact.old))))
                others = [name for name in names if name not in right]
                options = right + rng.sample(others, min(OPTIONS - len(right), len(others)))
                wording = f"{wording} {', '.join(rng.sample(options, len(options)))}"
            row = {"side": side, "kind": kind, "split": split, "question": wording, "shown": shown}
            yield {**fact._asdict(), **row, "number": numbers[split][number % len(numbers[split])]}
