"""GapEval: the same question answered in text and in a picture, and the gap between the two."""
