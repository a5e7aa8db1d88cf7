"""Scores 0..1 of what was observed: `score`, and where it can be had `released_score`, as published, with its flaws."""
