"""Texts: near-duplicates, and what is particular to Chinese."""
