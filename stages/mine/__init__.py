"""Your own steps of the dataset: each module with a STEP is one of them, and no list names it (docs/projects.md)."""
