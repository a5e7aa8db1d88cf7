"""`gamut show`: one record of a stage, or one item of a benchmark with all that was said of it, in a terminal."""
