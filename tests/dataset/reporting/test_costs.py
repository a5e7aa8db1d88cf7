"""Seconds from the log and money from the prices, by hand; what is not known is left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from stages.dataset.reporting.costs import costs
from stages.dataset.reporting.counts import Usage

USED = {"synthesize": Usage(4, 0, 0, 3), "annotate": Usage(10, 1_000_000, 200_000), "translate": Usage()}
MODELS = {"synthesize": "flux", "annotate": "qwen", "translate": "qwen"}


def log(*entries: dict[str, Any] | str) -> None:
    path = Path(".store/log.jsonl")
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join((e if isinstance(e, str) else json.dumps(e)) + "\n" for e in entries))


def entry(stage: str, seconds: float, asked: int) -> dict[str, Any]:
    return {
        "at": "now",
        "stage": stage,
        "seconds": seconds,
        "records": 1,
        "asked": asked,
        "cost": 0.0,
        "model": MODELS[stage],
    }


def test_seconds(project: Path) -> None:
    """annotate asked 20 in 8 + 2 seconds, half a second each; its table holds 10 replies, so 5 seconds.

    A run that asked nothing says nothing about the pace; the second synthesize run only went over known replies.
    """
    log(entry("annotate", 8, 16), entry("annotate", 2, 4), entry("synthesize", 6, 4), entry("synthesize", 99, 0))
    assert costs(USED, MODELS, 2) == {
        "seconds": {"synthesize": 6.0, "annotate": 5.0, "all": 11.0, "per_kept_picture": 5.5}
    }


def test_runs_of_another_model_say_nothing(project: Path) -> None:
    log(entry("annotate", 5, 10), entry("annotate", 900, 10) | {"model": "slower"})
    assert costs(USED, MODELS, 0) == {"seconds": {"annotate": 5.0, "all": 5.0}}


def test_money(project: Path) -> None:
    """annotate: 1 M tokens at 0.3 and 0.2 M at 0.6: 0.42. synthesize: 3 images at 0.01: 0.03. Together 0.45 for two."""
    Path("run.toml").write_text(
        "[models.qwen]\ninput_price = 0.3\noutput_price = 0.6\n[models.flux]\nimage_price = 0.01\n"
    )
    assert costs(USED, MODELS, 2) == {
        "cost": {"synthesize": 0.03, "annotate": 0.42, "translate": 0.0, "all": 0.45, "per_kept_picture": 0.225}
    }


def test_a_model_without_a_price_costs_nobody_knows_what(project: Path) -> None:
    Path("run.toml").write_text("[models.flux]\nimage_price = 0.01\n")
    assert costs(USED, MODELS, 3)["cost"] == {"synthesize": 0.03, "all": 0.03, "per_kept_picture": 0.01}
