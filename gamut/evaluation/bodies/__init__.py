"""The stages that every benchmark has: `python -m gamut.evaluation.bodies.<stage> <benchmark> …`."""
