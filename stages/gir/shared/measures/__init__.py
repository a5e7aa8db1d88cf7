"""Scores 0..1 of what was observed: `score`, and where it can be had `released`, as published, with its flaws."""
