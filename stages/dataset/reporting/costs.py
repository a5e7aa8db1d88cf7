"""What a build took, in seconds and money, which cannot be reproduced: from the untracked log and the prices in
run.toml.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from stages.dataset.reporting.counts import Usage
from stages.project import places, settings
from stages.project.settings import Endpoint


def costs(used: Mapping[str, Usage], models: Mapping[str, str], pictures: int) -> dict[str, dict[str, float]]:
    """Return seconds and money for each stage, together and for each kept picture, where they are known."""
    run_settings = settings.load()
    log = read_log(places.store_root() / "log.jsonl")
    endpoints = {stage: run_settings.endpoint(slug) for stage, slug in models.items()}
    found = {
        "seconds": dict(seconds(used, models, log)),
        "cost": {stage: money(used[stage], endpoint) for stage, endpoint in endpoints.items() if any(prices(endpoint))},
    }
    return {name: with_totals(values, pictures) for name, values in found.items() if values}


def read_log(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the entries of the log that `run.log` writes; none when there is no log (a clone that has only pulled)."""
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        with suppress(ValueError):  # a full disk may have torn a line
            yield json.loads(line)


def seconds(
    used: Mapping[str, Usage], models: Mapping[str, str], log: Iterable[Mapping[str, Any]]
) -> Iterator[tuple[str, float]]:
    """Yield seconds for each stage's replies, at the mean pace of its runs that asked its present model."""
    duration: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    for entry in log:
        if entry["asked"] and entry.get("model") == models.get(entry["stage"]):
            duration[entry["stage"]] += entry["seconds"]
            asked[entry["stage"]] += entry["asked"]
    for stage, use in used.items():
        if asked[stage] and use.calls:
            yield stage, duration[stage] / asked[stage] * use.calls


def prices(endpoint: Endpoint) -> tuple[float, float, float]:
    """Return the prices of a million tokens in and out, and of an image."""
    return endpoint.input_price, endpoint.output_price, endpoint.image_price


def money(use: Usage, endpoint: Endpoint) -> float:
    per_input, per_output, per_image = prices(endpoint)
    return (use.input_tokens * per_input + use.output_tokens * per_output) / 1e6 + use.images * per_image


def with_totals(values: Mapping[str, float], pictures: int) -> dict[str, float]:
    total = sum(values.values())
    shared = {"per_kept_picture": round(total / pictures, 6)} if pictures else {}
    return {name: round(value, 4) for name, value in values.items()} | {"all": round(total, 4)} | shared
