"""Attention adjustment: what matters of a context weighs more while a model replies, without training (An et al.)."""
