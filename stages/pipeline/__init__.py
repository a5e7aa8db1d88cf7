"""A step as a record, and what follows from it: its stage, its code, the text of its dvc.yaml."""
