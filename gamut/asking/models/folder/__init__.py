"""Answers that were made elsewhere and lie in a folder."""
