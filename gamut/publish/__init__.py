"""Versions on the Hugging Face Hub: their content, how they are published, compared and fetched.

The path of the data: `products` (what a build gave) → `content` (every file of a version) → `protocol` (make the Hub
hold exactly these files, under a tag) → `receipts`; `fetching` goes the other way.
"""
