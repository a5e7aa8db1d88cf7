"""What all stages of GapEval use: items, prompts, judge questions and metrics, and the record of the benchmark."""
