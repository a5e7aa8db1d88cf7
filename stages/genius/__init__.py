"""GENIUS: rules that stand only in a context of texts and pictures."""
