"""Answers of models that lie in the folders in which GapEval was published."""
