"""How good a picture looks, by the model in role `aesthetic_scorer`; without one, nothing."""

from __future__ import annotations

from gamut.dataset.shared.scoring import scores_of
from gamut.pipeline.steps import start

STEP = scores_of("aesthetics")

if __name__ == "__main__":
    start(STEP)
