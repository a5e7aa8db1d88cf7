"""The pages of the dataset: its figures as charts, every picture kept or left out, and search."""
