"""The boards of all benchmarks side by side: the one place that names every room."""
