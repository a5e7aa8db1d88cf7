"""Checklists: questions answered Y or N, Y where an answer is right, each about one thing and asked once.

Rules on the words of English questions find those that are not so. They know no item and ask no model.
"""

from stages.evaluation.checklists.atomicity import compound
from stages.evaluation.checklists.polarity import inverted
from stages.evaluation.checklists.repetition import duplicates

__all__ = ["compound", "duplicates", "inverted"]
