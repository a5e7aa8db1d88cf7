"""Puzzles of how many: facts about the numbers of some things that fit one answer alone.

Facts are drawn until they do; then those that are not needed go. The proof of a case is its equations: whoever doubts
it tries all numbers of the domain.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field

from stages.evaluation.curating.drawing import distinct
from stages.gir.construction.equations import Equation, determine
from stages.gir.construction.facts import MAKERS, Fact, Part
from stages.gir.construction.words import SENTENCES, Prompts, Said, Slot, Thing, prompts_of, read_things
from stages.project.errors import UserError
from stages.project.validation import Strict, read_yaml, validated

LARGEST = 99
"""An answer is the only one among all numbers from 0 to this, for every thing: so no prompt has to name a limit."""
OF_ONE_PART = 0.75
"""The share of cases whose things all have a known number of the same part."""


class Counted(Strict):
    """What cases are drawn from: the largest number of a thing, the most things of a case, parts."""

    most: Annotated[int, Field(ge=2, le=20)]
    most_things: Annotated[int, Field(ge=1, le=4)]
    parts: Annotated[dict[str, Part], Field(min_length=1)]


class QuantityWords(Strict):
    """What a prompt begins and ends with, and the sentence of every fact."""

    opening: Said
    ending: Said
    facts: dict[str, Said]


class Pools(NamedTuple):
    """All that cases are drawn from and told with."""

    things: Mapping[str, Thing]
    counted: Counted
    words: QuantityWords


class Quantity(NamedTuple):
    """A case: its prompts, the kinds of things and how many of each; the equations of its facts prove that."""

    prompts: Prompts
    objects: tuple[str, ...]
    number: tuple[int, ...]
    equations: tuple[Equation, ...]

    def published(self, name: str) -> dict[str, object]:
        """Return it in the published layout."""
        task = {"objects": list(self.objects), "number": list(self.number)}
        return {"id": name, "prompt": self.prompts["en"], "task": task}


def read_pools(folder: Path) -> Pools:
    """Read what cases are drawn from; UserError for a file that is malformed."""
    path, things = folder / "quantity.yaml", read_things(folder)
    counted = validated(Counted, read_yaml(path), path)
    for name, part in counted.parts.items():
        if strange := sorted(part.of.keys() - things.keys()):
            raise UserError(
                f"{path}: parts.{name}: {', '.join(strange)}: not in {folder / 'things.yaml'}: add it there"
            )
    return Pools(things, counted, validated(QuantityWords, read_yaml(SENTENCES)["quantity"], SENTENCES))


def quantities(seed: int, count: int, pools: Pools) -> Iterator[Quantity]:
    """Draw so many cases; none has the things and equations of another."""
    return distinct("quantity", seed, count, partial(drawn, pools), sameness)


def sameness(case: Quantity) -> frozenset[tuple[frozenset[tuple[str, int]], int]]:
    """Return what two cases have in common that ask the same, in whatever order and words."""
    return frozenset((frozenset(zip(case.objects, weights, strict=True)), total) for weights, total in case.equations)


def drawn(pools: Pools, chance: random.Random) -> Quantity | None:
    """Draw things with their numbers, then facts; None where no facts fit them alone, or all numbers are zero."""
    kinds = chance.sample(*kinds_of(pools, chance))
    counts = {kind: chance.randint(0, pools.counted.most) for kind in kinds}
    if not any(counts.values()):
        return None
    parts = pools.counted.parts
    possible = [(name, fact) for name, make in MAKERS.items() for fact in make(counts, parts, chance)]
    chosen: list[tuple[str, Fact]] = []
    for one in chance.sample(possible, len(possible)):
        if len(kinds) > 1 and len(one[1].weights) == 1 and any(len(fact.weights) == 1 for _, fact in chosen):
            continue  # two facts, each about one thing alone, would be two puzzles
        chosen.append(one)
        if fit_alone(chosen, kinds):
            break
    else:
        return None
    for one in chosen[:-1]:
        without = [other for other in chosen if other is not one]
        chosen = without if fit_alone(without, kinds) else chosen
    return Quantity(prompt(pools, kinds, chosen), tuple(kinds), tuple(counts.values()), equations_of(chosen, kinds))


def kinds_of(pools: Pools, chance: random.Random) -> tuple[list[str], int]:
    """Draw of which kinds of things how many are to be drawn."""
    part = chance.choice(list(pools.counted.parts.values()))
    names = list(part.of if chance.random() < OF_ONE_PART else pools.things)
    return names, chance.randint(1, min(pools.counted.most_things, len(names)))


def fit_alone(facts: list[tuple[str, Fact]], kinds: list[str]) -> bool:
    """Return whether the facts fit one answer and no other."""
    return determine(equations_of(facts, kinds), len(kinds), LARGEST)


def equations_of(facts: list[tuple[str, Fact]], kinds: list[str]) -> tuple[Equation, ...]:
    """Return the equations of facts, with the things in order."""
    return tuple(Equation(tuple(fact.weights.get(kind, 0) for kind in kinds), fact.total) for _, fact in facts)


def prompt(pools: Pools, kinds: list[str], facts: list[tuple[str, Fact]]) -> Prompts:
    """Return the case in words."""
    sentences: list[tuple[Said, Mapping[str, Slot]]] = [(pools.words.opening, {"things": kinds})]
    sentences += [(pools.words.facts[name], fact.slots) for name, fact in facts]
    return prompts_of([*sentences, (pools.words.ending, {})], pools.things)
