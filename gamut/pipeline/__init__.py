"""A step as a record, and what follows from it: its stage, the text of its dvc.yaml."""
