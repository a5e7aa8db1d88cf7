"""The files in which GIR-Bench was published, `dataset/reference`: read with care, and written again."""
