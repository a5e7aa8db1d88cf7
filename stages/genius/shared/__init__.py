"""What all stages of GENIUS rest on: items, prompts, judge questions and metrics, and the record of the benchmark."""
