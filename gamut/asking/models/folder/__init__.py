"""Answers that were made elsewhere, in a folder."""
