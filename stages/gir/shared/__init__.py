"""What all stages of GIR-Bench rest on: items, prompts, checks, measures, metrics, and the record of the benchmark."""
