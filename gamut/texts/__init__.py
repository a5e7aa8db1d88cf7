"""Texts: near-duplicates, look-alikes, and what is particular to Chinese."""
