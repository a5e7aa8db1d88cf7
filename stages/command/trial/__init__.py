"""`gamut try`: a few records and items of everything that is configured, in a place that is thrown away."""
