"""The pages of the dataset: its figures as charts, every picture kept or left out, search, and a map of its prompts."""
