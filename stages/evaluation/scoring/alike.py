"""Whether scores can be ranked and compared: the same specs, item by item; else what differs, in a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, product
from typing import Any, NamedTuple

from stages.evaluation.defining.benchmark import Benchmark
from stages.evaluation.defining.editions import usable
from stages.evaluation.defining.parameters import Params
from stages.evaluation.defining.pictures import stand_ins
from stages.evaluation.defining.sides import can, sides_of
from stages.evaluation.running.spec import parts_of
from stages.evaluation.scoring.specs import Items, is_joint, specs_of
from stages.project.errors import UserError
from stages.tables.columns import Row
from stages.tables.reading import read_rows

MEND = "`dvc repro leaderboard` has all asked alike, with `--force` where it finds nothing to do; replies are kept"
Scored = Mapping[str, Mapping[tuple[str, str], Sequence[Row]]]
"""Scores by contestant, then by side and judge."""


class Unlike(NamedTuple):
    """An item whose scores are not comparable: the first measure in which its specs differ, and by name the values
    that each of two has.
    """

    item: str
    measure: str
    parts: Mapping[str, tuple[str, str]]

    def between(self, first: str, second: str) -> str:
        """Return in words what differs between two."""
        name, *others = self.parts
        ours, theirs = self.parts[name]
        also = f" ({', '.join(others)} too)" if others else ""
        return f"{name} differs{also} in item {self.item!r}, {self.measure}: {ours} of {first}, {theirs} of {second}"


def first_unlike(ours: Items, theirs: Items) -> Unlike | None:
    """Return the first item of both whose scores, of one side and judge, are not comparable."""
    if ours == theirs:  # many times as fast
        return None
    for item, specs in ours.items():
        others = theirs.get(item, specs)
        for measure in dict.fromkeys([*specs, *others]):
            if measure not in specs or measure not in others:
                if is_joint(specs.get(measure) or others[measure]):
                    continue  # who was put to the test on one side alone has none, and may be ranked on that side
                return Unlike(item, measure, {"measures": ("+".join(specs), "+".join(others))})
            if specs[measure] != others[measure] and (parts := unlike_parts(specs[measure], others[measure])):
                return Unlike(item, measure, parts)
    return None


def unlike_parts(ours: str, theirs: str) -> dict[str, tuple[str, str]]:
    """Return by name the values in which two specs differ; a part that one lacks is `none`."""
    one, other = parts_of(ours), parts_of(theirs)
    both = {name: (one.get(name, "none"), other.get(name, "none")) for name in (*one, *other)}
    return {name: values for name, values in both.items() if values[0] != values[1]}


ASKED_ABOUT = ["item", "side", "question", "spec"]


def require_whole(benchmark: Benchmark[Any, Any], params: Params, scored: Scored) -> None:
    """Raise UserError for a contestant with scores of other items than those that it is asked, such as those of
    an edition of before: what is not there would not count.
    """
    block, items = benchmark.block(params), usable(benchmark.items(params))
    sides = benchmark.sides(block)
    puts = {(item.id, side): benchmark.put(item, side, stand_ins(item)) for item, side in benchmark.puts(items, sides)}
    for name, own in scored.items():
        contestant = params.contestants[name]
        for side, judge in product(sides_of(benchmark, params, name), block.judged_by):
            on_side = {item.id: puts[item.id, side] for item in items if (item.id, side) in puts}
            asked = {str(item): None for item, put in on_side.items() if can(contestant, put)}
            found = specs_of(own.get((side, judge), ()))
            if odd := next((item for item in (*asked, *found) if (item in asked) != (item in found)), None):
                what = f"no scores of item {odd!r}" if odd in asked else f"scores of {odd!r}, which it is not asked"
                raise UserError(f"{benchmark.title}, {side}, judged by {judge}: {name} has {what}: run `dvc repro`")


def require_alike(benchmark: Benchmark[Any, Any], scored: Scored) -> None:
    """Raise UserError where scores of contestants, by side and judge, are of unlike specs: they cannot be ranked
    together. For each judge a line names a contestant and the first before it that it cannot be ranked with.
    """
    specs = {name: {key: specs_of(rows) for key, rows in own.items()} for name, own in scored.items()}
    lines: list[str] = []
    for place, (name, own) in enumerate(specs.items()):
        for (side, judge), ours in own.items():
            for other in [*specs][:place]:
                if unlike := first_unlike(specs[other].get((side, judge), {}), ours):
                    where = f"{benchmark.title}, {side}, judged by {judge}"
                    said = f"{other} and {name} cannot be ranked together"
                    lines.append(f"{where}: {said}: {unlike.between(other, name)}: {MEND}")
                    break
    if lines:
        raise UserError("\n".join(lines))


def require_same_questions(benchmark: Benchmark[Any, Any], params: Params, scored: Scored) -> None:
    """Raise UserError where a judge was asked otherwise about controls than about the answers that they are made of:
    they would say nothing of its board.
    """
    block = benchmark.block(params)
    for contestant, judge in product(block.controls_of, block.judged_by):
        of_answers = {key: specs_of(rows) for key, rows in scored[contestant].items()}
        tables = [benchmark.controls / contestant / place for place in benchmark.tried_by(block, judge)]
        for row in chain.from_iterable(read_rows(table, ASKED_ABOUT) for table in tables):
            spec = of_answers.get((row["side"], judge), {}).get(row["item"], {}).get(row["question"])
            there = parts_of(spec) if spec else {}
            pairs = {name: (there.get(name, "none"), value) for name, value in parts_of(row["spec"]).items()}
            if other := {name: pair for name, pair in pairs.items() if pair[1] not in pair[0].split("+")}:
                where = f"{benchmark.title}, {row['side']}: controls of {judge} say nothing of its board"
                said = Unlike(row["item"], row["question"], other).between(f"answers of {contestant}", "its controls")
                raise UserError(f"{where}: {said}: {MEND}")
