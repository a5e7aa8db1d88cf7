"""The folders in which GapEval was published: read with care, written again, and the answers that lie in them."""
