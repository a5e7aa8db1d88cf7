"""The boards of a benchmark: one a side and judge, with ranks, ties, controls and what was not scored."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

from rich.console import Console

from stages.evaluation.bodies.score import OBSERVED
from stages.evaluation.defining.benchmark import Benchmark, benchmark_of
from stages.evaluation.defining.boards import board_of
from stages.evaluation.defining.editions import Item
from stages.evaluation.defining.parameters import CONTROL, Params
from stages.evaluation.running.controls import CONTROLS
from stages.evaluation.running.stale_outputs import forget_removed
from stages.evaluation.scoring.board import Layout, Standing, flat_standings, over_base, ranked, standing, table
from stages.evaluation.scoring.board_picture import draw_board
from stages.evaluation.scoring.comparison import Difference
from stages.evaluation.scoring.estimates import Estimate, flat, shared_weights
from stages.evaluation.scoring.plots import write_plots
from stages.evaluation.scoring.scores import by_side_and_judge, item_scores
from stages.project.files import write_json
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.reading import read_rows

Scored = dict[str, dict[tuple[str, str], list[Row]]]
"""Scores by contestant or control, then by side and judge."""


def board(benchmark: Benchmark[Any, Any], params: Params) -> None:
    """Write the boards, and show them."""
    block, shown, said = benchmark.block(params), benchmark.shown, f"{benchmark.name}.board"
    items = benchmark.items(params)
    layout = layout_of(benchmark, items, params.seed)
    variants = {name: one.variant_of for name, one in params.contestants.items() if one.variant_of is not None}
    scored = {name: by_side_and_judge(read_rows(benchmark.scores / name)) for name in params.contestants}
    degraded = control_scores(benchmark, params, items)
    found: dict[str, float] = {}
    boards: dict[tuple[str, str], list[Standing]] = {}
    for side in benchmark.sides(block):
        for judge in block.judges:
            own = of(scored, side, judge)
            rows = ranked(own, layout, by=shown[0])
            rows += [standing(name, degraded_rows, layout) for name, degraded_rows in of(degraded, side, judge).items()]
            boards[side, judge] = rows
            found |= flat_standings(f"{side}.{judge}.", rows, shown)
            for variant, one in over_base(variants, own, layout, shown[0], params.seed).items():
                base = variants[variant]
                found |= flat(f"{side}.{judge}.{variant}.", {f"over_{base}": gain(one)})
                print(f"{said}: {side}, {judge}: {variant} over {base}: {gain_in_words(one)}")
            if rows:
                Console(soft_wrap=False).print(table(f"{benchmark.title}, {side}, judged by {judge}", rows, shown))
    folder, picture = benchmark.metrics(params), benchmark.metrics(params) / "board.webp"
    write_json(folder / "board.json", found)
    start = f"{benchmark.name}.{block.edition}"
    write_json(board_of(benchmark.name), {f"{start}.{key}": value for key, value in found.items()})
    write_plots(folder / "plots", boards, shown[0], benchmark.profile)
    if empty := set(benchmark.strata) - set(map(benchmark.stratum, items)):
        print(f"{said}: the edition has no item in {', '.join(sorted(empty))}: averages that count them have no value")
    if not params.contestants:
        print(f"{said}: params.yaml names no contestants: the board is empty")
    elif block.controls_of:
        print(f"{said}: controls are degraded twins of the pictures of {', '.join(block.controls_of)}")
    title = f"{benchmark.title}, edition {block.edition}"
    draw_board(picture, title, boards, shown[0], benchmark.profile, benchmark.highest)
    print(f"{said}: drawn in {picture}; what was not scored, and why, is in {folder}/<contestant>.json")


def layout_of(benchmark: Benchmark[Any, Any], items: Sequence[Item], seed: int) -> Layout:
    """Return how the scores of these items lie."""
    ids, strata = [str(item.id) for item in items], benchmark.strata_of(items)
    return Layout(ids, strata, benchmark.columns, benchmark.reported, shared_weights(strata, seed))


def gain(one: Difference) -> Estimate:
    """Return a paired difference as a metric."""
    return Estimate(one.difference, one.low, one.high, one.n)


def gain_in_words(one: Difference) -> str:
    """Return a paired difference for a person."""
    sure = "" if one.low is None or one.high is None else f", 95 % interval {one.low:+.1f} to {one.high:+.1f}"
    return f"{one.difference:+.1f}{sure}, {one.n} items"


def forget_contestants(benchmark: Benchmark[Any, Any], params: Params) -> None:
    """Delete scores of contestants and controls that params.yaml no longer names."""
    block = benchmark.block(params)
    forget_removed(benchmark.scores, params.contestants)
    wanted = [f"{contestant}/{judge}" for contestant in block.controls_of for judge in block.judges]
    forget_removed(benchmark.controls, wanted)


def of(scored: Scored, side: str, judge: str) -> dict[str, list[Row]]:
    """Return the scores of one side and judge, of those who have any."""
    return {name: scores[side, judge] for name, scores in scored.items() if (side, judge) in scores}


def control_scores(benchmark: Benchmark[Any, Any], params: Params, items: Sequence[Item]) -> Scored:
    """Return the scores of every control; where several contestants have controls, with the contestant in its name.

    A control is of an answer that is there: what the contestant did not answer is not counted against the judge.
    """
    block = benchmark.block(params)
    strata = {str(item.id): benchmark.stratum(item) for item in items}
    found: Scored = {}
    for contestant in block.controls_of:
        observed = {
            judge: list(read_rows(benchmark.controls / contestant / judge, ["control", *OBSERVED]))
            for judge in block.judges
        }
        several = f"_{contestant}" if len(block.controls_of) > 1 else ""
        for control in CONTROLS:
            of_control = {judge: [r for r in rows if r["control"] == control] for judge, rows in observed.items()}
            shown = {(row["side"], row["item"]): None for rows in of_control.values() for row in rows}
            answers = [{"side": side, "item": item, "status": "ok"} for side, item in shown]
            rows = item_scores(answers, of_control, strata, list(benchmark.measures), block.repeats)
            found[f"{CONTROL}{control}{several}"] = by_side_and_judge(rows)
    return found


if __name__ == "__main__":
    benchmark = benchmark_of(sys.argv[1])
    forget = partial(forget_contestants, benchmark)
    main(f"{benchmark.name}.board", partial(board, benchmark), benchmark.params, *sys.argv[2:], before=forget)
