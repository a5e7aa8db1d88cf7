"""What all stages of GIR-Bench use: items, prompts, checks, measures, metrics, and the record of the benchmark."""
