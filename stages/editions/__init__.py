"""How items of new editions are proposed: the parameters and the pipeline of all benchmarks' constructions."""
