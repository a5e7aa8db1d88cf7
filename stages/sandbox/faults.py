"""The faults that the world's painter can inject, each at a rate of its own."""

FAULTS = ("wrong_count", "swapped_relation", "misspelt_lettering", "low_contrast", "blur", "noise", "distortion")
