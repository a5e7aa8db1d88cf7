"""How well a picture shows its prompt, by the model in role `alignment_scorer`; without one, nothing."""

from __future__ import annotations

from gamut.dataset.shared.scoring import scores_of
from gamut.pipeline.steps import start

STEP = scores_of("alignment")

if __name__ == "__main__":
    start(STEP)
