"""Near-duplicates among texts: what makes two texts near-duplicates, a search over millions, an index of a few."""

from stages.texts.near_duplicates.index import Index
from stages.texts.near_duplicates.pairs import are_near_duplicates, similarity, words
from stages.texts.near_duplicates.search import Found, find_near_duplicates

__all__ = ["Found", "Index", "are_near_duplicates", "find_near_duplicates", "similarity", "words"]
