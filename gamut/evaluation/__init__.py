"""The benchmarks: what contestants answer, what is observed of it, and what it scores, one folder a benchmark."""
