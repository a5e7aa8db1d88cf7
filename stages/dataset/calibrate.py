"""Precision and recall of every filter and characteristic against labels, and the thresholds that they speak for.

FLUX-Reason-6M, section 2.3: "carefully setting calibrated thresholds for each characteristic". A leaf: no stage depends
on it; `gamut calibrate --apply` carries the suggested thresholds into params.yaml.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from rich.console import Console
from rich.table import Table

from stages.dataset.calibration.curves import draw_curves
from stages.dataset.calibration.filters import FILTERS
from stages.dataset.calibration.labels import Labels, true_labels
from stages.dataset.calibration.labels_file import known_ids, read_labels
from stages.dataset.calibration.operating_points import LEAST_RECALL, Measures, OperatingPoint, Tally, measure, rounded
from stages.dataset.shared.parameters import Params
from stages.project.files import write_csv, write_json
from stages.project.stage import main
from stages.tables.reading import read_shard

METRICS = Path("metrics/calibration.json")
CURVES = Path("metrics/precision_recall")
PICTURE = Path("metrics/precision_recall.webp")


def calibrate(params: Params) -> None:
    """Measure every filter that has labels; write metrics, curves and a picture of them, and a table for a person."""
    tallies, unscored = tally(labels_of(params))
    least = params.calibrate.least_precision
    report, curves = {}, {}
    for filter_ in FILTERS:
        counted, name = tallies[filter_.name], filter_.name
        report[name] = measure(counted, unscored[name], filter_.threshold(params), filter_.rejects, least)
        curves[name] = counted.curve(filter_.rejects)
        write_curve(CURVES / f"{name}.csv", curves[name])
    draw_curves(PICTURE, curves, report)
    write_json(METRICS, {name: measures.model_dump(exclude_none=True) for name, measures in report.items()})
    show(report, least)
    if not any(measures.labels for measures in report.values()):
        print(
            "calibrate: there are no labels: `gamut calibrate --sample 50` draws rows to be labelled, "
            "calibrate.labels in params.yaml names the file"
        )


def labels_of(params: Params) -> Iterator[tuple[str, Labels]]:
    """Yield a person's labels where params.yaml names a file, otherwise what is true of the embedded
    world; by shard.
    """
    if params.calibrate.labels is None:
        yield from true_labels(params)
        return
    path = Path(params.calibrate.labels)
    file = read_labels(path, known_ids)
    if file.empty:
        print(f"calibrate: {path}: rows without a label yet: {file.empty:,}")
    yield from sorted(file.labels.items())


def tally(labelled: Iterable[tuple[str, Labels]]) -> tuple[Mapping[str, Tally], Mapping[str, int]]:
    """Count labelled rows by filter and score; and, for each filter, how many labels are of rows without a score."""
    tallies = {filter_.name: Tally() for filter_ in FILTERS}
    unscored: Counter[str] = Counter()
    for shard, labels in labelled:
        for filter_ in FILTERS:
            wanted = labels.get(filter_.name)
            if not wanted:
                continue
            rows = read_shard(filter_.table, shard, ["id", "status", filter_.column])
            scores = {row["id"]: row[filter_.column] for row in rows if row["status"] == "ok"}
            for row_id, label in sorted(wanted.items()):
                if row_id in scores:
                    tallies[filter_.name].add(scores[row_id], *label)
                else:
                    unscored[filter_.name] += 1
    return tallies, unscored


def write_curve(path: Path, points: Iterable[OperatingPoint]) -> None:
    """Write the thresholds that have a precision and a recall, for `dvc plots`."""
    rows = (
        (point.threshold, rounded(point.precision.value), rounded(point.recall.value))
        for point in points
        if point.precision and point.recall
    )
    write_csv(path, ("threshold", "precision", "recall"), rows)


def show(report: Mapping[str, Measures], least_precision: float) -> None:
    """Print the measurements for a person, in 80 columns."""
    title = "Filters find what to reject, characteristics what belongs"
    table = Table(title=title, title_justify="left")
    table.add_column("filter")
    for heading in ("labels", "now", "precision", "recall", "suggested"):
        table.add_column(heading, justify="right")
    for name, found in report.items():
        precision = interval(found.precision, found.precision_low, found.precision_high)
        recall = interval(found.recall, found.recall_low, found.recall_high)
        suggested = "-" if found.suggested is None else str(found.suggested)
        table.add_row(name, f"{found.labels:,}", str(found.threshold), precision, recall, suggested)
    Console(soft_wrap=False).print(table)
    unscored = [f"{found.unscored:,} {name}" for name, found in report.items() if found.unscored]
    if unscored:
        print(f"Labels of rows that have no score: {', '.join(unscored)}.")
    imprecise = [name for name, found in report.items() if is_imprecise(found, least_precision)]
    if imprecise:
        wanted = f"precision {least_precision} and recall {LEAST_RECALL}"
        print(f"No threshold has {wanted}, so the best F1 is suggested: {', '.join(imprecise)}.")
    print(f"The same numbers stand in {METRICS}; `gamut calibrate` says what each suggestion would bring.")
    print(f"All thresholds are drawn in {PICTURE}.")


def interval(value: float | None, low: float | None, high: float | None) -> str:
    """Return a share with its interval, in words; a dash where it is undefined."""
    return "-" if value is None else f"{value:.3f} {low:.2f}–{high:.2f}"


def is_imprecise(found: Measures, least_precision: float) -> bool:
    """Return whether no threshold has the precision that is wanted and a fair recall, so that the one with the best F1
    is suggested.
    """
    if found.suggested_precision is None or found.suggested_recall is None:
        return False
    return found.suggested_precision < least_precision or found.suggested_recall < LEAST_RECALL


def advice(found: Measures, least_precision: float) -> str:
    """Return what is suggested, in words; or why nothing is."""
    if found.suggested is None:
        if not found.labels:
            return "no labels"
        return "all labels are alike" if found.positives in (0, found.labels) else "no threshold finds anything"
    words = []
    if is_imprecise(found, least_precision):
        words.append(f"best F1, none has precision {least_precision} and recall {LEAST_RECALL}")
    if (found.suggested_precision, found.suggested_recall) != (found.precision, found.recall):
        words.append(f"precision {found.suggested_precision:.3f}, recall {found.suggested_recall:.3f}")
    elif found.suggested != found.threshold:
        words.append("as good, in the middle of all that are")
    return f"{found.suggested} ({'; '.join(words)})" if words else str(found.suggested)


if __name__ == "__main__":
    main("calibrate", calibrate, Params)
