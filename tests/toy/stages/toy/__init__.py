"""The toy: a small benchmark, the example of docs/benchmarks.md."""
