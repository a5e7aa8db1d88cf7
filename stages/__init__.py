"""The project: the steps of the dataset, the benchmarks, and your own additions to them. The library is `gamut`."""

from gamut.project.process import prepare_process

prepare_process()
