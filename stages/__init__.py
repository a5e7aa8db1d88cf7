"""The project: the steps of the dataset, the benchmarks, and what a person adds to them. The library is `gamut`."""
