"""Puzzles of where, as cases of an edition (section 3.2)."""

import random
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import partial
from itertools import permutations
from math import prod
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field, field_validator

from gamut.evaluation.construction.drawing import distinct_cases
from gamut.evaluation.construction.slots import Slots, drawn_case_row, pack_case
from gamut.project.errors import UserError
from gamut.project.validation import Strict, read_checked
from gamut.tables.columns import Row
from stages.gir.construction.parameters import Params
from stages.gir.construction.words import Thing, in_words, phrase_of, read_things

Place = tuple[int, int]
"""Row and column, from 0."""
Arrangement = tuple[Place, ...]
"""The place of every thing, in the order of the things."""


class Layout(NamedTuple):
    rows: int
    columns: int

    @property
    def places(self) -> Arrangement:
        return tuple((row, column) for row in range(self.rows) for column in range(self.columns))


class Kind(NamedTuple):
    """A kind of fact about the places of a number of things: its sentence, when it holds, and in which layouts it is
    informative.
    """

    things: int
    words: str
    holds: Callable[..., bool]
    applies: Callable[[Layout], bool]


class Fact(NamedTuple):
    """A kind of fact, and the numbers of its things."""

    kind: str
    things: tuple[int, ...]

    def holds(self, arrangement: Arrangement) -> bool:
        return KINDS[self.kind].holds(*(arrangement[thing] for thing in self.things))


def has_columns(layout: Layout) -> bool:
    return layout.columns > 1


def has_rows(layout: Layout) -> bool:
    return layout.rows > 1


def is_long_line(layout: Layout) -> bool:
    return min(layout) == 1 and max(layout) > 2


KINDS: Mapping[str, Kind] = {
    "left": Kind(2, "Put the {a} further left than the {b}.", lambda a, b: a[1] < b[1], has_columns),
    "right": Kind(2, "Put the {a} further right than the {b}.", lambda a, b: a[1] > b[1], has_columns),
    "above": Kind(2, "Put the {a} higher than the {b}.", lambda a, b: a[0] < b[0], has_rows),
    "below": Kind(2, "Put the {a} lower than the {b}.", lambda a, b: a[0] > b[0], has_rows),
    "next_left": Kind(
        2, "Put the {a} right beside the {b}, on its left.", lambda a, b: (a[0], a[1] + 1) == b, has_columns
    ),
    "next_above": Kind(
        2, "Put the {a} directly above the {b}, with nothing between.", lambda a, b: (a[0] + 1, a[1]) == b, has_rows
    ),
    "not_left": Kind(2, "Do not put the {a} further left than the {b}.", lambda a, b: a[1] >= b[1], has_columns),
    "not_above": Kind(2, "Do not put the {a} higher than the {b}.", lambda a, b: a[0] >= b[0], has_rows),
    "leftmost": Kind(1, "Put nothing further left than the {a}.", lambda a: a[1] == 0, has_columns),
    "topmost": Kind(1, "Put nothing higher than the {a}.", lambda a: a[0] == 0, has_rows),
    "between": Kind(
        3, "Put the {a} somewhere between the {b} and the {c}.", lambda a, b, c: b < a < c or c < a < b, is_long_line
    ),
    "apart": Kind(
        2, "Do not put the {a} next to the {b}.", lambda a, b: abs(a[0] - b[0]) + abs(a[1] - b[1]) > 1, is_long_line
    ),
}
ROW = "Draw side by side in one row, each exactly once: {things}."
COLUMN = "Draw one above the other in one column, each exactly once: {things}."
GRID = (
    "Draw in {rows} rows, one above the other, with {columns} places each, one thing or group a place and each exactly "
    "once: {things}."
)
GROUP_NOTE = "Keep together in one place what stands in the same brackets."


def true_facts(layout: Layout, arrangement: Arrangement) -> list[Fact]:
    numbers = range(len(arrangement))
    possible = (
        Fact(name, things)
        for name, kind in KINDS.items()
        if kind.applies(layout)
        for things in permutations(numbers, kind.things)
    )
    return [fact for fact in possible if fact.holds(arrangement)]


def allowed_arrangements(layout: Layout, facts: Iterable[Fact]) -> Iterator[Arrangement]:
    facts = list(facts)
    return (found for found in permutations(layout.places) if all(fact.holds(found) for fact in facts))


def needed_facts(layout: Layout, facts: Iterable[Fact]) -> list[Fact]:
    """Add true facts in order until one arrangement is left, then drop each fact that is not needed for that."""
    left = list(permutations(layout.places))
    chosen: list[Fact] = []
    for fact in facts:
        fewer = [arrangement for arrangement in left if fact.holds(arrangement)]
        if len(fewer) < len(left):
            left = fewer
            chosen.append(fact)
    for fact in chosen[:-1]:
        without = [other for other in chosen if other != fact]
        chosen = without if len(list(allowed_arrangements(layout, without))) == 1 else chosen
    return chosen


GROUP_SHARE = 0.15
"""How often a thing becomes a group of several, if the pools allow groups."""
MOST_PLACES = 6
"""They have 720 arrangements, which are all tried for every fact."""
COLOUR_SHARE = 0.5
"""The share of cases with colours, among cases without a group."""


class SpatialPool(Strict):
    layouts: Annotated[list[tuple[int, int]], Field(min_length=1)]
    most_in_group: Annotated[int, Field(ge=1, le=4)]
    groups: dict[str, str]
    colours: Annotated[list[str], Field(min_length=2)]

    @field_validator("layouts", mode="before")
    @classmethod
    def layouts_can_be_tried(cls, layouts: object) -> object:
        """Refuse a layout with too many arrangements to try for every case, or that is not [rows, columns]."""
        if not isinstance(layouts, list):
            return layouts
        for layout in layouts:
            if not (isinstance(layout, list) and len(layout) == 2 and all(type(n) is int and n > 0 for n in layout)):
                raise ValueError(f"{layout!r}: a layout is [rows, columns]")
            if not 2 <= prod(layout) <= MOST_PLACES:
                raise ValueError(f"{layout}: a layout has 2 to {MOST_PLACES} places")
        return [tuple(layout) for layout in layouts]


class Pools(NamedTuple):
    things: Mapping[str, Thing]
    placed: SpatialPool


class Spatial(NamedTuple):
    """A case: what has a place of its own (a thing or a group), its colours, if any, and places. Facts prove it."""

    prompt: str
    objects: tuple[tuple[str, ...], ...]
    colours: tuple[str, ...]
    layout: Layout
    arrangement: Arrangement
    facts: tuple[Fact, ...]

    def relations(self) -> list[tuple[int, str, int]]:
        at = {place: number for number, place in enumerate(self.arrangement)}
        across = [(at[r, c], "left", at[r, c + 1]) for r, c in self.layout.places if (r, c + 1) in at]
        down = [(at[r, c], "above", at[r + 1, c]) for r, c in self.layout.places if (r + 1, c) in at]
        return across + down


def read_pools(folder: Path) -> Pools:
    path, things = folder / "spatial.yaml", read_things(folder)
    placed = read_checked(SpatialPool, path)
    if placed.most_in_group > 1 and (
        strange := sorted({thing.group for thing in things.values()} - placed.groups.keys())
    ):
        raise UserError(f"{path}: groups: {', '.join(strange)}: only {folder / 'things.yaml'} has it: add it here")
    return Pools(things, placed)


def spatials(seed: int, count: int, pools: Pools) -> Iterator[Spatial]:
    return distinct_cases("spatial", seed, count, partial(draw_case, pools), sameness)


def sameness(case: Spatial) -> Hashable:
    what = [(things, case.colours[n] if case.colours else "") for n, things in enumerate(case.objects)]
    facts = frozenset((fact.kind, tuple(what[thing] for thing in fact.things)) for fact in case.facts)
    return case.layout, frozenset(what), facts


def draw_case(pools: Pools, chance: random.Random) -> Spatial:
    layout = Layout(*chance.choice(pools.placed.layouts))
    objects = draw_objects(pools, len(layout.places), chance)
    single = all(len(things) == 1 for things in objects)
    coloured = single and chance.random() < COLOUR_SHARE
    colours = tuple(chance.choice(pools.placed.colours) for _ in objects) if coloured else ()
    arrangement = tuple(chance.sample(layout.places, len(objects)))
    true = true_facts(layout, arrangement)
    facts = needed_facts(layout, chance.sample(true, len(true)))
    names = [
        name_of(pools, things, colour) for things, colour in zip(objects, colours or [""] * len(objects), strict=True)
    ]
    return Spatial(
        spatial_prompt(pools, layout, objects, names, facts), tuple(objects), colours, layout, arrangement, tuple(facts)
    )


def draw_objects(pools: Pools, count: int, chance: random.Random) -> list[tuple[str, ...]]:
    """Draw what has a place of its own: single things, and groups of several with no other thing of that group."""
    members: dict[str, list[str]] = {}
    for name, thing in pools.things.items():
        members.setdefault(thing.group, []).append(name)
    groups = [group for group, names in members.items() if len(names) >= pools.placed.most_in_group > 1]
    grouped = chance.sample(groups, sum(chance.random() < GROUP_SHARE for _ in range(min(count, len(groups)))))
    objects = [tuple(chance.sample(members[g], chance.randint(2, pools.placed.most_in_group))) for g in grouped]
    singles = [name for name, thing in pools.things.items() if thing.group not in grouped]
    objects += [(name,) for name in chance.sample(singles, count - len(objects))]
    return chance.sample(objects, count)


def name_of(pools: Pools, things: tuple[str, ...], colour: str) -> str:
    return pools.placed.groups[pools.things[things[0]].group] if len(things) > 1 else f"{colour} {things[0]}".strip()


def spatial_prompt(
    pools: Pools, layout: Layout, objects: list[tuple[str, ...]], names: list[str], facts: list[Fact]
) -> str:
    opening = ROW if layout.rows == 1 else COLUMN if layout.columns == 1 else GRID
    entries = [
        name if len(things) == 1 else f"{name} ({phrase_of(things)})"
        for things, name in zip(objects, names, strict=True)
    ]
    rows, columns = (in_words(number, pools.things) for number in layout)
    sentences = [opening.format(rows=rows, columns=columns, things=phrase_of(entries))]
    sentences += [GROUP_NOTE] if entries != names else []
    sentences += [
        KINDS[kind].words.format(**dict(zip("abc", (names[thing] for thing in things), strict=False)))
        for kind, things in facts
    ]
    return " ".join(sentences)


def draw_spatial(slots: Slots[Params]) -> None:
    propose = slots.params.propose
    cases = spatials(slots.seed(), propose.drafts.spatial, read_pools(Path(propose.pools)))
    slots.write([row_of(number, case) for number, case in enumerate(cases)])


def row_of(number: int, case: Spatial) -> Row:
    groups = labels_of(case)
    relations = [
        {"subject": groups[a], "direction": direction, "object": groups[b]} for a, direction, b in case.relations()
    ]
    proof = {
        "layout": [*case.layout],
        "places": [[*groups[thing], *place] for thing, place in enumerate(case.arrangement)],
        "facts": [[fact.kind, *(" and ".join(groups[thing]) for thing in fact.things)] for fact in case.facts],
    }
    objects = [label for group in groups for label in group]
    own = {"objects": objects, "relations": relations, "proof": proof}
    return drawn_case_row("spatial", number, task="spatial", prompt=case.prompt, case=pack_case(own))


def labels_of(case: Spatial) -> list[list[str]]:
    if not case.colours:
        return [[*things] for things in case.objects]
    return [[f"{colour} {things[0]}"] for colour, things in zip(case.colours, case.objects, strict=True)]
