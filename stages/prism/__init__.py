"""PRISM-Bench: seven tracks of prompts, drawn from this dataset and curated, judged for alignment and aesthetics."""
