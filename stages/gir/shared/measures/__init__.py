"""Scores 0..1 of what was observed: `score`, and if possible `released_score`, as published, with its faults."""
