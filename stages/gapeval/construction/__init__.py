"""How items of new editions are made: drawn by a seed, each with the proof that it has one solution."""
