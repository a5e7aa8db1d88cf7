"""GENIUS: rules that are given only by a context of texts and pictures."""
