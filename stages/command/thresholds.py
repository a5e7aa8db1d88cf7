"""From what calibrate suggests to the thresholds in params.yaml, where nothing else is touched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError
from ruamel.yaml import YAML

from stages.command.profiles import require_safe
from stages.dataset.calibrate import METRICS, advice, is_imprecise
from stages.dataset.calibration.filters import FILTERS
from stages.dataset.calibration.operating_points import Measures
from stages.project.errors import UserError
from stages.project.files import write_whole
from stages.project.pipeline import PARAMS
from stages.publish.parameters import load_everything

Changes = Mapping[str, int]
"""New thresholds by their dotted keys in params.yaml."""


def proposals() -> tuple[list[str], Changes]:
    """Return a line about every threshold in params.yaml, and those that would change; a UserError without
    measurements.
    """
    params, measured = load_everything().dataset, measurements()
    lines, changes = [], {}
    for filter_ in FILTERS:
        found, now = measured[filter_.name], filter_.threshold(params)
        words = advice(found, params.calibrate.least_precision)
        if found.suggested is None:
            line = f"{filter_.parameter}: {now} stays ({words})"
        elif found.suggested == now:
            line = f"{filter_.parameter}: {now} stays"
        elif (found.suggested_precision, found.suggested_recall) == (found.precision, found.recall):
            line = f"{filter_.parameter}: {now} stays; {words}"
        elif is_imprecise(found, params.calibrate.least_precision):
            line = f"{filter_.parameter}: {now} stays; not applied: {words}"
        else:
            changes[filter_.parameter] = found.suggested
            line = f"{filter_.parameter}: {now} -> {words}"
        if now != found.threshold:
            line += f"; edited since it was measured at {found.threshold}"
        lines.append(line)
    return lines, changes


def measurements() -> dict[str, Measures]:
    """Return what calibrate measured, by filter."""
    try:
        measured = TypeAdapter(dict[str, Measures]).validate_json(METRICS.read_bytes())
    except FileNotFoundError:
        raise UserError(f"{METRICS}: no such file: `dvc repro calibrate` measures first") from None
    except ValidationError:
        measured = {}
    if any(filter_.name not in measured for filter_ in FILTERS):
        raise UserError(f"{METRICS} is not what calibrate writes: run `dvc repro --force --single-item calibrate`")
    return measured


def apply(changes: Changes) -> None:
    """Put thresholds into params.yaml.

    A UserError when it has edits that are in no commit, or one of them is no plain number of its own there.
    """
    require_safe()
    text = PARAMS.read_bytes().decode()
    root = YAML().compose(text)
    spots = [(*place_of(root, key, text), value) for key, value in changes.items()]
    for start, end, value in sorted(spots, reverse=True):  # from the end, so that earlier places stay where they are
        text = f"{text[:start]}{value}{text[end:]}"
    write_whole(PARAMS, text.encode())


def place_of(root: Any, key: str, text: str) -> tuple[int, int]:
    """Return where in a YAML text the number at a dotted key begins and ends, in characters."""
    node = root
    for step in key.split("."):
        node = next((value for name, value in node.value if name.value == step), None)
        if node is None:
            break
    start, end = (node.start_mark.index, node.end_mark.index) if node else (0, 0)
    if not text[start:end].isdecimal():  # an anchor, an alias, or merged from elsewhere
        raise UserError(f"{PARAMS}: {key} does not stand there as a plain number: set it by hand")
    return start, end
