"""What all stages of GapEval rest on: items, prompts, judge questions and metrics, and the record of the benchmark."""
