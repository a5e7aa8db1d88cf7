"""What `gamut compare` prints: a verdict for each benchmark; for one benchmark a table for each board, and its items.

`--margin` tests non-inferiority: on every board the worst end of the paired 95 % interval of the value that ranks has
to lie within the margin. Several boards make no interval wider, since all of them have to hold. What a judge left
unjudged counts in favour of the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, NamedTuple

from rich.console import Console, JustifyMethod
from rich.markup import escape
from rich.table import Table

from gamut.command.terminal import wrapped_text
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.measures import Linear, Metric
from gamut.evaluation.scoring.comparison import Difference, difference_at_level
from gamut.evaluation.scoring.estimates import round_value
from gamut.evaluation.scoring.pairwise import (
    Comparison,
    EntrantScores,
    MovedItem,
    ScoreLayout,
    comparison_values,
    most_moved_items,
    scores_in_words,
)
from gamut.evaluation.scoring.printed import break_name
from gamut.evaluation.scoring.scores import Bounds
from gamut.evaluation.scoring.statistics.inference import LEVEL as CONFIDENCE
from gamut.evaluation.scoring.verdicts import (
    AHEAD,
    BEHIND,
    LEVEL,
    Verdict,
    board_verdicts,
    ranking_difference,
    ranking_values,
)
from gamut.project.parameters import load
from gamut.project.plain_text import amount, decimals, harmless_text, name_first, signed_decimals
from gamut.tables.columns import grouped


class Ruling(NamedTuple):
    """What one board says. `difference`: of the ranking value, None if that is missing. `worst`: the worst end of its
    interval in points, below 0 if the second may be worse; None if there is no interval.
    """

    board: Comparison
    difference: Difference | None
    worst: float | None
    passed: bool


def with_unjudged_highest(first: EntrantScores) -> EntrantScores:
    """Count what is unjudged of the first as the highest, where boards count the lowest: the second must not gain."""
    laid = {place: one._replace(bounds=Bounds(one.bounds.high, one.bounds.low)) for place, one in first.laid.items()}
    return replace(first, laid=laid)


def margin_ruling(metric: Metric, comparison: Comparison, margin: float) -> Ruling:
    """The second passes if it is known to be worse by less, by a judge that did not fail its validation."""
    found = ranking_difference(comparison, metric)
    alone = None if found is None else difference_at_level(found, CONFIDENCE)
    if alone is None or alone.low is None or alone.high is None:
        return Ruling(comparison, alone, None, False)
    worst = round_value(alone.low)
    return Ruling(comparison, alone, worst, comparison.trusted and worst > -margin)


def ruling_order(ruling: Ruling) -> tuple[bool, float]:
    """Sort the board that decides first: boards that did not pass, then the worst."""
    return ruling.passed, float("-inf") if ruling.worst is None else ruling.worst


def all_passed(rulings: Sequence[Ruling], not_compared: int) -> bool:
    """Whether all boards pass and all were compared: a contestant that answers less must not pass by that."""
    return all(one.passed for one in rulings) and not not_compared


def ruling_record(ruling: Ruling) -> dict[str, Any]:
    place = {name: getattr(ruling.board, name) for name in ("benchmark", "first", "second", "metric", "judge")}
    said = {"trusted": ruling.board.trusted, "worst": ruling.worst, "passed": ruling.passed}
    return place | ranking_values(ruling.difference) | said


LONGEST_NAMES, MOST_REFUSED, MOST_LINES = 60, 3, 14
"""Limits of the overview: characters of named boards, lines about what could not be compared, and lines of contestants
that are not level everywhere.
"""
HEADINGS = ("first", "second", "difference", "p", "items", "detectable")
LEGEND = (
    "difference: second minus first. All values of one table are tested together, each table on its own: with 95 % "
    "confidence all its intervals are right, and p (of no difference) is adjusted. detectable: the smallest true "
    "difference that would be found in 4 of 5 cases. p is adjusted in steps: below .05, an interval may still hold 0."
)


class Compared(NamedTuple):
    """Two entrants in one metric of a benchmark by one judge, and the scores of both."""

    benchmark: AnyBenchmark
    metric: Metric
    comparison: Comparison
    first: ScoreLayout
    second: ScoreLayout

    @property
    def board(self) -> str:
        seen_by = self.benchmark.block(load(self.benchmark.params)).words_before_judge(self.metric)
        return f"{self.benchmark.title}, {self.metric.name}, {seen_by} {self.comparison.judge}"

    def moved(self, most: int) -> Iterator[MovedItem]:
        return most_moved_items(self.metric, self.comparison, self.first, self.second, most)


class BenchmarkVerdict(NamedTuple):
    """The verdict on the second of a pair in one benchmark, and the verdicts of its other boards."""

    benchmark: AnyBenchmark
    first: str
    second: str
    headline: Verdict
    others: Sequence[Verdict]


def benchmark_verdict(
    benchmark: AnyBenchmark,
    place: tuple[str, str],
    boards: Sequence[Comparison],
    metrics: Mapping[str, Metric],
    seed: int,
) -> BenchmarkVerdict:
    """Return the verdicts of one pair. `place`: metric and judge of the main board."""
    by_place = {(one.metric, one.judge): one for one in board_verdicts(boards, metrics, seed)}
    headline = by_place.pop(place, Verdict(*place, why="not compared"))
    return BenchmarkVerdict(benchmark, boards[0].first, boards[0].second, headline, [*by_place.values()])


def verdict_record(one: BenchmarkVerdict) -> dict[str, Any]:
    place = {"benchmark": one.benchmark.name, "first": one.first, "second": one.second}
    return place | one.headline.values() | {"others": [other.values() for other in one.others]}


VERDICT_LEGEND = (
    "ahead, behind: the second has more or fewer points. level: no difference is shown; the interval says how large it "
    "may be. All boards of a benchmark are tested together, each benchmark on its own: two equal contestants are level "
    "on all of them in 95 of 100 cases."
)


def print_verdicts(first: str, second: str, verdicts: Sequence[BenchmarkVerdict]) -> None:
    """Print one line for each benchmark (and contestant, for revisions), and more if its other boards show a
    difference. For revisions, contestants for which no board shows a difference share a line.
    """
    print(wrapped_text(f"{second} against {first}:"))
    several = any(one.second != second for one in verdicts)
    level = level_contestants(verdicts) if several else {}
    left = [one for one in verdicts if one.second not in level]
    lines = [1 + len([*other_board_lines(one)]) for one in left]
    shown = [one for one, line in zip(left, accumulate(lines), strict=True) if line <= MOST_LINES]
    rows = [[*([one.second.partition("@")[0]] if several else []), *verdict_cells(one)] for one in shown]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for one, row in zip(shown, rows, strict=True):
        print(wrapped_text("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()))
        for line in other_board_lines(one):
            print(wrapped_text(f"{' ' * (widths[0] + 2)}{line}"))
    if len(left) > len(shown):
        print(f"and {len(left) - len(shown):,} more: `--json` has all")
    for number in dict.fromkeys(level.values()):
        names = [one.partition("@")[0] for one, benchmarks in level.items() if benchmarks == number]
        on = f"all {number} benchmarks" if number > 1 else "the only benchmark"
        print(wrapped_text(f"level on {on}: {', '.join(names)}"))


def level_contestants(verdicts: Sequence[BenchmarkVerdict]) -> dict[str, int]:
    """Return the contestants for which no board shows a difference, with their number of benchmarks."""
    return {
        name: len(found)
        for name, found in grouped((one.second, one) for one in verdicts).items()
        if all(one.headline.word == LEVEL and not any(other_board_lines(one)) for one in found)
    }


def verdict_cells(one: BenchmarkVerdict) -> list[str]:
    metric, judge, word, found, why = one.headline
    by = f"{metric} by {judge}" if found is None else f"{found.name}, {metric} by {judge}, {amount(found.n, 'item')}"
    apart = "" if found is None else difference_with_interval(found)
    return [one.benchmark.title, word, apart, f"{by}: {why}" if why else by]


def other_board_lines(one: BenchmarkVerdict) -> Iterator[str]:
    """Yield lines about the other boards that show a difference."""
    judges = {board.judge for board in (one.headline, *one.others)}
    for word in (AHEAD, BEHIND):
        told = [board for board in one.others if board.word == word]
        names = [f"{board.metric} by {board.judge}" if len(judges) > 1 else board.metric for board in told]
        most = 2 if len(", ".join(names[:2])) <= LONGEST_NAMES else 1
        if names:
            yield f"{word} on {len(names)} of {amount(len(one.others), 'other board')}: {name_first(names, most)}"


def print_overview_notes(verdicts: Sequence[BenchmarkVerdict], refused: Sequence[str], apart: Sequence[str]) -> None:
    print_refusals([*refused, *apart], MOST_REFUSED)
    name = verdicts[0].benchmark.name
    hint = f"`--of {name}` shows every value, with `--items 10` what changes it; `--margin 2` gives pass or fail"
    print(wrapped_text(f"{VERDICT_LEGEND}\n{hint}"))


def comparison_record(compared: Compared, items: int) -> dict[str, Any]:
    moved = [
        {"item": each.item, "added": each.added, "scores": {name: list(both) for name, *both in each.scores}}
        for each in compared.moved(items)
    ]
    return comparison_values(compared.comparison) | ({"items": moved} if items else {})


def print_comparisons(compared: Sequence[Compared], refused: Sequence[str], items: int) -> None:
    console = Console(soft_wrap=False)
    for one in compared:
        comparison = one.comparison
        print(wrapped_text(f"{comparison.first} and {comparison.second}: {one.board}"))
        console.print(differences_table(comparison.differences, console.width))
        if not comparison.trusted:
            failure = f"{comparison.judge} failed its validation as a judge"
            print(wrapped_text(f"{failure}: the board says why, and ranks no contestant by it."))
        if items:
            print_moved_items(one, items, console)
    print_refusals(refused)
    print(wrapped_text(LEGEND))
    shows = "`gamut show BENCHMARK ITEM` shows one of them" if items else "`--items 10` lists what changes it most"
    print(f"{shows}, `--margin 2` gives pass or fail")


def differences_table(differences: Sequence[Difference], width: int) -> Table:
    """Return a table of at most `width` characters; to fit, it breaks names before numbers."""
    rows = [difference_cells(one) for one in differences]
    table = plain_table(("", "left"), *((heading, "right") for heading in HEADINGS))
    others = sum(max(map(len, column)) + 2 for column in zip(HEADINGS, *rows, strict=True))
    for one, row in zip(differences, rows, strict=True):
        table.add_row(break_name(one.name, width - others), *row)
    return table


def print_ruling(
    claim: str, compared: Sequence[Compared], rulings: Sequence[Ruling], refused: Sequence[str], items: int
) -> None:
    one, decides = min(zip(compared, rulings, strict=True), key=lambda pair: ruling_order(pair[1]))
    passed, holding = all_passed(rulings, len(refused)), sum(each.passed for each in rulings)
    uncompared = f", with {len(refused):,} not compared" if refused else ""
    several = len({(each.comparison.first, each.comparison.second) for each in compared}) > 1
    board = f"{one.comparison.second} on {one.board}" if several else one.board
    deciding = f"{'closest' if decides.passed else 'farthest off'}: {board}: {ruling_words(decides)}"
    said = f"{claim} on {holding} of {amount(len(rulings), 'board')}{uncompared}; {deciding}"
    print(wrapped_text(f"{'passed' if passed else 'FAILED'}: {said}"))
    print_refusals(refused)
    if refused:
        print(
            wrapped_text(
                "A contestant that is not compared does not pass; `--of BENCHMARK:METRIC` tests one metric alone."
            )
        )
    print_moved_items(one, items, Console(soft_wrap=False))


def print_refusals(refused: Sequence[str], most: int | None = None) -> None:
    """Print why some were not compared: at most `most` lines, and as many boards in a line."""
    parted = (line.partition(": not compared: ") for line in refused)
    alike = grouped((why, board) for board, _, why in parted)
    for why, boards in [*alike.items()][:most]:
        named = "; ".join(boards[:most]) + (f" and {len(boards) - most:,} more" if most and len(boards) > most else "")
        said = f"not compared: {why}: {named}" if len(boards) > 1 else f"{boards[0]}: not compared: {why}"
        print(wrapped_text(said))
    if most and len(alike) > most:
        print(f"and {sum(map(len, [*alike.values()][most:])):,} more not compared: `--json` says why")


def ruling_words(ruling: Ruling) -> str:
    if ruling.difference is None:
        return "it has no ranking value"
    distrust = "" if ruling.board.trusted else f", but {ruling.board.judge} failed its validation as a judge"
    without = "" if ruling.worst is not None else ", too few items for an interval"
    return f"{ruling.difference.name} {difference_with_interval(ruling.difference)}{without}{distrust}"


def print_moved_items(compared: Compared, most: int, console: Console) -> None:
    name = compared.comparison.differences[0].name
    reported, moved = compared.metric.reported[name], [*compared.moved(most)]
    if not moved:
        print(f"No item changes {name}.")
    else:
        print(wrapped_text(f"Items that change {name} most: {compared.board}"))
        adds = "adds" if isinstance(reported, Linear) else "changes by"
        table = plain_table(("item", "left"), (adds, "right"), ("scores", "left"))
        for each in moved:
            table.add_row(escape(harmless_text(each.item)), signed_decimals(each.added, 3), scores_in_words(each))
        console.print(table)


def plain_table(*columns: tuple[str, JustifyMethod]) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading, justify in columns:
        table.add_column(heading, justify=justify, overflow="fold", no_wrap=justify == "right")
    return table


def difference_cells(difference: Difference) -> tuple[str, ...]:
    p = "<.001" if difference.p_adjusted < 0.001 else f"{difference.p_adjusted:.3f}".removeprefix("0")
    least = "-" if difference.detectable is None else decimals(difference.detectable)
    return (
        decimals(difference.first),
        decimals(difference.second),
        difference_with_interval(difference),
        p,
        f"{difference.n:,}",
        least,
    )


def difference_with_interval(difference: Difference) -> str:
    ends = (
        ""
        if difference.low is None or difference.high is None
        else f" [{signed_decimals(difference.low)}, {signed_decimals(difference.high)}]"
    )
    return f"{signed_decimals(difference.difference)}{ends}"
