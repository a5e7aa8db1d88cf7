"""GIR-Bench: pictures checked by programs: counts, places, words, puzzles, masks and resemblance."""
