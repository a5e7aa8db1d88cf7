"""The folders in which GENIUS was published, `dataset`: read with care, and written again."""
