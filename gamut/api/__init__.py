"""Results in Python: data frames and Arrow data sets of a project's tables. Nothing is run."""
