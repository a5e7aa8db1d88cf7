"""The benchmarks, each with a folder: what contestants answer, what is observed in the answers, and scores."""
