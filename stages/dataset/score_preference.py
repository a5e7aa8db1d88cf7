"""How much people would prefer a picture of its prompt, by the model in role `preference_scorer` (null: nothing)."""

from __future__ import annotations

from gamut.dataset.shared.scoring import scores_of
from gamut.pipeline.steps import start

STEP = scores_of("preference")

if __name__ == "__main__":
    start(STEP)
