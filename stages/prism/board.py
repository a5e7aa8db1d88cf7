"""The boards of PRISM-Bench: one a language and judge, with ranks, ties, controls and what was not scored.

FLUX-Reason-6M and PRISM-Bench, tables 1 to 4.
"""

from __future__ import annotations

from rich.console import Console

from stages.evaluation.parameters import CONTROL
from stages.evaluation.running.controls import CONTROLS
from stages.evaluation.running.stale_outputs import forget_removed
from stages.evaluation.scoring.board import Layout, Standing, flat_standings, over_base, ranked, standing, table
from stages.evaluation.scoring.board_picture import draw_board
from stages.evaluation.scoring.comparison import Difference
from stages.evaluation.scoring.estimates import Estimate, flat, shared_weights
from stages.evaluation.scoring.plots import write_plots
from stages.evaluation.scoring.scores import by_side_and_judge, item_scores
from stages.prism.averages import COLUMNS, REPORTED
from stages.prism.score import OBSERVED
from stages.prism.shared import items
from stages.prism.shared.items import SCORES, PrismItem, items_of, metrics_folder, strata_of
from stages.prism.shared.parameters import Params
from stages.prism.shared.tracks import AXES, TRACKS
from stages.project.files import write_json
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.reading import read_rows

SHOWN = ("overall", *AXES)
Scored = dict[str, dict[tuple[str, str], list[Row]]]
"""Scores by contestant or control, then by side and judge."""


def board(params: Params) -> None:
    """Write the boards, and show them."""
    edition = items_of(params)
    strata = strata_of(edition)
    layout = Layout([item.id for item in edition], strata, COLUMNS, REPORTED, shared_weights(strata, params.seed))
    variants = {name: one.variant_of for name, one in params.contestants.items() if one.variant_of is not None}
    scored = {name: by_side_and_judge(read_rows(SCORES / name)) for name in params.contestants}
    degraded = control_scores(params, edition)
    found: dict[str, float] = {}
    boards: dict[tuple[str, str], list[Standing]] = {}
    for side in params.prism.languages:
        for judge in params.prism.judges:
            own = of(scored, side, judge)
            rows = ranked(own, layout, by=SHOWN[0])
            rows += [standing(name, degraded_rows, layout) for name, degraded_rows in of(degraded, side, judge).items()]
            boards[side, judge] = rows
            found |= flat_standings(f"{side}.{judge}.", rows, SHOWN)
            for variant, one in over_base(variants, own, layout, SHOWN[0], params.seed).items():
                base = variants[variant]
                found |= flat(f"{side}.{judge}.{variant}.", {f"over_{base}": gain(one)})
                print(f"prism.board: {side}, {judge}: {variant} over {base}: {gain_in_words(one)}")
            if rows:
                Console(soft_wrap=False).print(table(f"PRISM-Bench, {side}, judged by {judge}", rows, SHOWN))
    folder = metrics_folder(params)
    write_json(folder / "board.json", found)
    write_plots(folder / "plots", boards, SHOWN[0], TRACKS)
    if not params.contestants:
        print("prism.board: params.yaml names no contestants: the board is empty")
    elif params.prism.controls_of:
        print(f"prism.board: controls are degraded twins of the pictures of {', '.join(params.prism.controls_of)}")
    picture = folder / "board.webp"
    draw_board(picture, f"PRISM-Bench, edition {params.prism.edition}", boards, SHOWN[0], TRACKS, highest=100)
    print(f"prism.board: drawn in {picture}; what was not scored, and why, is in {folder}/<contestant>.json")


def gain(one: Difference) -> Estimate:
    """Return a paired difference as a metric."""
    return Estimate(one.difference, one.low, one.high, one.n)


def gain_in_words(one: Difference) -> str:
    """Return a paired difference for a person."""
    sure = "" if one.low is None or one.high is None else f", 95 % interval {one.low:+.1f} to {one.high:+.1f}"
    return f"{one.difference:+.1f}{sure}, {one.n} items"


def forget_contestants(params: Params) -> None:
    """Delete scores of contestants and controls that params.yaml no longer names."""
    forget_removed(SCORES, params.contestants)
    wanted = [f"{contestant}/{judge}" for contestant in params.prism.controls_of for judge in params.prism.judges]
    forget_removed(items.CONTROLS, wanted)


def of(scored: Scored, side: str, judge: str) -> dict[str, list[Row]]:
    """Return the scores of one side and judge, of those who have any."""
    return {name: scores[side, judge] for name, scores in scored.items() if (side, judge) in scores}


def control_scores(params: Params, edition: list[PrismItem]) -> Scored:
    """Return the scores of every control; where several contestants have controls, with the contestant in its name.

    A control is of an answer that is there: what the contestant did not answer is not counted against the judge.
    """
    strata = {item.id: item.track for item in edition}
    found: Scored = {}
    for contestant in params.prism.controls_of:
        observed = {
            judge: list(read_rows(items.CONTROLS / contestant / judge, ["control", *OBSERVED]))
            for judge in params.prism.judges
        }
        several = f"_{contestant}" if len(params.prism.controls_of) > 1 else ""
        for control in CONTROLS:
            of_control = {judge: [r for r in rows if r["control"] == control] for judge, rows in observed.items()}
            shown = {(row["side"], row["item"]): None for rows in of_control.values() for row in rows}
            answers = [{"side": side, "item": item, "status": "ok"} for side, item in shown]
            rows = item_scores(answers, of_control, strata, AXES, params.prism.repeats)
            found[f"{CONTROL}{control}{several}"] = by_side_and_judge(rows)
    return found


if __name__ == "__main__":
    main("prism.board", board, Params, before=forget_contestants)
