"""Scores 0..1 of what was observed, in two forms: `score`, and `released`, as published, with its flaws."""
