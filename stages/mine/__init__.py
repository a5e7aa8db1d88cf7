"""Your own steps of the dataset: each module here with a STEP is found by itself, without a list (docs/projects.md)."""
