"""How good the filters are: labels, operating points."""
