"""The stages that every benchmark has: `python -m gamut.evaluation.bodies.<stage> <benchmark> …`."""

from gamut.project.process import prepare_process

prepare_process()
