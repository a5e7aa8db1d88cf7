"""How items of benchmarks leak into a dataset: what comes near them, what is asked about it, how much is found."""
