"""GapEval: the same question answered in text and in a picture, and how far the two lie apart."""
