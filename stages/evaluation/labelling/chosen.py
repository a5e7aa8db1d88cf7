"""Which labels count where scores are corrected by them: those of the draw, and what it has without a label.

Who could choose answers to be labelled, or to be left blank, could choose the score.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from stages.evaluation.defining.benchmark import Benchmark
from stages.evaluation.defining.parameters import Params
from stages.evaluation.labelling.asked import key_path, read_key
from stages.evaluation.labelling.drawing import Given, lot_of
from stages.project.plain_text import amount

Place = tuple[str, str, str, str, int]
"""What something is said of: a side, measure, contestant, item and sample."""
Said = TypeVar("Said")


def of_the_draw(
    benchmark: Benchmark[Any, Any], params: Params, said: Mapping[Place, Said], there: Collection[Place]
) -> tuple[Mapping[Place, Said], Collection[Place], Sequence[str]]:
    """Return what is said of answers that were drawn, which drawn ones were left blank, and what to tell. `there`: all
    of which something can be said. Without a key it is not known which were drawn, and all count; a key that may be
    none of a draw is named.
    """
    key = key_path(benchmark, params)
    if not key.exists():
        chosen = f"{key} is not there, which says what was drawn: scores are corrected as if no label was chosen"
        return said, (), [] if said.keys() >= {*there} else [chosen]
    rows = read_key(benchmark, params).values()
    drawn = {(row["side"], row["measure"], row["contestant"], row["item"], int(row["sample"])) for row in rows}
    kept, lines = drawn_alone(said, drawn, there), list[str]()
    if not said.keys() >= {*there} and (otherwise := drawn_otherwise(benchmark, params, drawn, there)):
        lines.append(
            f"{key}: {amount(otherwise, 'answer')} by the seed would not have been drawn of what is there now: where "
            "none came since, somebody chose them, and what they correct is not to be trusted"
        )
    if others := len(said.keys() & {*there}) - len(kept.keys() & {*there}):
        lines.append(f"{amount(others, 'truth')} of answers that were not drawn ({key}) correct nothing")
    if blank := (drawn & {*there}) - kept.keys():
        of_all = f"{amount(len({place[:1] + place[2:] for place in blank}), 'answer')} of the draw"
        lines.append(
            f"{of_all} without a label yet (`gamut label {benchmark.name}` puts them): corrected intervals take them "
            "for the worst and for the best, agreement is told as if none was left because of what it shows"
        )
    return kept, blank, lines


def drawn_otherwise(
    benchmark: Benchmark[Any, Any], params: Params, drawn: Collection[Place], there: Iterable[Place]
) -> int:
    """Return how many of the drawn answers are none of those with the lowest lots, as many as were drawn in their
    stratum, on their side, of all that the contestants gave who are among them: others may have come since.
    """
    stratum = benchmark.labelled_by or benchmark.stratum
    strata = {str(item.id): stratum(item) for item in benchmark.items(params)}
    picked, contestants = {given_at(place) for place in drawn}, {place[2] for place in drawn}
    pools: dict[tuple[str, str], list[Given]] = {}
    for one in {given_at(place) for place in there if place[2] in contestants} | picked:
        pools.setdefault((one.side, strata.get(one.item, "")), []).append(one)
    lowest: set[Given] = set()
    for pool in pools.values():
        pool.sort(key=lambda one: lot_of(one, params.seed))
        lowest.update(pool[: len(picked.intersection(pool))])
    return len(picked - lowest)


def given_at(place: Place) -> Given:
    """Return the answer of which something is said, whatever its row."""
    side, _, contestant, item, sample = place
    return Given(contestant, item, side, sample, "")


def drawn_alone(said: Mapping[Place, Said], drawn: Collection[Place], there: Iterable[Place]) -> Mapping[Place, Said]:
    """Return what is said of answers that were drawn; of the others too where all on a side have labels of a measure,
    for nothing was chosen then, and of what is not there.
    """
    known = {*there}
    chosen = {place[:2] for place in known if place not in said}
    return {
        place: one for place, one in said.items() if place in drawn or place not in known or place[:2] not in chosen
    }
