"""The benchmarks: what contestants answer, what is observed of it, and what it scores, one room a benchmark."""
