"""Texts: near-duplicates, look-alikes, words of names, and what is particular to Chinese."""
