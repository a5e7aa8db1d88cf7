"""Attention adjustment: what matters of a context weighs more while a picture is made, without any training."""
