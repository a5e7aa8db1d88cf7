"""Which answers people label: a number or share, drawn by seed within strata, without showing who made them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from gamut.asking.requests import seed_of
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.parameters import Params
from gamut.evaluation.labelling.questions import key_path, question_lines, read_key
from gamut.project.errors import UserError
from gamut.project.plain_text import amount
from gamut.tables.columns import grouped
from gamut.tables.reading import read_rows


class GivenAnswer(NamedTuple):
    """An answer of a contestant. `id`: of its row in the contestant's table."""

    contestant: str
    item: str
    setting: str
    sample: int
    id: str


Pools = Mapping[tuple[str, str], Sequence[GivenAnswer]]
"""Answers by setting and stratum."""


def drawn_answers(benchmark: AnyBenchmark, params: Params, share: float, in_all: int | None) -> list[GivenAnswer]:
    """Draw a share of the items, or `in_all` answers. UserError if there is no answer."""
    if not 0 < share <= 1:
        raise UserError(f"--share {share:g}: a share of the items above 0 and up to 1 is expected")
    strata = strata_by_item(benchmark, params)
    drawn = draw(given_answers(benchmark, params), strata, share, params.seed, in_all)
    if not drawn:
        raise UserError(f"{benchmark.name}: there is no answer to draw: no contestant of params.yaml has answered")
    return drawn


def strata_by_item(benchmark: AnyBenchmark, params: Params) -> dict[str, str]:
    stratum = benchmark.labelled_by or benchmark.stratum
    return {str(item.id): stratum(item) for item in benchmark.items(params)}


def given_answers(benchmark: AnyBenchmark, params: Params) -> Iterator[GivenAnswer]:
    """Yield all answers that people may be asked about. UserError for one that params.yaml no longer measures."""
    block, items = benchmark.block(params), {str(one.id): one for one in benchmark.items(params)}
    settings = benchmark.settings(block)
    for contestant in benchmark.contestants(params):
        table = benchmark.answers / contestant
        for row in read_rows(table, ["id", "item", "setting", "sample", "status"]):
            if row["item"] not in items or row["setting"] not in settings:
                other = f"{row['item']!r}, {row['setting']}"
                raise UserError(f"{table} has answers of another edition or setting ({other}): run `dvc repro`")
            if row["status"] == "ok" and question_lines(benchmark, block, items[row["item"]], row["setting"]):
                yield GivenAnswer(contestant, row["item"], row["setting"], row["sample"], row["id"])


def answers_of_key(benchmark: AnyBenchmark, params: Params) -> dict[str, GivenAnswer | None]:
    """Return the drawn answers by code; None for one that does not exist."""
    there = {(one.contestant, one.item, one.setting, str(one.sample)): one for one in given_answers(benchmark, params)}
    return {
        code.rpartition("-")[0]: there.get((row["contestant"], row["item"], row["setting"], row["sample"]))
        for code, row in read_key(benchmark, params).items()
    }


def draw(
    answers: Iterable[GivenAnswer], strata: Mapping[str, str], share: float, seed: int, in_all: int | None = None
) -> list[GivenAnswer]:
    """Return a sample of the answers, in an order that reveals nothing. Each answer is as likely as any other of its
    setting and stratum. A larger share or number contains a smaller one. A sample drawn in one setting is also drawn in
    others.
    """
    pools = grouped(((one.setting, strata[one.item]), one) for one in answers)
    counts = counts_by_share(pools, share, seed) if in_all is None else counts_by_number(pools, in_all)
    drawn: list[GivenAnswer] = []
    for place, pool in pools.items():
        drawn += sorted(pool, key=lambda one: (lot_of(one, seed), one))[: counts[place]]
    return sorted(drawn, key=lambda one: answer_code(one, seed))


def counts_by_share(pools: Pools, share: float, seed: int) -> dict[tuple[str, str], int]:
    """Return how many to draw from each pool, at least one. Fractions are rounded at random, alike in all settings."""
    lots = {place: seed_of(place[1], seed) / 2**31 for place in pools}
    return {place: max(1, int(share * count_items(pool) + lots[place])) for place, pool in pools.items()}


def counts_by_number(pools: Pools, answers: int) -> dict[tuple[str, str], int]:
    """Return how many to draw from each pool: at least one, then in proportion to items (Sainte-Laguë 1910). A larger
    total never draws fewer from a pool.
    """
    counts = dict.fromkeys(sorted(pools), 1)
    items = {place: count_items(pool) for place, pool in pools.items()}
    for _ in range(len(pools), answers):
        open_ones = [place for place, count in counts.items() if count < len(pools[place])]
        if not open_ones:
            break
        counts[max(open_ones, key=lambda place: items[place] / (2 * counts[place] + 1))] += 1
    return counts


def count_items(pool: Iterable[GivenAnswer]) -> int:
    return len({one.item for one in pool})


def answer_code(one: GivenAnswer, seed: int) -> str:
    """Return a name that hides whose answer it is, and that no spreadsheet reads as a number."""
    return f"a{digest_of(one, seed, 'called')[:11]}"


def lot_of(one: GivenAnswer, seed: int) -> str:
    """Return an answer's lot, the same in all settings: each pool draws its answers with the lowest lots."""
    return digest_of(one._replace(setting=""), seed, "drawn")


def digest_of(one: GivenAnswer, seed: int, use: str) -> str:
    return hashlib.sha256(f"{seed}:{use}:{one.setting}/{one.item}/{one.contestant}/{one.sample}".encode()).hexdigest()


LabelledPlace = tuple[str, str, str, str, int]
"""Setting, measure, contestant, item and sample."""
Label = TypeVar("Label")


def labels_of_the_draw(
    benchmark: AnyBenchmark, params: Params, labels: Mapping[LabelledPlace, Label], answers: Collection[LabelledPlace]
) -> tuple[Mapping[LabelledPlace, Label], Collection[LabelledPlace], Sequence[str]]:
    """Return labels of drawn answers, the blank drawn answers, and messages. Without a key all labels count."""
    key = key_path(benchmark, params)
    if not key.exists():
        chosen = f"{key}, which lists the drawn answers, is missing: all labels are taken as drawn at random"
        return labels, (), [] if labels.keys() >= {*answers} else [chosen]
    rows = read_key(benchmark, params).values()
    drawn = {(row["setting"], row["measure"], row["contestant"], row["item"], int(row["sample"])) for row in rows}
    kept, lines = labels_of_drawn_answers(labels, drawn, answers), list[str]()
    if others := len(labels.keys() & {*answers}) - len(kept.keys() & {*answers}):
        lines.append(f"{amount(others, 'truth')} of answers that were not drawn ({key}): not used as corrections")
    if blank := (drawn & {*answers}) - kept.keys():
        of_all = f"{amount(len({place[:1] + place[2:] for place in blank}), 'answer')} of the draw"
        lines.append(
            f"{of_all} without a label yet (`gamut label {benchmark.name}` asks for them): corrected intervals "
            "allow any score for them; agreement assumes that they were not left out for what they show"
        )
    return kept, blank, lines


def labels_of_drawn_answers(
    labels: Mapping[LabelledPlace, Label], drawn: Collection[LabelledPlace], answers: Iterable[LabelledPlace]
) -> Mapping[LabelledPlace, Label]:
    """Return labels of drawn answers. If all answers in a setting have labels of a measure, all of those count."""
    known = {*answers}
    chosen = {place[:2] for place in known if place not in labels}
    return {
        place: one for place, one in labels.items() if place in drawn or place not in known or place[:2] not in chosen
    }
