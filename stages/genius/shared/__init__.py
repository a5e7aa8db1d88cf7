"""What all stages of GENIUS use: items, prompts, judge questions and metrics, and the record of the benchmark."""
