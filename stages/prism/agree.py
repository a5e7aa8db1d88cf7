"""How far PRISM-Bench's judges agree with each other, with themselves and with people, on the edition's answers.

The root's stage leaderboard depends on it, so that `dvc repro` runs it; nothing is made of its numbers. People's scores
of an edition's answers stand in datasets/labels/prism/<edition>.csv, on the judges' scale 0..10.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from rich.console import Console
from rich.table import Table

from stages.evaluation.parameters import Language
from stages.evaluation.running.stale_outputs import forget_removed
from stages.evaluation.scoring.agreement import Agreement, Measured, Rating, agreements, flat, ratings
from stages.evaluation.scoring.labels import Known, path_of, read_labels, scored_too
from stages.prism.shared.items import BENCHMARK, OBSERVATIONS, items_of, metrics_folder
from stages.prism.shared.parameters import Params
from stages.prism.shared.tracks import AXES
from stages.project.files import write_json
from stages.project.stage import main
from stages.tables.reading import read_rows

OBSERVED = ["item", "side", "sample", "part", "question", "repeat", "value", "status"]
LOWEST, HIGHEST = 0, 10


def agree(params: Params) -> None:
    """Compare all that was scored more than once; write metrics, and a table for a person."""
    scores = [
        rating
        for contestant, judge in cells(params)
        for rating in ratings(contestant, judge, read_rows(OBSERVATIONS / contestant / judge, OBSERVED))
    ]
    found = agreements(scores, labels(params, scores), params.seed)
    path = metrics_folder(params) / "agreement.json"
    write_json(path, flat(found))
    if found:
        show(found)
    else:
        wanted = f"name another judge, more repeats, or put people's scores in {labels_path(params)}"
        print(f"prism.agree: nothing was scored twice: {wanted}")
    print(f"The same numbers stand in {path}")


def cells(params: Params) -> list[tuple[str, str]]:
    """Return who is judged by whom."""
    return [(contestant, judge) for contestant in params.contestants for judge in params.prism.judges]


def forget_others(params: Params) -> None:
    """Delete the observations of contestants and judges that are not in params.yaml any more."""
    forget_removed(OBSERVATIONS, [f"{contestant}/{judge}" for contestant, judge in cells(params)])


def labels_path(params: Params) -> Path:
    """Return where people's scores stand, of answers to the edition that params.yaml names."""
    return path_of(BENCHMARK, params.prism.edition)


def labels(params: Params, scores: Sequence[Rating]) -> list[Rating]:
    """Return what people said of answers that a judge has scored."""
    kept, passed_over = scored_too(people_said(params), scores)
    if passed_over:
        print(f"prism.agree: {labels_path(params)}: {passed_over}")
    return kept


def people_said(params: Params) -> list[Rating]:
    """Return what people said of answers to the edition, checked; nothing where nobody was asked."""
    path = labels_path(params)
    if not path.exists():
        return []
    items = {item.id for item in items_of(params)}
    return read_labels(path, Known(items, get_args(Language), AXES, LOWEST, HIGHEST))


def show(found: Sequence[Agreement]) -> None:
    """Print the measures for a person."""
    table = Table(title="Agreement about the same pictures", title_justify="left")
    for heading in ("side", "axis", "of", "measure"):
        table.add_column(heading)
    for heading in ("value", "95 % interval", "pictures"):
        table.add_column(heading, justify="right")
    for agreement in found:
        among, raters, n, measures = agreement.compared
        who = f"{among}: {', '.join(raters)}" if raters else among
        for name, measured in measures.items() or [("undefined", None)]:
            table.add_row(agreement.side, agreement.measure, who, name, *in_words(measured), f"{n:,}")
    Console(soft_wrap=False).print(table)


def in_words(measured: Measured | None) -> tuple[str, str]:
    """Return a measure and its interval, dashes where there is none."""
    if measured is None:
        return "-", "-"
    value, low, high = measured
    return f"{value:.2f}", "-" if low is None else f"{low:.2f}–{high:.2f}"


if __name__ == "__main__":
    main("prism.agree", agree, Params, before=forget_others)
