"""Puzzles of how many, as cases of an edition (section 3.2)."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, islice, permutations
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field

from gamut.evaluation.construction.drawing import distinct_cases
from gamut.evaluation.construction.slots import Slots, drawn_case_row, pack_case
from gamut.project.errors import UserError
from gamut.project.validation import Strict, read_checked
from gamut.tables.columns import Row
from stages.gir.construction.parameters import Params
from stages.gir.construction.words import Amount, Slot, Thing, Verbatim, in_words, read_things


class Equation(NamedTuple):
    """The sum of weight times number, over all unknowns in order, equals `total`."""

    weights: tuple[int, ...]
    total: int


def solutions(
    equations: Sequence[Equation], unknowns: int, largest: int, known: tuple[int, ...] = ()
) -> Iterator[tuple[int, ...]]:
    """Yield all solutions with numbers up to `largest`, one for each unknown, that begin with the known numbers."""
    place = len(known)
    low, high = 0, largest
    for weights, total in equations:
        weight, rest = (*weights, 0)[place], total - sum(w * n for w, n in zip(weights, known, strict=False))
        later = [w * largest for w in weights[place + 1 :]]
        least, most = rest - sum(w for w in later if w > 0), rest - sum(w for w in later if w < 0)
        if weight > 0:
            low, high = max(low, -(-least // weight)), min(high, most // weight)
        elif weight < 0:
            low, high = max(low, -(most // -weight)), min(high, -least // -weight)
        elif not least <= 0 <= most:
            return
    if place == unknowns:
        yield known
        return
    for number in range(low, high + 1):
        yield from solutions(equations, unknowns, largest, (*known, number))


def have_one_solution(equations: Sequence[Equation], unknowns: int, largest: int) -> bool:
    return len(list(islice(solutions(equations, unknowns, largest), 2))) == 1


MOST_TAKEN = 12
"""The largest number of things that have gone."""
MOST_SHARES = 6
MOST_OTHERS = 6
"""The largest number of other things of a kind whose parts are counted."""


class Part(Strict):
    """A part, such as legs, that each kind of thing has a known number of. `name`: its form in a sentence."""

    name: str
    of: Annotated[dict[str, Annotated[int, Field(ge=0)]], Field(min_length=2)]


class Fact(NamedTuple):
    """The sum of weight times number over the things of `weights` equals `total`. `slots` fill its sentence."""

    weights: Mapping[str, int]
    total: int
    slots: Mapping[str, Slot]


Counts = Mapping[str, int]
Parts = Mapping[str, Part]


def part_facts(counts: Counts, parts: Parts, chance: random.Random) -> list[Fact]:
    facts = []
    for part in parts.values():
        weights = {thing: part.of[thing] for thing in counts if thing in part.of}
        if total := sum(weight * counts[thing] for thing, weight in weights.items()):
            facts.append(Fact(weights, total, {"things": list(weights), "total": total, "part": Verbatim(part.name)}))
    return facts


def total_facts(counts: Counts, parts: Parts, chance: random.Random) -> list[Fact]:
    total = sum(counts.values())
    fact = Fact(dict.fromkeys(counts, 1), total, {"things": list(counts), "total": total})
    return [fact] if len(counts) > 1 else []


def difference_facts(counts: Counts, parts: Parts, chance: random.Random) -> list[Fact]:
    return [
        Fact({a: 1, b: -1}, counts[a] - counts[b], {"a": a, "b": b, "total": counts[a] - counts[b]})
        for a, b in permutations(counts, 2)
        if counts[a] > counts[b]
    ]


def equality_facts(counts: Counts, parts: Parts, chance: random.Random) -> list[Fact]:
    return [Fact({a: 1, b: -1}, 0, {"a": a, "b": b}) for a, b in combinations(counts, 2) if counts[a] == counts[b]]


def multiple_facts(counts: Counts, parts: Parts, chance: random.Random) -> list[Fact]:
    return [
        Fact({a: 1, b: -(counts[a] // counts[b])}, 0, {"a": a, "b": b, "times": counts[a] // counts[b]})
        for a, b in permutations(counts, 2)
        if counts[b] and counts[a] >= 2 * counts[b] and counts[a] % counts[b] == 0
    ]


def share_facts(counts: Counts, parts: Parts, chance: random.Random) -> list[Fact]:
    shares = {thing: chance.randint(2, MOST_SHARES) for thing in counts}
    return [
        Fact({a: times}, times * counts[a], {"a": a, "times": times, "amount": Amount(times * counts[a], a)})
        for a, times in shares.items()
        if counts[a]
    ]


def remainder_facts(counts: Counts, parts: Parts, chance: random.Random) -> list[Fact]:
    taken = {thing: chance.randint(2, MOST_TAKEN) for thing in counts}
    return [
        Fact({a: 1}, counts[a], {"a": a, "total": gone, "amount": Amount(counts[a] + gone, a)})
        for a, gone in taken.items()
    ]


def equal_parts_facts(counts: Counts, parts: Parts, chance: random.Random) -> list[Fact]:
    facts = []
    for part in parts.values():
        others = [thing for thing, has in part.of.items() if has and thing not in counts]
        for thing, count in counts.items():
            total = part.of.get(thing, 0) * count
            if total and len(others) > 1:
                a, b = chance.sample(others, 2)
                fitting = [
                    [Amount(n, a), Amount(rest // part.of[b], b)]
                    for n in range(1, MOST_OTHERS + 1)
                    if (rest := total - n * part.of[a]) > 0
                    and rest % part.of[b] == 0
                    and rest // part.of[b] <= MOST_OTHERS
                ]
                if fitting:
                    slots: dict[str, Slot] = {"a": thing, "part": Verbatim(part.name), "others": chance.choice(fitting)}
                    facts.append(Fact({thing: part.of[thing]}, total, slots))
    return facts


FACTS: Mapping[Callable[[Counts, Parts, random.Random], list[Fact]], str] = {
    part_facts: "Counted together, the {things} have {total} {part}.",
    total_facts: "Taken together, the {things} number {total}.",
    difference_facts: "The {a} outnumber the {b} by {total}.",
    equality_facts: "There are as many {a} as {b}.",
    multiple_facts: "The number of {a} is {times} times the number of {b}.",
    share_facts: "Divide {amount} into {times} equal shares: the {a} are one of the shares.",
    remainder_facts: "There were {amount}, and {total} of them have gone.",
    equal_parts_facts: "The {a} have as many {part} as {others} taken together.",
}
"""The sentence of each kind of fact."""
OPENING = "Work out how many {things} there are, and draw exactly that many of each."
ENDING = "If the answer for something is zero, leave it out."

LARGEST_ANSWER = 99
"""An answer is the only one with all numbers from 0 to this: so no prompt needs to state a limit."""
OF_ONE_PART = 0.75
"""The share of cases whose things all have a known number of the same part."""


class QuantityPool(Strict):
    most: Annotated[int, Field(ge=2, le=20)]
    most_things: Annotated[int, Field(ge=1, le=4)]
    parts: Annotated[dict[str, Part], Field(min_length=1)]


class Pools(NamedTuple):
    things: Mapping[str, Thing]
    counted: QuantityPool


class Quantity(NamedTuple):
    """A case: its prompt, the kinds of things and their numbers. The equations of its facts are the proof."""

    prompt: str
    objects: tuple[str, ...]
    number: tuple[int, ...]
    equations: tuple[Equation, ...]


def read_pools(folder: Path) -> Pools:
    path, things = folder / "quantity.yaml", read_things(folder)
    counted = read_checked(QuantityPool, path)
    for name, part in counted.parts.items():
        if strange := sorted(part.of.keys() - things.keys()):
            raise UserError(
                f"{path}: parts.{name}: {', '.join(strange)}: missing in {folder / 'things.yaml'}: add it there"
            )
    return Pools(things, counted)


def quantities(seed: int, count: int, pools: Pools) -> Iterator[Quantity]:
    return distinct_cases("quantity", seed, count, partial(draw_case, pools), sameness)


def sameness(case: Quantity) -> frozenset[tuple[frozenset[tuple[str, int]], int]]:
    return frozenset((frozenset(zip(case.objects, weights, strict=True)), total) for weights, total in case.equations)


def draw_case(pools: Pools, chance: random.Random) -> Quantity | None:
    """Draw things with their numbers, then facts. None without a unique solution, or if all numbers are zero."""
    kinds = chance.sample(*draw_kinds(pools, chance))
    counts = {kind: chance.randint(0, pools.counted.most) for kind in kinds}
    if not any(counts.values()):
        return None
    parts = pools.counted.parts
    possible = [(words, fact) for make, words in FACTS.items() for fact in make(counts, parts, chance)]
    chosen: list[tuple[str, Fact]] = []
    for one in chance.sample(possible, len(possible)):
        if len(kinds) > 1 and len(one[1].weights) == 1 and any(len(fact.weights) == 1 for _, fact in chosen):
            continue  # two facts, each about one thing alone, would be two puzzles
        chosen.append(one)
        if have_one_answer(chosen, kinds):
            break
    else:
        return None
    for one in chosen[:-1]:
        without = [other for other in chosen if other is not one]
        chosen = without if have_one_answer(without, kinds) else chosen
    return Quantity(
        quantity_prompt(pools, kinds, chosen), tuple(kinds), tuple(counts.values()), equations_of(chosen, kinds)
    )


def draw_kinds(pools: Pools, chance: random.Random) -> tuple[list[str], int]:
    part = chance.choice(list(pools.counted.parts.values()))
    names = list(part.of if chance.random() < OF_ONE_PART else pools.things)
    return names, chance.randint(1, min(pools.counted.most_things, len(names)))


def have_one_answer(facts: list[tuple[str, Fact]], kinds: list[str]) -> bool:
    return have_one_solution(equations_of(facts, kinds), len(kinds), LARGEST_ANSWER)


def equations_of(facts: list[tuple[str, Fact]], kinds: list[str]) -> tuple[Equation, ...]:
    return tuple(Equation(tuple(fact.weights.get(kind, 0) for kind in kinds), fact.total) for _, fact in facts)


def quantity_prompt(pools: Pools, kinds: list[str], facts: list[tuple[str, Fact]]) -> str:
    sentences = [(OPENING, {"things": kinds}), *((words, fact.slots) for words, fact in facts)]
    filled = [
        words.format(**{name: in_words(slot, pools.things) for name, slot in slots.items()})
        for words, slots in sentences
    ]
    return " ".join([*filled, ENDING])


ABSENT = 3
"""How many things that are not in the prompt are also searched for: so a picture full of everything is not right."""


def draw_quantity(slots: Slots[Params]) -> None:
    propose = slots.params.propose
    seed, pools = slots.seed(), read_pools(Path(propose.pools))
    cases = quantities(seed, propose.drafts.quantity, pools)
    slots.write([row_of(number, case, pools.things, seed) for number, case in enumerate(cases)])


def row_of(number: int, case: Quantity, things: Mapping[str, Thing], seed: int) -> Row:
    proof = [equation_text(one, case.objects) for one in case.equations]
    absent = draw_absent(case.objects, things, random.Random(f"absent {seed} {number}"))
    own = {"objects": case.objects, "numbers": case.number, "absent": absent, "proof": proof}
    return drawn_case_row("quantity", number, task="quantity", prompt=case.prompt, case=pack_case(own))


def draw_absent(objects: Sequence[str], things: Mapping[str, Thing], chance: random.Random) -> list[str]:
    """Draw things that are not in the prompt, of other groups than its things: no detector finds a bird in a duck."""
    groups = {things[name].group for name in objects}
    others = [name for name, thing in things.items() if thing.group not in groups]
    return chance.sample(others, min(ABSENT, len(others)))


def equation_text(equation: Equation, objects: tuple[str, ...]) -> str:
    """Return an equation as people write it: `4 cat + 2 duck = 12`."""
    terms = [f"{weight:+d} {thing}" for weight, thing in zip(equation.weights, objects, strict=True) if weight]
    return f"{' '.join(terms).removeprefix('+')} = {equation.total}"
