"""Versions on the Hugging Face Hub: what they hold, how they get there, what differs between them, how they come back.

The way of the data: `products` (what a build gave) → `content` (every file of a version) → `protocol` (make the Hub
hold exactly these files, under a tag) → `receipts`; `fetching` goes the other way.
"""
