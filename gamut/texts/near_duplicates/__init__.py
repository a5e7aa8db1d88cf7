"""Near-duplicates among texts: what makes two texts near-duplicates, a search over millions, an index of a few."""
