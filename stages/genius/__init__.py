"""GENIUS: rules that stand only in a context of texts and pictures, to be painted by (being built: no stages yet)."""
