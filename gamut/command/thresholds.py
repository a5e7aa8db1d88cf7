"""Write the thresholds that calibrate suggests into params.yaml, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import TypeAdapter, ValidationError

from gamut.command.yaml_text import Place, replace_params, with_values
from gamut.dataset.calibration.filters import FILTERS
from gamut.dataset.calibration.measures import METRICS, Least, Measures, least_of
from gamut.project.errors import UserError
from gamut.project.pipeline import PARAMS
from gamut.project.plain_text import amount
from gamut.publish.parameters import load_everything

Changes = Mapping[str, int]
"""New thresholds by their dotted keys in params.yaml."""
UNSURE = "may not belong to the present rows that `gamut calibrate --sample` drew"


def proposals() -> tuple[list[str], Changes]:
    params, measured = load_everything().dataset, measurements()
    least = least_of(params.calibrate)
    lines, changes = [], {}
    for filter_ in FILTERS:
        measures, now = measured[filter_.name], filter_.threshold(params)
        if measures.suggested is None or not is_good_enough(measures, least):
            line = f"{filter_.parameter}: {now} stays ({objection(measures, least)})"
        elif measures.suggested == now:
            line = f"{filter_.parameter}: {now} stays"
        else:
            changes[filter_.parameter] = measures.suggested
            line = f"{filter_.parameter}: {now} -> {measures.suggested} with {shares_of(measures)}"
        if now != measures.threshold:
            line += f"; it was {measures.threshold} when it was measured"
        lines.append(line)
    return lines, changes


def require_sure() -> None:
    if unsure := [name for name, found in measurements().items() if found.unsure]:
        raise UserError(
            f"nothing was written: labels of {', '.join(unsure)} {UNSURE}: label such rows, name their file at "
            "calibrate.labels, and run `dvc repro calibrate`; or set thresholds in params.yaml by hand"
        )


def is_good_enough(measures: Measures, least: Least) -> bool:
    lows = measures.candidate_precision_low, measures.candidate_recall_low
    return all(low is not None and low >= wanted for low, wanted in zip(lows, least, strict=True))


def shares_of(measures: Measures) -> str:
    shares = (
        ("precision", measures.candidate_precision, measures.candidate_precision_low),
        ("recall", measures.candidate_recall, measures.candidate_recall_low),
    )
    known = (f"{name} {value:.3f} (at least {low:.3f})" for name, value, low in shares if value is not None)
    return ", ".join(known) or "precision and recall are not known"


def objection(measures: Measures, least: Least) -> str:
    if not measures.labels:
        return "no labels"
    if measures.unsure:
        return f"{amount(measures.unsure, 'label')} {UNSURE}"
    if measures.are_alike:
        return "all labels are the same"
    if measures.suggested is not None:
        return f"{measures.suggested} was suggested for lower minimums: run `dvc repro calibrate` again"
    if measures.candidate is None:
        why = "too few labels to choose by"
    else:
        wanted = f"needed: {least.precision:g} and {least.recall:g}"
        why = f"not applied: {measures.candidate}, {shares_of(measures)}; {wanted}"
    why += f"; {measures.disputed:,} are disputed: another person can settle them" if measures.disputed else ""
    if measures.blank:
        why += f"; {measures.blank:,} were drawn but have no label: `gamut label filters` asks about them"
    if measures.enough_labels is None:
        return f"{why}; at these rates, no number of labels would be enough"
    return f"{why}; at these rates, about {measures.enough_labels:,} labels would be enough"


def measurements() -> dict[str, Measures]:
    try:
        measured = TypeAdapter(dict[str, Measures]).validate_json(METRICS.read_bytes())
    except FileNotFoundError:
        raise UserError(f"the file {METRICS} does not exist: run `dvc repro calibrate` first") from None
    except ValidationError:
        measured = {}
    if any(filter_.name not in measured for filter_ in FILTERS):
        raise UserError(f"{METRICS} is not what calibrate writes: run `dvc repro --force --single-item calibrate`")
    return measured


def write_thresholds(changes: Changes) -> None:
    text = PARAMS.read_bytes().decode()
    places: dict[Place, str | int] = {tuple(key.split(".")): value for key, value in changes.items()}
    replace_params(text, with_values(PARAMS, text, places))
