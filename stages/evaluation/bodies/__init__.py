"""The stages that every benchmark has: `python -m stages.evaluation.bodies.<stage> <benchmark> …`."""
