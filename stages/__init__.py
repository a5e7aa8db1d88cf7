"""The project: the steps of the dataset, the benchmarks, and what a person adds to them. The library is `gamut`."""

from gamut.project.process import prepare_process

prepare_process()
