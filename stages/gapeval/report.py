"""What is told of GapEval's board beyond it: Table 2, the gap over both scores, how judges and other boards go with it.

Nobody is asked. How judges and people agree stands in agreement.json, as in every benchmark.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations

from stages.evaluation.defining.boards import BOARDS, board_of, reason_of
from stages.evaluation.defining.parameters import Contestant
from stages.evaluation.scoring.printed import show
from stages.gapeval.reports import heat_map, table
from stages.gapeval.reports.heat_map_picture import draw_heat_map
from stages.gapeval.reports.relations import (
    FEWEST,
    ends_in_words,
    families,
    families_of,
    flat,
    flat_estimate,
    in_words,
    kin_and_others,
    preference,
    ranking_values,
    related,
)
from stages.gapeval.reports.standings import Board, failed, gaps
from stages.gapeval.shared.benchmark import GAPEVAL
from stages.gapeval.shared.parameters import Params
from stages.project.files import read_metrics, write_csv, write_json, write_whole
from stages.project.stage import main

SAID = f"{GAPEVAL.name}.report"
Told = Iterator[tuple[str, float]]
"""Flat keys of relations."""


def report(params: Params) -> None:
    """Write the tables, the picture and the relations, and show them."""
    block, contestants, folder = params.gapeval, params.contestants, GAPEVAL.metrics(params)
    title = f"{GAPEVAL.title}, edition {block.edition}"
    board = read_metrics(folder / "board.json") | of_contestants(params)
    tables = {judge: table.lines(board, judge, contestants, GAPEVAL.name) for judge in block.judges}
    said = {judge: f"{judge} {table.FAILED}" for judge in block.judges if failed(board, judge)}
    points = {judge: heat_map.points(lines) for judge, lines in tables.items()}
    whole = [line for lines in tables.values() for line in lines]
    write_csv(folder / "table.csv", table.HEAD, table.wide(whole))
    write_csv(folder / "table_long.csv", table.LONG, table.long(whole))
    write_whole(folder / "table.md", table.as_markdown(title, tables, said).encode())
    write_csv(folder / "heat_map.csv", heat_map.HEAD, chain.from_iterable(map(heat_map.rows, points.values())))
    draw_heat_map(folder / "heat_map.webp", f"{title}: the gap over both scores", points, said)
    for judge, lines in tables.items():
        show(table.as_rich(f"{GAPEVAL.title}, judged by {judge}", lines, said.get(judge)))
    found = [*between_judges(board, params), *with_other_boards(board, block.judges, contestants)]
    write_json(folder / "relations.json", dict(found))
    print(f"{SAID}: tables, heat_map.webp and relations.json are in {folder}")


def of_contestants(params: Params) -> dict[str, float]:
    """Return all values of all contestants, of which the board has those that it shows, under its keys."""
    found: dict[str, float] = {}
    for name in params.contestants:
        path = GAPEVAL.metrics(params) / f"{name}.json"
        for key, value in read_metrics(path, beside=str).items() if path.exists() else ():
            view, dot, rest = key.partition(".")
            judge, also, own = rest.partition(".")
            if dot and also and judge in params.gapeval.judges:
                found[f"{view}.{judge}.{name}.{own}"] = value
    return found


def between_judges(board: Board, params: Params) -> Told:
    """Yield and print how far every two judges agree on the gaps of contestants, and whether one favours its family."""
    judges, contestants = params.gapeval.judges, params.contestants
    known = {judge: families([params.models[judge]]) for judge in judges}
    theirs = {name: families_of(one) for name, one in contestants.items()}
    for first, second in combinations(judges, 2):
        one, other = (gaps(board, judge, contestants) for judge in (first, second))
        both, start = related(one, other), f"judges.{first}.{second}"
        yield from flat(start, both)
        print(f"{SAID}: gaps by {first} and by {second}: {in_words(both)}")
        apart = {name: one[name] - other[name] for name in one if name in other}
        for judge, against, sign in ((first, second, 1), (second, first, -1)):
            within = {name: own for name, own in theirs.items() if name in apart}
            kin, others = kin_and_others(known[judge], known[against], within)
            yield from ((f"{start}.{judge}.kin", len(kin)), (f"{start}.{judge}.others", len(others)))
            found = preference({name: sign * value for name, value in apart.items()}, kin, others)
            told = f"of its family: {', '.join(kin) or 'nobody'}, of neither judge's: {len(others)}"
            if found is None:
                print(f"{SAID}: {judge} against {against}, its own family: cannot be told; {told}")
                continue
            yield from flat_estimate(f"{start}.{judge}.preference", found)
            points = f"{found.value:+.1f} points{ends_in_words(found, 1)}"
            print(f"{SAID}: {judge} against {against}, gaps of its own family: {points}, favoured below 0; {told}")


def with_other_boards(board: Board, judges: Sequence[str], contestants: Mapping[str, Contestant]) -> Told:
    """Yield and print how the gap goes with what ranks on every other board of the project, by each judge that did not
    fail its trial.
    """
    others: dict[str, dict[str, float]] = {}
    for path in sorted(BOARDS.glob("*.json")):
        if path != board_of(GAPEVAL.name) and path != reason_of(path.name.partition(".")[0]):
            others |= ranking_values(read_metrics(path), contestants)
    for judge in judges:
        if failed(board, judge):
            print(f"{SAID}: the gap by {judge}, which failed its trial, is held against no other board")
            continue
        own, few = gaps(board, judge, contestants), 0
        for name, values in others.items():
            both = related(own, values)
            yield from flat(f"boards.{judge}.{name}", both)
            few += both.n < FEWEST
            if both.n >= FEWEST:
                print(f"{SAID}: gap by {judge} with {name}: {in_words(both)}")
        if few:
            print(
                f"{SAID}: gap by {judge}: nothing is told of {few} boards with fewer than {FEWEST} of its contestants"
            )


if __name__ == "__main__":
    main("gapeval.report", report, Params)
